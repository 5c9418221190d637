// Other programs: one that gets the whole terminal, and one whose output is read.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { Interrupted } from "@atomic/terminal/console";
import type { Interrupt } from "@atomic/terminal/exit-codes";
import { Refusal } from "@atomic/terminal/refusal";
import type { AtomicContext } from "./context.ts";

/** A system has a limit for what a program is started with; on Linux it is 128 KiB for each argument. */
export function begun<Child>(begin: () => Child): Child {
  try {
    return begin();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "E2BIG") throw error;
    const message = "This is too long to be handed to another program";
    throw new Refusal("text-too-long", { message, hint: "Save it in a file, and enter a text that names the file." });
  }
}

type Ending = { readonly code: number } | { readonly missing: string };

/** Until it ends. Ctrl-C reaches it as well as us, and is its own matter. */
export async function runInForeground(
  { signals, cwd, env }: Pick<AtomicContext, "signals" | "cwd" | "env">,
  [program = "", ...words]: readonly string[],
): Promise<Ending> {
  let child: ChildProcess | undefined;
  let ended: Interrupt | undefined;
  const unlisten = signals.listen((interrupt) => {
    if (interrupt === "SIGINT") return;
    ended = interrupt;
    child?.kill(interrupt);
  });
  try {
    const ending = await new Promise<Ending>((resolve, reject) => {
      child = begun(() => spawn(program, words, { cwd, env: { ...env }, stdio: "inherit" }));
      child.once("error", (error: NodeJS.ErrnoException) =>
        error.code === "ENOENT" || error.code === "EACCES" ? resolve({ missing: program }) : reject(error),
      );
      child.once("exit", (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal ?? "SIGTERM"] }));
    });
    if (ended !== undefined) throw new Interrupted(ended);
    return ending;
  } finally {
    unlisten();
  }
}

/** What a program prints, for example a list of models. */
export async function outputOf(
  { cwd, env }: Pick<AtomicContext, "cwd" | "env">,
  [program = "", ...words]: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string } | { readonly missing: string }> {
  return await new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env: { ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" || error.code === "EACCES" ? resolve({ missing: program }) : reject(error),
    );
    child.once("close", (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}
