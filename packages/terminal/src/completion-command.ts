import type { ArgumentSpec, ChoiceSpec, Command } from "./command.ts";
import { type Shell, scripts, shells } from "./completion-scripts.ts";

interface Completion {
  readonly shell: Shell;
  readonly script: string;
}

type Arguments = { readonly shell: ArgumentSpec & { readonly count: "one" } };
type Options = { readonly as: ChoiceSpec };

/** `completion`, which every program has. `names` are all that the program is called by. */
export function completionCommand<Context>(
  program: string,
  names: readonly string[] = [program],
): Command<Context, Arguments, Options, Completion> {
  return {
    name: "completion",
    summary: "Print a shell completion script",
    arguments: { shell: { summary: "bash, zsh or fish", count: "one", choices: shells } },
    // A program with one name has nothing to choose.
    options: names.length > 1 ? { as: nameOption(names) } : ({} as Options),
    examples: [
      { command: `${program} completion bash >> ~/.bashrc`, shows: "completion in every new bash" },
      {
        command: `${program} completion zsh > ~/.zfunc/_${program}`,
        shows: "completion in zsh, if ~/.zfunc is in its fpath",
      },
      {
        command: `${program} completion fish > ~/.config/fish/completions/${program}.fish`,
        shows: "completion in fish",
      },
    ],
    run: async (_, { shell, as }) => {
      const named = shell as Shell;
      return { shell: named, script: scripts[named](program, as === undefined ? names : [as]) };
    },
    report: {
      text: ({ script }) => script,
      notes: () => "",
      json: ({ shell, script }) => ({ shell, script }),
      exitCode: () => 0,
    },
  };
}

function nameOption(choices: readonly string[]): ChoiceSpec {
  const summary = "Complete only this name, if the other name is a different program";
  return { kind: "choice", value: "program", choices, summary };
}
