// The program, in this process: same arguments, same exit code, and what it writes is kept.
import type { AgentAtKeyboard } from "@atomic/terminal/agent-at-keyboard";
import type { ExitCode, Interrupt } from "@atomic/terminal/exit-codes";
import type { Output } from "@atomic/terminal/process-output";
import type { Project } from "@atomic/testing/project";
import type { AtomicContext } from "../src/context.ts";
import { main } from "../src/main.ts";

export interface AtomicOptions {
  /** A terminal of this width; without it, a pipe. */
  readonly columns?: number;
  readonly colour?: boolean;
  /** From the project. */
  readonly cwd?: string;
  /** What the user types, line by line; without it, there is no terminal. */
  readonly typed?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly now?: () => number;
  /** Ctrl-C is pressed when this has been printed. */
  readonly stopAt?: RegExp;
  /** What has to be typed before `atomic`. */
  readonly runner?: string;
  /** Who runs it, if not a person. */
  readonly agent?: AgentAtKeyboard;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as one sees them in a terminal. */
  readonly output: string;
}

export async function atomic(
  project: Project,
  argv: readonly string[],
  surroundings: AtomicOptions = {},
): Promise<Ran> {
  const { context, written } = contextIn(project, surroundings, argv);
  const code = await main(argv, context);
  const of = (name: "stdout" | "stderr"): string =>
    written.flatMap(([to, text]) => (to === name ? [text] : [])).join("");
  return { code, stdout: of("stdout"), stderr: of("stderr"), output: written.map(([, text]) => text).join("") };
}

type Written = (readonly ["stdout" | "stderr", string])[];

export function contextIn(
  project: Project,
  { columns, colour = false, cwd = ".", typed, env = {}, now = Date.now, agent, stopAt, runner }: AtomicOptions = {},
  argv: readonly string[] = [],
): { readonly context: AtomicContext; readonly written: Written } {
  const written: Written = [];
  let press: (interrupt: Interrupt) => void = () => undefined;
  const output = (name: "stdout" | "stderr"): Output => ({
    isTTY: columns !== undefined,
    colour,
    runner,
    ...(columns !== undefined && { columns }),
    write: (text) => {
      written.push([name, text]);
      if (stopAt?.test(text)) press("SIGINT");
    },
    onResize: () => () => undefined,
  });
  const lines = [...(typed ?? [])];
  const context: AtomicContext = {
    cwd: project.path(cwd),
    home: project.home,
    env: { ...project.env, ...env },
    stdin: {
      isTTY: typed !== undefined,
      ask: async (prompt, to) => {
        to.write(prompt);
        return lines.shift();
      },
    },
    stdout: output("stdout"),
    stderr: output("stderr"),
    caller: { commandLine: ["atomic", ...argv], agent: () => agent },
    now,
    loaded: {},
    clock: { after: () => () => undefined },
    signals: {
      listen: (hear) => {
        press = hear;
        return () => undefined;
      },
    },
    fail: ({ exitCode }) => exitCode as ExitCode,
    onAbruptEnd: () => () => undefined,
    exit: () => undefined,
    redirectPrints: () => undefined,
  };
  return { context, written };
}
