// Magnus Opus builds one small feature on the real OpenCode. The user, or the tour on their behalf, approves the plan.
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelServer } from "@atomic/testing/model-server";
import { type OpencodeOutput, opencodeRun } from "@atomic/testing/opencode";
import type { Project } from "@atomic/testing/project";
import { isApproved } from "./approval.ts";
import { expectBuild, expectCancellation, expectEnd, expectPlan } from "./magnus-script.ts";
import { interrupted, say } from "./output.ts";

const bin = join(import.meta.dirname, "../../packages/magnus-opus/bin/magnus-opus.js");
const feature = "a Convex mutation that saves a profile --skip-plan-review";

/** Returns the timeline page, which is kept after the project is removed. */
export async function magnusPart(project: Project, model: ModelServer): Promise<string> {
  await project.write(".opencode/magnus-opus.json", {
    tests: { command: ["node", "--test", "convex/profiles.test.mjs"] },
  });
  expectPlan(model);
  const session = await typed(project, model, { command: "implement", words: feature });
  if (await project.exists("convex")) throw new Error("Code was written before the plan was approved.");
  const sessions = "ai-docs/sessions";
  const run = (await readdir(project.path(sessions))).find((name) => name.startsWith("impl-"));
  say((await project.read(`${sessions}/${run}/implementation-plan.md`)).trimEnd());

  if (await isApproved("Approve this plan?")) await approved(project, model, session);
  else {
    expectCancellation(model);
    await typed(project, model, { command: "magnus-cancel", words: "not this plan", session });
  }
  await magnus(project, "status");
  const kept = join(await mkdtemp(join(tmpdir(), "magnus-opus-")), "timeline.html");
  await magnus(project, "timeline", "--html", kept);
  return kept;
}

async function approved(project: Project, model: ModelServer, session: string): Promise<void> {
  expectBuild(model);
  await typed(project, model, { command: "approve", session });
  if (!(await isApproved("Accept the result?"))) return;
  expectEnd(model);
  await typed(project, model, { command: "approve", session });
  if (!(await project.exists("convex/profiles.mjs"))) throw new Error("The plan was approved, but nothing was built.");
}

interface Typed {
  readonly command: string;
  readonly words?: string;
  readonly session?: string;
}

/** Runs an OpenCode command until the agents' turn ends, and returns the session. */
async function typed(project: Project, model: ModelServer, { command, words = "", session }: Typed): Promise<string> {
  say(`> /${command} ${words}`.trimEnd());
  const args = ["--command", command, ...(session === undefined ? [] : ["--session", session])];
  const running = opencodeRun(project, { model, prompt: words, args, timeout: 120_000 });
  const { code, stderr, events } = await Promise.race([running, interrupted]);
  if (code !== 0) throw new Error(`opencode run --command ${command} exited with ${code}:\n${stderr}`);
  process.stdout.write(events.flatMap(linesOf).join(""));
  return session ?? events[0]?.sessionID ?? "";
}

interface ToolState {
  readonly status: string;
  readonly input?: { readonly filePath?: string; readonly subagent_type?: string };
  readonly error?: string;
  readonly output?: string;
}

/** One line for each event; a refusal in full. */
function linesOf({ type, part }: OpencodeOutput): readonly string[] {
  if (type === "text") return [`${part?.text}\n`];
  if (type !== "tool_use" || part === undefined) return [];
  const { input = {}, error, output = "" } = part.state as ToolState;
  const about = input.subagent_type ?? input.filePath ?? "";
  const what = [part.tool, about].join(" ").trim();
  if (error !== undefined) return [`✗ ${what}\n${error.replace(/^/gm, "    ")}\n`];
  const heading = /^## (.+)$/m.exec(output)?.[1];
  return [`✓ ${what}${heading === undefined ? "" : `  ${heading}`}\n`];
}

async function magnus(project: Project, ...words: string[]): Promise<void> {
  say(`$ magnus-opus ${words.join(" ")}`);
  const { code, stdout, stderr } = await Promise.race([project.run(["node", bin, ...words]), interrupted]);
  if (code !== 0) throw new Error(`magnus-opus ${words[0]} exited with ${code}:\n${stderr}`);
  process.stdout.write(stdout);
}
