import { homedir } from "node:os";
import type { Page } from "@atomic/workflows/terminal/page";
import { UsageError } from "./usage-error.ts";

export interface Output extends Page {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** All that a command may know of the world outside of its arguments. */
export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

export type ContextProcess = Pick<NodeJS.Process, "env" | "cwd" | "stdout" | "stderr">;

export function contextOf({ env, cwd, stdout, stderr }: ContextProcess): Context {
  return {
    // Looked up when somebody asks, because the folder may be gone, and help needs none.
    get cwd() {
      return currentFolder(cwd);
    },
    home: homedir(),
    env,
    stdout: outputTo(stdout, env),
    stderr: outputTo(stderr, env),
  };
}

function currentFolder(cwd: () => string): string {
  try {
    return cwd();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new UsageError("the current folder does not exist any more", { hint: "Change to one that does." });
  }
}

/** Some terminals say that they have no columns at all. */
const usualColumns = 80;

function outputTo(stream: NodeJS.WriteStream, env: Context["env"]): Output {
  const isTTY = stream.isTTY === true;
  return {
    isTTY,
    colour: isTTY && !env.NO_COLOR && env.TERM !== "dumb",
    ...(isTTY && { columns: stream.columns || usualColumns }),
    write: (text) => void stream.write(text),
  };
}
