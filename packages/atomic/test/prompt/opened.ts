// The prompt line of the real program, opened in a real terminal.
import type { Project } from "@atomic/testing/project";
import { type Terminal, type TerminalOptions, terminal } from "@atomic/testing/terminal";
import { runtimes } from "../program.ts";
import { projectWith } from "../runs/begun.ts";

export const longWait = { deadline: 60_000 };
export const both = runtimes.filter(({ name }) => name === "Node" || name === "Bun");
export const [node] = both;

export const files = {
  ".claude/commands/ship.md":
    "---\ndescription: Ships a version to the registry, after all checks\nargument-hint: <version> [--dry-run]\n---\nShip $1\n",
  ".claude/commands/日本.md": "---\ndescription: 日本語の説明\n---\nHello\n",
};

const asking = `{ name: "asking", description: "Asks and says" }, (graph) => graph
  .start(toolNode({ id: "build", run: () => "built" }))
  .wait(waitNode({ id: "approval", prompt: "Publish 1.4.0?" }))
  .then(toolNode({ id: "say", run: ({ outputs }) => \`said \${outputs.approval}\` }))`;

export const sampled = async (): Promise<Project> => await projectWith({ asking }, files);

export async function opened(
  project: Project,
  command: readonly string[] = node?.command ?? [],
  options: TerminalOptions = {},
): Promise<Terminal> {
  const { env = {} } = options;
  const term = await terminal([...command], {
    cols: 80,
    rows: 24,
    cwd: project.dir,
    ...options,
    env: { ...project.env, TERM_PROGRAM: "vscode", ...env },
  });
  return term;
}

/** Without the empty lines at the end. */
export function screen(term: Terminal): string[] {
  const lines = term.screen();
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

/** The catalog is there as soon as one of the project's entities is suggested. */
export async function ready(term: Terminal): Promise<void> {
  await term.waitFor("Type a task", longWait);
  term.type("/ship");
  await term.waitFor(/^> \/ship +\S/m, longWait);
  term.press("ctrl+u");
  await term.waitFor("Type a task", longWait);
}

/** The program that another one runs in the foreground. */
export async function childOf(pid: number): Promise<number> {
  const text = await Bun.file(`/proc/${pid}/task/${pid}/children`).text();
  return Number(text.trim().split(" ").at(-1));
}
