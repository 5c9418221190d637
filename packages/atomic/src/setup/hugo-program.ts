// Hugo as a program: Atomic never imports it, so the two meet on the PATH and speak JSON.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { Refusal } from "@atomic/terminal/refusal";
import type { AtomicContext } from "../context.ts";
import { outputOf } from "../other-programs.ts";

/** What `hugo-pm … --json` answers; only what is used here. */
interface HugoDocument {
  readonly ok: boolean;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** Of `setup`. */
  readonly did?: string;
  readonly command?: string;
  /** Of `install` and `list`. */
  readonly workflows?: readonly { readonly name: string; readonly version: string }[];
  /** Of `undo`. */
  readonly title?: string;
}

/** The file that a shell would run. A relative folder on the PATH could be anyone's, so those do not count. */
export function findProgram(name: string, { env }: Pick<AtomicContext, "env">): string | undefined {
  const files = (env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));
  return files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true && isExecutable(file));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
    throw error;
  }
}

/** @throws {Refusal} If `program` is not our Hugo. */
export async function askHugo(
  { signals, env }: Pick<AtomicContext, "signals" | "env">,
  program: string,
  { project, words }: { readonly project: string; readonly words: readonly string[] },
): Promise<HugoDocument> {
  const output = await outputOf({ signals, cwd: project, env }, [program, ...words, "--json"]);
  const stdout = "because" in output ? "" : output.stdout;
  try {
    const document: unknown = JSON.parse(stdout);
    if (typeof document === "object" && document !== null && "ok" in document) return document as HugoDocument;
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
