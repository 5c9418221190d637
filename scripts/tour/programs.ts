// Runs the real programs where the reader can see them.

import type { ModelServer } from "@atomic/testing/model-server";
import type { OpencodeOutput } from "@atomic/testing/opencode";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { lastOutput } from "@atomic/testing/owned-process";
import type { Project } from "@atomic/testing/project";
import { isTerminal, typed, working, write } from "./output.ts";

export interface ShownProgram {
  readonly pid: number;
  /** Settles when it has ended and all its output has been shown. */
  readonly exited: Promise<number>;
}

/**
 * Starts a program in a terminal of its own, as large as this one, and shows what it prints. Ctrl-C does not reach the program: the
 * tour ends it together with the project.
 */
export function start(project: Project, argv: readonly string[]): ShownProgram {
  typed(`$ ${argv.map(quoted).join(" ")}`);
  working(`${argv[0]} …`);
  const decoder = new TextDecoder();
  const closed = Promise.withResolvers<void>();
  let received = 0;
  const look = isTerminal
    ? { TERM: process.env.TERM ?? "xterm-256color", COLORTERM: process.env.COLORTERM ?? "" }
    : { TERM: "dumb", NO_COLOR: "1" };
  const { columns: cols = 80, rows = 24 } = process.stdout;
  const child = Bun.spawn([...argv], {
    cwd: project.dir,
    env: { ...project.env, ...look, ...(process.env.NO_COLOR && { NO_COLOR: "1" }) },
    terminal: {
      cols,
      rows,
      data: (_, bytes) => {
        received += bytes.length;
        const text = decoder.decode(bytes, { stream: true });
        write(isTerminal ? text : text.replaceAll("\r\n", "\n"));
      },
      exit: () => closed.resolve(),
    },
  });
  const exited = child.exited.then(async (code) => {
    await lastOutput(() => received, closed.promise);
    return code;
  });
  return { pid: child.pid, exited };
}

/** Runs a program to its end, which has to be a good one. */
export async function run(project: Project, ...argv: string[]): Promise<void> {
  const code = await start(project, argv).exited;
  if (code !== 0) throw new Error(`${argv.join(" ")} exited with ${code}.`);
}

export interface Command {
  readonly name: string;
  readonly words?: string;
  readonly session?: string;
}

/**
 * Types a command into OpenCode and shows what happens until the agents' turn ends. Returns the session.
 *
 * @param linesOf What is shown of each event.
 */
export async function typeCommand(
  project: Project,
  model: ModelServer,
  { name, words = "", session }: Command,
  linesOf: (event: OpencodeOutput) => string,
): Promise<string> {
  typed(`> /${name} ${words}`.trimEnd());
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model));
  await project.skipPluginInstall();
  const resumed = session === undefined ? [] : ["--session", session];
  const argv = [opencodeBinary, "run", "--format", "json", "--command", name, ...resumed];
  const owned = await project.start(argv, { stdin: words });
  let read = 0;
  let found = session;
  const show = (): void => {
    const end = owned.stdout.lastIndexOf("\n") + 1;
    for (const line of owned.stdout.slice(read, end).split("\n")) {
      if (!line.startsWith("{")) continue;
      const event = JSON.parse(line) as OpencodeOutput;
      found ??= event.sessionID;
      write(linesOf(event));
      working("the agents are working …");
    }
    read = end;
  };
  working("OpenCode starts …");
  const showing = setInterval(show, 50);
  const { code } = await owned.exited.finally(() => clearInterval(showing));
  show();
  write("");
  if (code !== 0 || found === undefined) throw new Error(`/${name} failed with ${code}:\n${owned.stderr}`);
  return found;
}

function quoted(word: string): string {
  return /^[\w@./:=-]+$/.test(word) ? word : JSON.stringify(word);
}
