import { userInfo } from "node:os";
import { type Caller, callerOf } from "@atomic/terminal/agent-at-keyboard";
import type { Page } from "@atomic/terminal/page";

interface Output extends Page {
  write(text: string): void;
}

/** All that a command may know of the world outside of its arguments. */
export interface Context {
  readonly cwd: string;
  /** Under whose name acts are recorded. */
  readonly user: string;
  readonly caller: Caller;
  readonly stdout: Output;
  readonly stderr: Output;
  now(): number;
}

export function contextOf(program: NodeJS.Process): Context {
  const { env } = program;
  return {
    cwd: program.cwd(),
    user: userInfo().username,
    caller: callerOf("magnus-opus"),
    stdout: outputTo(program.stdout, env),
    stderr: outputTo(program.stderr, env),
    now: () => Date.now(),
  };
}

/** Some terminals say that they have no columns at all. */
const usualColumns = 80;

function outputTo(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  const write = (text: string): void => void stream.write(text);
  if (stream.isTTY !== true) return { colour: false, write };
  return { colour: !env.NO_COLOR && env.TERM !== "dumb", columns: stream.columns || usualColumns, write };
}
