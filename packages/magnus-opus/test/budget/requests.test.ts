// What a model is told because Magnus Opus is installed: little, always the same, and only what is meant for it.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tools } from "../../src/plugin/tools/tools.ts";
import { agentsByState } from "../crash/agents-by-state.ts";
import { OpencodeWithMagnus, projectFiles } from "../plugin/opencode-with-magnus.ts";
import { publishedPlugin } from "./published-plugin.ts";
import { firstDifference, preambleBytes, type Request, toolNames } from "./request-bytes.ts";

let opencode: OpencodeWithMagnus;
/** A folder of the same server in which the plugin is not loaded. */
let stock: string;

beforeAll(async () => {
  const { url } = await publishedPlugin();
  const reviewer = "---\ndescription: Reads poems\nmode: primary\n---\n\nYou read poems.\n";
  opencode = await OpencodeWithMagnus.open(
    { ...projectFiles, ".opencode/agents/reader.md": reviewer, "opencode.json": { plugin: [url] } },
    [],
  );
  stock = opencode.project.path("../stock");
  await opencode.project.run(["cp", "-R", ".", stock]);
  await opencode.project.remove(join(stock, "opencode.json"));
  await opencode.project.remove(join(stock, ".opencode/magnus-opus.json"));
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

/** The first request of a session that says something. */
async function firstRequest(agent: string, directory?: string): Promise<Request> {
  opencode.model.expect(/^hi$/).reply("hello");
  const already = opencode.model.prompts.length;
  await opencode.server.ask("hi", { agent, ...(directory !== undefined && { directory }) });
  return opencode.model.prompts[already]!;
}

const ours = tools.map(({ name }) => name);
const skills = ["sveltekit", "convex", "shadcn-svelte", "quality-gates", "error-recovery", "multi-agent-coordination"];

/** Its first line of text: in whatever form a skill arrives, this would be in it. */
function firstSentence(skill: string): string {
  const text = readFileSync(join(import.meta.dirname, `../../skills/${skill}/SKILL.md`), "utf8");
  const [, body = ""] = /^---\n.*?\n---\n+(.*)$/s.exec(text) ?? [];
  return JSON.stringify(body.split("\n").find((line) => line !== "" && !line.startsWith("#"))!).slice(1, -1);
}

test("a session without a workflow sends at most 15 % more than OpenCode alone", async () => {
  const alone = preambleBytes(await firstRequest("build", stock));
  const withMagnus = preambleBytes(await firstRequest("build"));
  expect(alone).toBeGreaterThan(10_000);
  expect(withMagnus / alone).toBeLessThan(1.15);
});

test.each(["build", "plan", "reader"])("%s gets none of our tools or skills", async (agent) => {
  const alone = await firstRequest(agent, stock);
  const request = await firstRequest(agent);
  expect(toolNames(request)).toEqual(toolNames(alone));
  expectNothingOfOurs(request);
});

test("neither do OpenCode's own subagents", async () => {
  const { model } = opencode;
  const task = { description: "look", prompt: "have a look", subagent_type: "general" };
  model.expect("ask somebody").tool("task", task).then.reply("asked");
  model.expect("have a look").reply("looked");
  await opencode.server.ask("ask somebody", { agent: "build" });
  const request = model.prompts.find(({ user }) => user.includes("have a look"))!;
  expect(toolNames(request)).toContain("bash");
  expectNothingOfOurs(request);
});

function expectNothingOfOurs(request: Request): void {
  const text = JSON.stringify(request.raw);
  expect(toolNames(request).filter((name) => ours.includes(name))).toEqual([]);
  expect(skills.filter((skill) => text.includes(firstSentence(skill)))).toEqual([]);
  expect(skills.filter((skill) => text.includes(`<name>${skill}`) || text.includes(`skill name="${skill}`))).toEqual(
    [],
  );
}

test("the orchestrator does have them, and its skills once", async () => {
  const request = await firstRequest("orchestrator");
  expect(toolNames(request)).toEqual(expect.arrayContaining(["magnus_start", "magnus_next"]));
  const text = JSON.stringify(request.raw);
  expect(text.split(firstSentence("quality-gates"))).toHaveLength(2);
  expect(text).not.toContain(firstSentence("sveltekit"));
});

test("every request of a session starts with the previous one, so it can be cached", async () => {
  const { model, server } = opencode;
  const session = await server.session();
  for (const text of ["one", "two", "three"]) {
    model.expect(text).tool("read", { filePath: "src/app.html" }).then.reply(`${text} it is`);
    await session.prompt(text);
  }
  expectStablePrefixes(5);
}, 180_000);

test("so does every request of a run, in all of its sessions", async () => {
  agentsByState(opencode.model);
  const session = await opencode.session();
  await opencode.type(session, "implement", "a mutation --type=API_FOCUSED --skip-plan-review");
  await opencode.type(session, "approve");
  await opencode.type(session, "approve");
  expect(opencode.state(session).status.kind).toBe("done");
  expectStablePrefixes(15);
}, 180_000);

function expectStablePrefixes(atLeast: number): void {
  const { prompts } = opencode.model;
  const pairs = prompts.flatMap((later, at) => {
    const earlier = prompts.slice(0, at).findLast(({ session }) => session === later.session);
    return earlier === undefined ? [] : [[earlier, later] as const];
  });
  expect(pairs.length).toBeGreaterThanOrEqual(atLeast);
  expect(pairs.flatMap(([earlier, later]) => firstDifference(earlier, later) ?? [])).toEqual([]);
}
