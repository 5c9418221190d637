// Scripted agents that follow their prompts.
import type { ModelServer } from "@atomic/testing/model-server";

type Request = ModelServer["prompts"][number];

/** The session folder, from anything that was said so far. */
function folderIn(request: Pick<Request, "messages">): string {
  const text = JSON.stringify(request.messages);
  const found = /ai-docs\/sessions\/[a-z]+-\d{8}-\d{6}-[0-9a-f]{6}[a-z0-9-]*/.exec(text)?.[0];
  if (found === undefined) throw new Error(`No session folder is named in ${text.slice(0, 500)}`);
  return found;
}

export const task =
  (agent: string, what = "do your part") =>
  (request: Request): object => ({
    description: what,
    prompt: `As ${agent}: ${what}. Session folder: ${folderIn(request)}`,
    subagent_type: agent,
  });

export const writing =
  (name: string, content = `# ${name}\n`) =>
  (request: Request): object => ({ filePath: `${folderIn(request)}/${name}`, content });

export const approving = { verdict: "APPROVED", summary: "reads well", findings: [] };

/** Plans, and says so. */
export function architect(model: ModelServer): void {
  model
    .expect("As architect")
    .tool("write", writing("implementation-plan.md"))
    .tool("write", writing("quick-reference.md"))
    .then.reply("planned");
}

export function judge(model: ModelServer, agent: string, report: string, review: object = approving): void {
  model
    .expect(`As ${agent}:`)
    .tool("write", writing(report))
    .then.tool("submit_review", review)
    .then.reply(`${agent} has judged`);
}

export function builder(model: ModelServer, agent: string, file: string): void {
  model
    .expect(`As ${agent}: do`)
    .tool("write", { filePath: file, content: "export const made = true;\n" })
    .then.tool("bash", { command: "ls src > /dev/null && true", description: "Try it" })
    .then.reply("built");
}

/** Test first, as the backend of a run for the API has to. */
export function testFirst(model: ModelServer): void {
  model
    .expect("As backend:")
    .tool("write", { filePath: "convex/made.test.ts", content: "// fails until made.ts is there\n" })
    .then.tool("run_tests")
    .then.tool("write", { filePath: "convex/made.ts", content: "export const made = true;\n" })
    .then.tool("run_tests")
    .then.reply("built, test first");
}

export function tester(model: ModelServer, agent = "tester"): void {
  model.expect(`As ${agent}:`).tool("run_tests").then.tool("write", writing("testing-report.md")).then.reply("tested");
}

export function cleaner(model: ModelServer): void {
  model.expect("As cleaner").tool("magnus_sessions", { action: "list" }).then.reply("nothing to tidy up");
}

type Turn = ReturnType<ModelServer["expect"]>;

/** `magnus_review` asks the reviewers itself. */
function asking(turn: Turn, agent: string): Turn {
  return agent === "magnus_review" ? turn.tool(agent) : turn.tool("task", task(agent));
}

/** A reviewer that `magnus_review` asks. */
export function reviewer(model: ModelServer, asked: string | RegExp, review: object = approving): void {
  model.expect(asked).tool("submit_review", review).then.reply("judged");
}

/** The orchestrator up to the plan's approval, with or without a review of the plan before it. */
export function orchestratorPlans(model: ModelServer, command: string, reviewers: readonly string[] = []): void {
  let turn = model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command, arguments: "whatever the model makes of it" })
    .then.tool("magnus_next");
  for (const agent of ["architect", ...reviewers]) turn = asking(turn.then, agent).then.tool("magnus_next");
  turn.then.reply("please approve the plan");
}

/** From one approval to the next: each of `agents` in its phase, then the summary. */
export function orchestratorBuilds(model: ModelServer, agents: readonly (string | readonly string[])[]): void {
  let turn = model.expect(/typed `\/approve/).tool("magnus_next");
  for (const side of agents) {
    turn = turn.then;
    for (const agent of typeof side === "string" ? [side] : side) turn = asking(turn, agent);
    turn = turn.then.tool("magnus_next");
  }
  turn.then.tool("write", writing("final-summary.md")).then.tool("magnus_next").then.reply("please accept");
}

export function orchestratorEnds(model: ModelServer): void {
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", task("cleaner"))
    .then.tool("magnus_next")
    .then.reply("all done");
}
