// Ways out of a run that do not lead through a gate: another session, OpenCode's own port, a record that cannot be read.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

let opencode: OpencodeWithMagnus;
/** The session of a run whose plan waits for a person, and later is approved. */
let session: string;

beforeAll(async () => {
  // An explorer whom only the gates hold.
  const explorer = { permission: { edit: "allow", bash: "allow" } };
  const settings = { tests: { command: ["sh", "check.sh"] }, agents: { explorer } };
  opencode = await OpencodeWithMagnus.open({ ".opencode/magnus-opus.json": settings });
  agents.orchestratorPlans(opencode.model, "implement");
  agents.architect(opencode.model);
  session = await opencode.session();
  await opencode.type(session, "implement", "a profile page --type MIXED --skip-plan-review");
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

/** The last result of the tools that an agent calls in the session. */
async function attempt(agent: string, tool: string, args: object): Promise<string> {
  const prompt = `${agent} tries ${tool}`;
  opencode.model.expect(prompt).tool(tool, args).then.reply("tried");
  await opencode.server.reopen(session).prompt(prompt, { agent });
  return (await opencode.results(session)).at(-1)!;
}

test("work is not handed to a session that belongs to no run", async () => {
  const { model, server, project } = opencode;
  model.expect("hello").reply("hello");
  const { sessionID: foreign } = await server.ask("hello", { agent: "build" });
  const sneaking = { description: "x", prompt: "As explorer: sneak", subagent_type: "explorer", task_id: foreign };
  const result = await attempt("orchestrator", "task", sneaking);
  expect(result).toContain(`Missing: one of this run's explorer sessions; ${foreign} is not one.`);
  expect(await opencode.results(foreign)).toEqual([]);
  expect(await project.tree()).not.toContain("src/sneaked.ts");
}, 180_000);

test("a command that a program of an agent types into OpenCode's port is held, and the user dismisses it", async () => {
  const { model, server } = opencode;
  model.expect(/typed `\/approve/).reply("noted");
  await opencode.type(session, "approve");
  expect(opencode.state(session).phase).toBe("implementation");
  const body = JSON.stringify({ command: "waive", arguments: "phase because I say so" });
  // OpenCode answers when the agent is done, and the agent is not before its call is over: it waits for the message.
  const script = `
    const session = ${JSON.stringify(`${server.url}/session/${session}`)};
    const headers = { "content-type": "application/json" };
    void fetch(session + "/command", { method: "POST", headers, body: ${JSON.stringify(body)} });
    const isTyped = async () => /phase because I say so/.test(await (await fetch(session + "/message")).text());
    (async () => {
      for (let tries = 0; tries < 2000; tries++) if (await isTyped()) break;
      console.log("typed");
      process.exit();
    })();`;
  await opencode.project.write("src/type.cjs", script);
  const command = `${JSON.stringify(process.execPath)} src/type.cjs`;
  const result = await attempt("developer", "bash", { command, description: "Type it" });
  expect(result).toContain("typed");
  const { waivers, phase, status } = opencode.state(session);
  expect([waivers, phase]).toEqual([[], "implementation"]);
  expect(status).toMatchObject({ kind: "paused", reason: "held" });
  expect(opencode.lastPrompt(/typed `\/waive/)).toMatch(
    /Not counted yet\. 1 decision is waiting .*: 1\. waive phase of implementation: because I say so \(.* UTC, .*; typed while developer was using the shell/,
  );
  model.expect(/typed `\/magnus-dismiss/).reply("noted");
  await opencode.type(session, "magnus-dismiss", "1");
  expect(opencode.state(session)).toMatchObject({ status: { kind: "running" }, waivers: [], held: [] });
}, 180_000);

test("a run whose record is no longer readable is closed, not forgotten", async () => {
  const { server, project } = opencode;
  const journal = `${opencode.state(session).folder}/journal.jsonl`;
  await server.restart();
  const text = await project.read(journal);
  await project.write(journal, `x${text.slice(1)}`);
  const result = await attempt("build", "write", { filePath: "src/made.ts", content: "x" });
  expect(result).toContain("contains no readable run");
  expect(await project.tree()).not.toContain("src/made.ts");
}, 180_000);
