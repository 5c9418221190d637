// What Magnus Opus's scripted agents do, in the tour and in the guide: one starts too early, the others follow the plan.
import type { ModelServer } from "@atomic/testing/model-server";

type Request = ModelServer["prompts"][number];

/** What the agents plan, test and write. */
export interface ScriptedFeature {
  readonly plan: string;
  /** A short name for the checklist. */
  readonly name: string;
  /** A sentence about the result. */
  readonly result: string;
  readonly test: { readonly path: string; readonly text: string };
  readonly code: { readonly path: string; readonly text: string };
  /** What the orchestrator adds where it waits for the user. */
  readonly asks?: { readonly approval: string; readonly acceptance: string };
}

/** Up to the request for approval. */
export function expectPlan(model: ModelServer, { plan, name, code, asks }: ScriptedFeature): void {
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.tool("magnus_next")
    .then.tool("write", { filePath: code.path, content: code.text })
    .then.tool("task", task("architect", "plan"))
    .then.tool("magnus_next")
    .then.reply(`I started too early. The plan is ready: please read it${asks?.approval ?? ""}.`);
  model
    .expect("As architect")
    .tool("write", writing("implementation-plan.md", plan))
    .tool("write", writing("quick-reference.md", `- [ ] test\n- [ ] ${name}\n`))
    .then.reply("Planned.");
}

/** From the plan's approval to the request to accept the result. */
export function expectBuild(model: ModelServer, { result, test, code, asks }: ScriptedFeature): void {
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", task("backend", "build"))
    .then.tool("magnus_next")
    .then.tool("task", task("reviewer", "review"))
    .then.tool("magnus_next")
    .then.tool("write", writing("final-summary.md", `# Summary\n\n${result}, and a test proves it.\n`))
    .then.tool("magnus_next")
    .then.reply(`Built, tested and reviewed.${asks?.acceptance ?? ""}`);
  model
    .expect("As backend")
    .tool("write", { filePath: test.path, content: test.text })
    .then.tool("run_tests")
    .then.tool("write", { filePath: code.path, content: code.text })
    .then.tool("run_tests")
    .then.reply("Built, test first.");
  model
    .expect("As reviewer")
    .tool("write", writing("reviews/code-review/one.md", "Reads well.\n"))
    .then.tool("submit_review", { verdict: "APPROVED", summary: "Reads well.", findings: [] })
    .then.reply("Reviewed.");
}

export function expectEnd(model: ModelServer): void {
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", task("cleaner", "tidy up"))
    .then.tool("magnus_next")
    .then.reply("Done.");
  model.expect("As cleaner").tool("magnus_sessions", { action: "list" }).then.reply("Nothing to tidy up.");
}

export function expectCancellation(model: ModelServer): void {
  model.expect(/typed `\/magnus-cancel/).reply("The run is cancelled; the plan stays in its folder.");
}

const task =
  (agent: string, what: string) =>
  (request: Request): object => ({
    description: what,
    prompt: `As ${agent}: ${what}. Session folder: ${folderIn(request)}`,
    subagent_type: agent,
  });

const writing =
  (name: string, content: string) =>
  (request: Request): object => ({ filePath: `${folderIn(request)}/${name}`, content });

/** Finds the session folder in the conversation so far. */
function folderIn({ messages }: Pick<Request, "messages">): string {
  const found = /ai-docs\/sessions\/impl-[a-z0-9-]+/.exec(JSON.stringify(messages))?.[0];
  if (found === undefined) throw new Error("No message names a session folder.");
  return found;
}
