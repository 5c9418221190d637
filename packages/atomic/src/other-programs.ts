// Other programs: one that gets the whole terminal, and one whose output is read.
import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { Interrupted } from "@atomic/terminal/console";
import { type Interrupt, signalCodes } from "@atomic/terminal/exit-codes";
import { Refusal } from "@atomic/terminal/refusal";
import { signalGroup } from "@atomic/terminal/signal-group";
import { lookOr } from "@atomic/workflows/internal/entities/system-error";
import type { AtomicContext } from "./context.ts";

/** A system has a limit for what a program is started with; on Linux it is 128 KiB for each argument. */
export function begun<Child>(begin: () => Child): Child {
  try {
    return begin();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "E2BIG") throw error;
    const message = "This is too long to pass to another program";
    throw new Refusal("text-too-long", { message, hint: "Save it to a file and mention the file in your prompt." });
  }
}

/** Why a program did not start: there is none of that name, or its file may not be executed. */
export interface NotStarted {
  readonly program: string;
  readonly because: "missing" | "not-executable";
}

type Ending = { readonly code: number } | NotStarted;

export function notStarted(
  program: string,
  { env, cwd }: Pick<AtomicContext, "env" | "cwd">,
  error: Error,
): NotStarted | Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EACCES") return { program, because: "not-executable" };
  if (code !== "ENOENT") return error;
  // It is the same error.
  if (statSync(cwd, { throwIfNoEntry: false }) === undefined) return new Error(`The folder ${cwd} no longer exists.`);
  // Bun passes over files that may not be executed, and so does a shell over folders that may not be read.
  const isThere = (env.PATH ?? "").split(delimiter).some((folder) => folder !== "" && isFile(join(folder, program)));
  return { program, because: isThere ? "not-executable" : "missing" };
}

function isFile(path: string): boolean {
  return lookOr(false, () => statSync(path).isFile());
}

/**
 * Until it ends. Ctrl-C reaches it as well as us, and is its own matter.
 *
 * @param how Without keys, what is typed is for us. Where that makes Ctrl-C a key, it has to be passed on.
 */
export async function runInForeground(
  { signals, cwd, env }: Pick<AtomicContext, "signals" | "cwd" | "env">,
  [program = "", ...words]: readonly string[],
  how: "with keys" | "without keys" = "with keys",
): Promise<Ending> {
  let child: ChildProcess | undefined;
  let ended: Interrupt | undefined;
  const heard = new AbortController();
  const unlisten = signals.listen((interrupt) => {
    if (interrupt === "SIGINT") {
      heard.abort();
      if (how === "without keys" && process.stdin.isRaw) child?.kill("SIGINT");
      return;
    }
    ended = interrupt;
    child?.kill(interrupt);
  });
  try {
    const ending = await new Promise<Ending>((resolve, reject) => {
      const stdin = how === "with keys" ? "inherit" : "ignore";
      child = begun(() => spawn(program, words, { cwd, env: { ...env }, stdio: [stdin, "inherit", "inherit"] }));
      child.once("error", (error) => {
        const why = notStarted(program, { env, cwd }, error);
        if (why instanceof Error) reject(why);
        else resolve(why);
      });
      child.once("exit", (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal ?? "SIGTERM"] }));
    });
    if ("code" in ending && ending.code === signalCodes.SIGINT) await soon(heard.signal);
    if (ended !== undefined) throw new Interrupted(ended);
    return ending;
  } finally {
    unlisten();
  }
}

/** Ctrl-C may reach a program a moment before it reaches us, and is not meant for what comes afterwards. */
async function soon(heard: AbortSignal): Promise<void> {
  if (heard.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 1000);
    heard.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** What a program prints, for example a list of models. An interrupt ends it, a second one at once, and then it throws. */
export async function outputOf(
  { signals, cwd, env }: Pick<AtomicContext, "signals" | "cwd" | "env">,
  [program = "", ...words]: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string } | NotStarted> {
  let ended: Interrupt | undefined;
  let child: ChildProcess | undefined;
  const heard = new AbortController();
  const unlisten = signals.listen((interrupt) => {
    // With what it has started itself, which may hold its output open.
    if (child !== undefined) signalGroup(child, ended === undefined ? interrupt : "SIGKILL");
    // What has left its group holds it open even then.
    if (ended !== undefined) for (const output of [child?.stdout, child?.stderr]) output?.destroy();
    ended = interrupt;
    heard.abort();
  });
  try {
    return await new Promise((resolve, reject) => {
      const started = spawn(program, words, {
        cwd,
        env: { ...env },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      child = started;
      let stdout = "";
      let stderr = "";
      started.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      started.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      started.once("error", (error) => {
        const why = notStarted(program, { env, cwd }, error);
        if (why instanceof Error) reject(why);
        else resolve(why);
      });
      started.once("close", async (code, signal) => {
        if (signal === "SIGINT") await soon(heard.signal);
        if (ended !== undefined) reject(new Interrupted(ended));
        else resolve({ code: code ?? 1, stdout, stderr });
      });
    });
  } finally {
    unlisten();
  }
}
