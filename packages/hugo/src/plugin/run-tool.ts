// One call of a tool, from what the model sent to what it reads.
import { homedir } from "node:os";
import { basename } from "node:path";
import { Interrupted } from "@atomic/terminal/console";
import { failureOf, formatFailure } from "@atomic/terminal/failure";
import { safeLine } from "@atomic/terminal/safe-text";
import { shellWord } from "@atomic/terminal/shell-words";
import type { StateChanges } from "../commands/enable.ts";
import type { RemoveResult } from "../commands/remove.ts";
import type { HugoCommand } from "../commands/shared/hugo-command.ts";
import { shortPathsIn } from "../commands/shared/short-paths.ts";
import type { UpdateResult } from "../commands/shared/update-report.ts";
import { findCommand } from "../commands.ts";
import type { Context, User } from "../context.ts";
import { HugoError } from "../errors.ts";
import { reportHash } from "../report-hash.ts";
import { formatQuestion, Gate, plain } from "./gate.ts";
import type { ToolContext } from "./opencode.ts";
import type { AskedCalls, Settings } from "./permission-rules.ts";
import type { Reload } from "./reload.ts";
import { readArguments, type ToolArguments } from "./tool-arguments.ts";
import type { HugoTool } from "./tools.ts";

export interface ToolEnvironment {
  readonly settings: Settings;
  readonly asked: AskedCalls;
  readonly reload: Reload;
}

/** Returns what the model reads. The only place that catches: the model reads errors, too. */
export async function runTool(
  tool: HugoTool,
  given: unknown,
  call: ToolContext,
  around: ToolEnvironment,
): Promise<string> {
  const gate = new Gate({ tool, call, ...around });
  try {
    const command = await findCommand(tool.command)!.load();
    const args = readArguments(command, tool, given);
    const text = await perform(command, args, { call, gate });
    const report = [text.trimEnd(), ...gate.refusals].join("\n");
    if (!command.mutates || !args.reload || !restart.test(report)) return report;
    if (!reloads(args))
      return `${report}\nA reload is not enough: OpenCode reads ~/.config/opencode only when it starts.`;
    around.reload.request();
    return report.replace(restart, "OpenCode will reload after this turn to apply the change.");
  } catch (error) {
    const short = shortPathsIn({ cwd: call.directory, home: homedir(), env: process.env });
    const failure = formatFailure(failureOf(error, "hugo"), "hugo", plain, short).trimEnd();
    throw new Error([failure, ...gate.refusals].join("\n"), { cause: error });
  } finally {
    around.asked.forget(call.callID);
  }
}

async function perform(
  command: HugoCommand,
  args: ToolArguments,
  { call, gate }: { readonly call: ToolContext; readonly gate: Gate },
): Promise<string> {
  const typed = typedCommand(command, args);
  const afterwards = reloads(args) ? "OpenCode then reloads: plugins restart, but sessions stay open.\n" : "";
  const ask = (text: string): Promise<boolean> =>
    gate.ask(text + afterwards, { subjects: args.subjects, command: typed });
  let shown: readonly string[] = [];
  const approve: User["approve"] = async (request) => {
    // The preview of an update has already shown this.
    if (shown.includes(reportHash(request))) return "approved";
    return (await ask(formatQuestion(request, typed))) ? "approved" : "declined";
  };
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort(new Interrupted("SIGINT"));
  if (call.abort.aborted) interrupt();
  call.abort.addEventListener("abort", interrupt, { once: true });
  // Ask the running OpenCode, whatever is on the PATH.
  const own = basename(process.execPath).startsWith("opencode") ? { HUGO_OPENCODE: process.execPath } : {};
  // This is OpenCode's own process, and the folder of its instance.
  const context: Context = {
    cwd: call.directory,
    home: homedir(),
    env: { ...own, ...process.env },
    user: { approve, progress: () => undefined },
    signal: interruption.signal,
  };

  // An installation asks later, when it knows what the package can do.
  if (command.mutates && command.name !== "install") {
    // Find out what it would do, so the user can approve it. Nothing is written.
    const result = await command.run(context, { ...args.input, dryRun: true } as never);
    const text = command.report.text(result, plain) + command.report.notes(result, plain).replace(dryRunNote, "");
    if (!changesSomething(command, result)) return text;
    if (!(await ask(text))) {
      throw new HugoError("declined", { message: `${typed} was declined`, hint: "Nothing was changed." });
    }
    if (command.name === "update") {
      shown = (result as UpdateResult).updated.flatMap(({ report }) => report ?? []);
    }
  }
  // The arguments were just checked against the specs that give the input its type.
  const result = await command.run(context, args.input as never);
  return command.report.text(result, plain) + command.report.notes(result, plain);
}

/** Every report of a change ends with it. */
const restart = /^Restart OpenCode .*$/m;

/** OpenCode reads a project again when it reloads, but its global folder only when it starts. */
function reloads({ reload, input }: ToolArguments): boolean {
  return reload && !input.global;
}

/** What you would type for the same. */
function typedCommand({ name }: HugoCommand, { subjects, input }: ToolArguments): string {
  const flags = [...(input.all === true ? ["--all"] : []), ...(input.global ? ["-g"] : [])];
  return ["hugo", name, ...flags, ...subjects.map((word) => shellWord(safeLine(word)))].join(" ");
}

/** True for the preview, but not for what the user is asked to approve. */
const dryRunNote = /^(?:Dry run: |To accept exactly ).*\n/gm;

/** A question about nothing only teaches people to say yes. */
function changesSomething({ name }: HugoCommand, result: unknown): boolean {
  if (name === "update") return (result as UpdateResult).updated.length > 0;
  if (name === "remove") return (result as RemoveResult).workflows.length > 0;
  return (result as StateChanges).workflows.some(({ change }) => change === "enabled" || change === "disabled");
}
