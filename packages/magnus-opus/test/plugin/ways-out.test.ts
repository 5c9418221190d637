// Ways out of a run that do not lead through a gate: another session, OpenCode's own port, a record that cannot be read.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import * as cast from "./cast.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
/** The session of a run whose plan waits for a person, and later is approved. */
let session: string;

beforeAll(async () => {
  // An explorer whom only the gates hold.
  const explorer = { permission: { edit: "allow", bash: "allow" } };
  const settings = { tests: { command: ["sh", "check.sh"] }, agents: { explorer } };
  studio = await Studio.open({ ".opencode/magnus-opus.json": settings });
  cast.orchestratorPlans(studio.model, "implement");
  cast.architect(studio.model);
  session = await studio.session();
  await studio.type(session, "implement", "a profile page --type MIXED --skip-plan-review");
}, 60_000);
afterEach(() => studio.model.verify());
afterAll(() => studio[Symbol.asyncDispose]());

/** The last result of the tools that an agent calls in the session. */
async function attempt(agent: string, tool: string, args: object): Promise<string> {
  const prompt = `${agent} tries ${tool}`;
  studio.model.expect(prompt).tool(tool, args).then.reply("tried");
  await studio.server.reopen(session).prompt(prompt, { agent });
  return (await studio.results(session)).at(-1)!;
}

test("work is not handed to a session that belongs to no run", async () => {
  const { model, server, project } = studio;
  model.expect("hello").reply("hello");
  const { sessionID: foreign } = await server.ask("hello", { agent: "build" });
  const sneaking = { description: "x", prompt: "As explorer: sneak", subagent_type: "explorer", task_id: foreign };
  const result = await attempt("orchestrator", "task", sneaking);
  expect(result).toContain(`Missing: a session of this run for explorer; ${foreign} is none.`);
  expect(await studio.results(foreign)).toEqual([]);
  expect(await project.tree()).not.toContain("src/sneaked.ts");
}, 60_000);
