import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { findProgram, trustedPath } from "../sources/program/find-program.ts";
import { type ProgramEnd, runProgram, TooSlow } from "../sources/program/run-program.ts";
import { errorsIn, type LogLine } from "./opencode-log.ts";
import { lastJson } from "./printed-json.ts";

type World = Pick<Context, "cwd" | "home" | "env" | "signal"> & { readonly beside?: readonly string[] };

/** The OpenCode of this machine, and how it is started. */
export interface Opencode {
  readonly program: string;
  /** Where it is started. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends it when nobody waits for its answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export type Answer =
  | { readonly kind: "answered"; readonly value: unknown; readonly errors: readonly LogLine[] }
  | { readonly kind: "silent"; readonly because: string };

/** A start with an unreachable registry takes more than a minute. */
const TIMEOUT = 120_000;

/** A look at OpenCode makes it fetch nothing but the plugins that any start of it fetches. */
const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
};

/** A registry that is not there is noticed soon, and not after ten seconds three times. */
const IMPATIENT = { npm_config_fetch_retry_mintimeout: "500", npm_config_fetch_retry_maxtimeout: "2000" };

/** Undefined if it is not installed. `HUGO_OPENCODE` names another program than the one on the PATH. */
export function findOpencode(world: World, cwd: string): Opencode | undefined {
  const program = world.env.HUGO_OPENCODE || findProgram("opencode", world);
  if (program === undefined) return undefined;
  const given = Object.entries(world.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const own = { ...QUIET, HOME: world.home, PATH: trustedPath(world), PWD: cwd };
  // OpenCode takes PWD for the folder that it is started in.
  return { program, cwd, env: { ...IMPATIENT, ...Object.fromEntries(given), ...own }, signal: world.signal };
}

/** What `opencode debug …` prints, and the errors that it logged. */
export async function askOpencode(opencode: Opencode, words: readonly string[]): Promise<Answer> {
  const answer = await askOnce(opencode, words);
  // Another OpenCode that starts at the same moment has it for a while.
  const isBusy = answer.kind === "silent" && answer.because.endsWith("database is locked");
  return isBusy ? await askOnce(opencode, words) : answer;
}

async function askOnce(opencode: Opencode, words: readonly string[]): Promise<Answer> {
  const { stdout, ...end } = await withOutput(opencode, ["debug", ...words, "--print-logs", "--log-level", "ERROR"]);
  if (end.kind === "silent") return end;
  const value = end.code === 0 ? lastJson(stdout) : undefined;
  if (value !== undefined) return { kind: "answered", value, errors: errorsIn(end.stderr) };
  return {
    kind: "silent",
    because: `\`opencode debug ${words.join(" ")}\` ended with ${end.code}: ${lastLine(end.stderr || stdout)}`,
  };
}

export async function opencodeVersion(opencode: Opencode): Promise<string | undefined> {
  const { stdout } = await withOutput(opencode, ["--version"]);
  return /^\d+\.\d+\.\d+\S*$/m.exec(stdout.trim())?.[0];
}

/** The reasons that matter stand at the end of what a program complains about. */
function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}

type Ended =
  | (Pick<ProgramEnd, "stderr" | "code"> & { readonly kind: "ended" })
  | (Extract<Answer, { kind: "silent" }> & { readonly isSlow: boolean });

async function withOutput(opencode: Opencode, args: readonly string[]): Promise<Ended & { readonly stdout: string }> {
  const folder = mkdtempSync(join(tmpdir(), "hugo-"));
  try {
    const output = join(folder, "stdout");
    const ended = await runInto(opencode, args, output);
    return { ...ended, stdout: ended.kind === "ended" ? readFileSync(output, "utf8") : "" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that prints into a file, to its end. */
export async function runInto(
  { program, cwd, env, signal }: Opencode,
  args: readonly string[],
  output: string,
): Promise<Ended> {
  try {
    const how = { cwd, env, timeout: TIMEOUT, stdoutFile: output, signal };
    const { code, stderr } = await runProgram({ file: program, args, ...how });
    return { kind: "ended", code, stderr };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    const isSlow = error instanceof TooSlow;
    const because = isSlow ? `OpenCode had not answered after ${TIMEOUT / 1000} seconds` : error.message;
    return { kind: "silent", because, isSlow };
  }
}
