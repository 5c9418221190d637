// A cast that knows no story: each agent answers only what it was told last, so that it can be interrupted anywhere.
import type { ModelServer } from "@atomic/testing/model-server";
import { approving, task, writing } from "./cast.ts";

export function reactiveCast(model: ModelServer): void {
  const told = (toolResult: string | RegExp) => model.expect({ toolResult });
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "", arguments: "" })
    .always();
  model
    .expect(/^(go on|.*typed `\/approve)/s)
    .tool("magnus_next")
    .always();
  told("Now: Requirements Gathering").tool("magnus_next").always();
  told("Now: Architecture Planning").tool("task", task("architect")).always();
  told("Now: Implementation").tool("task", task("backend")).always();
  told("Now: Code Review").tool("task", task("reviewer")).always();
  told("Now: User Acceptance").tool("write", writing("final-summary.md", "# Done\n")).always();
  told("Now: Cleanup").tool("task", task("cleaner")).always();
  told("waits for a person").reply("please decide").always();
  told("The run is done").reply("all done").always();
  told(/<task_result>/)
    .tool("magnus_next")
    .always();

  model
    .expect("As architect")
    .tool("write", writing("implementation-plan.md"))
    .tool("write", writing("quick-reference.md"))
    .always();
  model.expect("As backend").tool("write", { filePath: "convex/made.test.ts", content: "// fails\n" }).always();
  model.expect("As reviewer").tool("write", writing("reviews/code-review/one.md")).always();
  model.expect("As cleaner").reply("nothing to tidy up").always();
  const wrote = (agent: string) => ({ user: `As ${agent}`, toolResult: /Wrote file successfully|^$/ });
  model.expect(wrote("architect")).reply("planned").always();
  model.expect(wrote("reviewer")).tool("submit_review", approving).always();
  model.expect({ user: "As reviewer", toolResult: "Handed in" }).reply("judged").always();
  const ran = (pattern: RegExp) => model.expect({ user: "As backend", toolResult: pattern });
  ran(/1 failed/)
    .tool("write", { filePath: "convex/made.ts", content: "export const made = true;\n" })
    .always();
  ran(/Evidence: the tests pass/)
    .reply("built")
    .always();
  model.expect(wrote("backend")).tool("run_tests").always();
  model
    .expect({ user: /go on|typed/, toolResult: "Wrote file successfully" })
    .tool("magnus_next")
    .always();
}
