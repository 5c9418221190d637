// Magnus Opus builds one small feature on the real OpenCode. The user approves the plan and accepts the result.
import { readdir } from "node:fs/promises";
import type { ModelServer } from "@atomic/testing/model-server";
import type { OpencodeOutput } from "@atomic/testing/opencode";
import type { Project } from "@atomic/testing/project";
import { isApproved } from "./approval.ts";
import { delivery } from "./delivery.ts";
import { theirs, yours } from "./hugo.ts";
import { expectBuild, expectCancellation, expectEnd, expectPlan } from "./magnus-script.ts";
import { say, showFile } from "./output.ts";
import { run, typeCommand } from "./programs.ts";

const feature = "a module for free delivery at 10 dollars or more --skip-plan-review";
const built = ["test/delivery.test.js", "src/delivery.js"];
const sessions = "ai-docs/sessions";

/** Returns the name of the run, for those who keep the project. */
export async function magnusPart(project: Project, model: ModelServer, hasSaidYes: boolean): Promise<string> {
  const type = (name: string, words?: string, session?: string): Promise<string> =>
    typeCommand(
      project,
      model,
      { name, ...(words !== undefined && { words }), ...(session !== undefined && { session }) },
      linesOf,
    );
  expectPlan(model, delivery);
  const session = await type("implement", feature);
  if (await project.exists("src/delivery.js")) throw new Error("Code was written before the plan was approved.");
  const name = (await readdir(project.path(sessions))).find((each) => each.startsWith("impl-")) ?? "";
  showFile("implementation-plan.md", await project.read(`${sessions}/${name}/implementation-plan.md`));

  if (!(await isApproved("This is the plan. May the agents build it now?", hasSaidYes))) {
    expectCancellation(model);
    await type("magnus-cancel", "not this plan", session);
    return name;
  }
  expectBuild(model, delivery);
  await type("approve", undefined, session);
  say("This is what they built:");
  for (const file of built) showFile(file, await project.read(file));
  if (!(await isApproved("The test passes. Do you accept the result?", hasSaidYes))) {
    say("Then the run waits: you could ask for changes, or cancel it.");
    return name;
  }
  expectEnd(model);
  await type("approve", undefined, session);
  await run(project, "node", "--test", "--test-reporter=dot");
  say("Who did what, and who decided, is also a page for your browser (`npm start -- --keep` keeps it):");
  await run(project, "magnus-opus", "timeline", "--html", "../timeline.html");
  await commit(project, model);
  return name;
}

/** With the command of the first chapter, which has the author's sentence and the user's. */
async function commit(project: Project, model: ModelServer): Promise<void> {
  say("Last, the command from the beginning writes the commit message:");
  await project.run(["git", "add", "src", "test"]);
  const message = "feat: free delivery for orders of 10 dollars or more\n\nCloses #7.";
  model.expect({ where: ({ user }) => user.includes(theirs) && user.includes(yours) }).reply(message);
  await typeCommand(project, model, { name: "commit-message" }, linesOf);
}

interface ToolState {
  readonly status: string;
  readonly input?: { readonly filePath?: string; readonly subagent_type?: string };
  readonly error?: string;
  readonly output?: string;
}

/** What an event means to a reader: the phase that begins, the agent that has finished, the refusal. */
function linesOf({ type, part }: OpencodeOutput): string {
  if (type === "text") return `${part?.text}\n`;
  if (type !== "tool_use" || part === undefined) return "";
  const { input = {}, error, output = "" } = part.state as ToolState;
  if (error !== undefined) {
    const [what = "", missing = ""] = error.split("\n");
    return `✗ ${part.tool} ${input.filePath ?? ""}\n  ${what}\n  ${missing}\n`;
  }
  const [, phase] = /^## (.+)$/m.exec(output) ?? [];
  if (phase !== undefined) return `  ${phase}\n`;
  return input.subagent_type === undefined ? "" : `✓ ${input.subagent_type}\n`;
}
