// Interactive shells that complete what is typed: what they make of a program's completion script.
import { symlinkSync } from "node:fs";
import type { Project } from "./project.ts";
import { type Terminal, terminal } from "./terminal.ts";

export type ShellName = "bash" | "zsh" | "fish";

interface Shell {
  readonly command: readonly string[];
  /** Loads the completion that the program prints. */
  readonly load: (program: string) => string;
}

const shells: Readonly<Record<ShellName, Shell>> = {
  bash: {
    command: ["bash", "--norc", "--noprofile", "-i"],
    load: (program) => `source <(${program} completion bash)`,
  },
  zsh: {
    command: ["zsh", "-f", "-i"],
    load: (program) => `autoload -U compinit && compinit -u && source <(${program} completion zsh)`,
  },
  fish: {
    // Without its suggestions, which show what was typed before as if Tab had completed it.
    command: ["fish", "--no-config", "-i", "-C", "set -g fish_autosuggestion_enabled 0"],
    load: (program) => `${program} completion fish | source`,
  },
};

export const shellNames: readonly ShellName[] = ["bash", "zsh", "fish"];

/** Reports a shell that is not installed, so that a skipped test is not mistaken for one that passed. */
export function isInstalled(shell: ShellName): boolean {
  const isHere = Bun.which(shell) !== null;
  if (!isHere) console.log(`${shell} is not installed: its completion is not tried.`);
  return isHere;
}

/**
 * A shell in the project's folder that has loaded the program's completion.
 *
 * @param bins The script of each name that the program is called by; the first one is that of the program.
 */
export async function completingShell(
  shell: ShellName,
  project: Project,
  bins: Readonly<Record<string, string>>,
): Promise<Terminal> {
  await project.write("bin/.keep", "");
  for (const [name, script] of Object.entries(bins)) symlinkSync(script, project.path(`bin/${name}`));
  const env = { ...project.env, PATH: `${project.path("bin")}:${process.env.PATH}`, PS1: "ready> " };
  const { command, load } = shells[shell];
  const term = await terminal(command, { cwd: project.dir, env, cols: 100 });
  try {
    term.type(`${load(Object.keys(bins)[0] ?? "")} && echo loa""ded\r`);
    await term.waitFor(/^loaded$/m, { deadline: 20_000 });
    return term;
  } catch (error) {
    await term[Symbol.asyncDispose]();
    throw error;
  }
}

/** Types the words and Tab, and waits until the line that is being typed ends with what is expected. Then the line is empty again. */
export async function completes(term: Terminal, typed: string, expected: string): Promise<void> {
  term.type(`${typed}\t`);
  const line = (): string => (term.screen().findLast((row) => row.trim() !== "") ?? "").trimEnd();
  await term.waitFor(() => line().endsWith(expected), { deadline: 20_000 });
  term.press("ctrl+u");
  await term.waitFor(() => !line().endsWith(expected), { deadline: 20_000 });
}
