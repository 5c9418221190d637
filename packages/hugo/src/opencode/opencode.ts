import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { findProgram, trustedPath } from "../sources/program/find-program.ts";
import { type ProgramEnd, runProgram, TooSlow } from "../sources/program/run-program.ts";
import { removeTree } from "../sources/remove-tree.ts";
import { temporaryFolder } from "../sources/temporary-folder.ts";

type World = Pick<Context, "cwd" | "home" | "env" | "signal"> & { readonly beside?: readonly string[] };

/** This machine's OpenCode, and how to start it. */
export interface Opencode {
  readonly program: string;
  /** Where it is started. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** How long it may take, in milliseconds. */
  readonly timeout?: number;
  /** Stops it when its answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

export type Answer =
  | { readonly kind: "answered"; readonly value: unknown; readonly errors: readonly LogLine[] }
  | { readonly kind: "silent"; readonly because: string };

/** A start with an unreachable registry takes more than a minute. */
const TIMEOUT = 120_000;

/** Asking OpenCode makes it fetch nothing but the plugins that every start fetches. */
const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
};

/** A missing registry is noticed soon, not after three waits of ten seconds. */
const IMPATIENT = { npm_config_fetch_retry_mintimeout: "500", npm_config_fetch_retry_maxtimeout: "2000" };

/** Undefined if it is not installed. `HUGO_OPENCODE` names a program to use instead of the one on the PATH. */
export function findOpencode(world: World, cwd: string): Opencode | undefined {
  const program = world.env.HUGO_OPENCODE || findProgram("opencode", world);
  if (program === undefined) return undefined;
  const given = Object.entries(world.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const own = { ...QUIET, HOME: world.home, PATH: trustedPath(world), PWD: cwd };
  // OpenCode reads PWD as the folder it was started in.
  return { program, cwd, env: { ...IMPATIENT, ...Object.fromEntries(given), ...own }, signal: world.signal };
}

/** What `opencode debug …` prints, and the errors it logged. */
export async function askOpencode(opencode: Opencode, words: readonly string[]): Promise<Answer> {
  const answer = await askOnce(opencode, words);
  // Another OpenCode that starts at the same moment locks it for a while.
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
    // The reason that matters is at the end of the output.
    because: `\`opencode debug ${words.join(" ")}\` exited with ${end.code}: ${(end.stderr || stdout).trim().split("\n").at(-1)?.trim() ?? ""}`,
  };
}

export async function opencodeVersion(opencode: Opencode): Promise<string | undefined> {
  const { stdout } = await withOutput(opencode, ["--version"]);
  return /^\d+\.\d+\.\d+\S*$/m.exec(stdout.trim())?.[0];
}

type Ended =
  | (Pick<ProgramEnd, "stderr" | "code"> & { readonly kind: "ended" })
  | (Extract<Answer, { kind: "silent" }> & { readonly isSlow: boolean });

async function withOutput(opencode: Opencode, args: readonly string[]): Promise<Ended & { readonly stdout: string }> {
  const folder = temporaryFolder();
  try {
    const output = join(folder, "stdout");
    const ended = await runInto(opencode, args, output);
    return { ...ended, stdout: ended.kind === "ended" ? readFileSync(output, "utf8") : "" };
  } finally {
    removeTree(folder);
  }
}

/** Runs a program that prints into a file. */
export async function runInto(
  { program, cwd, env, signal, timeout = TIMEOUT }: Opencode,
  args: readonly string[],
  output: string,
): Promise<Ended> {
  try {
    const how = { cwd, env, timeout, stdoutFile: output, signal };
    const { code, stderr } = await runProgram({ file: program, args, ...how });
    return { kind: "ended", code, stderr };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    const isSlow = error instanceof TooSlow;
    const because = isSlow ? `OpenCode did not respond within ${timeout / 1000} seconds` : error.message;
    return { kind: "silent", because, isSlow };
  }
}

/**
 * The last JSON document that a program printed on separate lines. Plugins print whatever they
 * like on the same stream, before and after it.
 */
export function lastJson(printed: string): unknown {
  const lines = printed.split(/\r?\n/);
  for (let start = lines.length - 1; start >= 0; start--) {
    const line = lines[start] ?? "";
    if (line === "[]" || line === "{}") return JSON.parse(line);
    // OpenCode indents: only the document's own brackets are at the start of a line.
    const end = line === "{" ? lines.indexOf("}", start) : line === "[" ? lines.indexOf("]", start) : -1;
    if (end === -1) continue;
    try {
      return JSON.parse(lines.slice(start, end + 1).join("\n"));
    } catch (error) {
      // Something that only looks like it; an earlier line may be the right one.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

/** A line of OpenCode's log, by key. */
export type LogLine = ReadonlyMap<string, string>;

const PAIR = /([\w.-]+)=("(?:[^"\\]|\\.)*"|\S*)/g;

/** The errors among the lines of a log. */
export function errorsIn(log: string): LogLine[] {
  return log
    .split("\n")
    .map((line): LogLine => new Map([...line.matchAll(PAIR)].map(([, key = "", value = ""]) => [key, unquoted(value)])))
    .filter((line) => line.get("level") === "ERROR");
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch (error) {
    if (error instanceof SyntaxError) return value.slice(1, -1);
    throw error;
  }
}

/** Why OpenCode did not load a plugin, by its config entry; it does not log most failures. */
export function failedPlugins(errors: readonly LogLine[]): ReadonlyMap<string, string> {
  const failed = errors.filter((line) => line.get("message") === "failed to load plugin");
  return new Map(failed.map((line) => [line.get("path") ?? "", line.get("error") ?? "no reason given"]));
}

/** What went wrong in `config` hooks. OpenCode does not say whose. */
export function failedHooks(errors: readonly LogLine[]): string[] {
  const failed = errors.filter((line) => line.get("message") === "plugin config hook failed");
  return failed.map((line) => line.get("error") ?? "");
}
