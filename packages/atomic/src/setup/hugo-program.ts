// Hugo as a program: Atomic never imports it, so the two meet on the PATH and speak JSON.
import { Interrupted } from "@atomic/terminal/console";
import { signalCodes } from "@atomic/terminal/exit-codes";
import { Refusal } from "@atomic/terminal/refusal";
import type { AtomicContext } from "../context.ts";
import { outputOf } from "../other-programs.ts";

/** What `hugo-pm … --json` answers; only what is used here. */
interface HugoDocument {
  readonly ok: boolean;
  readonly exitCode: number;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** Of `setup`. */
  readonly did?: string;
  readonly command?: string;
  /** Of `install` and `list`. */
  readonly workflows?: readonly { readonly name: string; readonly version: string }[];
  /** Of `undo`. */
  readonly title?: string;
}

/** @throws {Refusal} If `program` is not our Hugo. */
export async function askHugo(
  { signals, env }: Pick<AtomicContext, "signals" | "env">,
  program: string,
  { project, words }: { readonly project: string; readonly words: readonly string[] },
): Promise<HugoDocument> {
  const output = await outputOf({ signals, cwd: project, env }, [program, ...words, "--json"]);
  const { stdout, code: exitCode } = "because" in output ? { stdout: "", code: 6 } : output;
  if (exitCode === signalCodes.SIGINT) throw new Interrupted("SIGINT");
  try {
    const document: unknown = JSON.parse(stdout);
    if (typeof document === "object" && document !== null && "ok" in document)
      return { ...(document as Omit<HugoDocument, "exitCode">), exitCode };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refusal("program-failed", {
    exitCode: 6,
    message: `hugo-pm ${words.join(" ")} did not answer as expected`,
    at: program,
    hint: "Check that `hugo-pm --version` prints a version; `npm install -g hugo-pm` installs it again.",
  });
}
