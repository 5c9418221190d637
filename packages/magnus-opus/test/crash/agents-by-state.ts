// Agents that follow no script: each answers the last tool result, so a run can be killed anywhere and continue.
import type { ModelServer } from "@atomic/testing/model-server";
import { approving, task, writing } from "../plugin/scripted-agents.ts";

export const continueRun = "Please go on with the run.";

export function agentsByState(model: ModelServer): void {
  orchestrator(model);
  architect(model);
  backend(model);
  reviewer(model);
  model.expect("As cleaner").reply("nothing to tidy up").always();
  model.expect({ toolResult: wrote }).tool("magnus_next").always(); // the orchestrator, as all others have answered
}

function orchestrator(model: ModelServer): void {
  const after = (toolResult: string) => model.expect({ toolResult });
  model.expect("Start a run with `magnus_start`").tool("magnus_start", { command: "", arguments: "" }).always();
  model.expect(continueRun).tool("magnus_next").always();
  model.expect("The user typed `/approve").tool("magnus_next").always();
  after("## Now: Requirements Gathering").tool("magnus_next").always();
  after("## Now: Architecture Planning").tool("task", task("architect")).always();
  after("## Now: Implementation").tool("task", task("backend")).always();
  after("## Now: Code Review").tool("task", task("reviewer")).always();
  after("## Now: User Acceptance").tool("write", writing("final-summary.md")).always();
  after("## Now: Cleanup").tool("task", task("cleaner")).always();
  after("## The run is waiting for the user").reply("please decide").always();
  after("## The run is done").reply("all done").always();
  after("<task_result>").tool("magnus_next").always();
}

function architect(model: ModelServer): void {
  const plan = ["implementation-plan.md", "quick-reference.md"] as const;
  model.expect("As architect").tool("write", writing(plan[0])).tool("write", writing(plan[1])).always();
  model.expect({ user: "As architect", toolResult: wrote }).reply("planned").always();
}

/** Test first: what the tests say tells what to do. */
function backend(model: ModelServer): void {
  const sees = (toolResult: string | RegExp) => model.expect({ user: "As backend", toolResult });
  model.expect("As backend").tool("write", { filePath: "convex/made.test.ts", content: "// fails\n" }).always();
  sees("1 failed").tool("write", { filePath: "convex/made.ts", content: "export const made = true;\n" }).always();
  sees("the tests pass").reply("built").always();
  sees(wrote).tool("run_tests").always();
}

function reviewer(model: ModelServer): void {
  const sees = (toolResult: string | RegExp) => model.expect({ user: "As reviewer", toolResult });
  model.expect("As reviewer").tool("write", writing("reviews/code-review/one.md")).always();
  sees("Submitted:").reply("judged").always();
  sees(wrote).tool("submit_review", approving).always();
}

const wrote = "Wrote file successfully";
