import { didYouMean } from "@atomic/terminal/suggest";
import { UsageError } from "@atomic/terminal/usage-error";
import { type Shell, scripts } from "../cli/completion-scripts.ts";
import { seeHelp } from "../cli/see-help.ts";
import type { ArgumentSpec, Operation, OptionSpec } from "../operation.ts";

export const shells: readonly Shell[] = ["bash", "zsh", "fish"];
const programs: readonly string[] = ["hugo", "hugo-pm"];

interface Completion {
  readonly shell: Shell;
  readonly script: string;
}

type Arguments = { readonly shell: ArgumentSpec & { readonly count: "one" } };
type Options = { readonly as: OptionSpec & { readonly kind: "choice" } };

export const completion: Operation<Arguments, Options, Completion> = {
  name: "completion",
  summary: "Print what makes a shell complete commands and names",
  arguments: { shell: { summary: "bash, zsh or fish", count: "one" } },
  options: {
    as: {
      kind: "choice",
      value: "program",
      choices: programs,
      summary: "Complete this name only, where the other one is another program",
    },
  },
  examples: [
    { command: "hugo completion bash >> ~/.bashrc", shows: "completes in every bash from now on" },
    { command: "hugo completion zsh > ~/.zfunc/_hugo", shows: "completes in zsh, if ~/.zfunc is in its fpath" },
    { command: "hugo completion fish > ~/.config/fish/completions/hugo.fish", shows: "completes in fish" },
  ],
  mutates: false,
  run: async (_, { shell, as }) => {
    if (!isShell(shell)) {
      const [best] = didYouMean(shell, shells);
      const meant = best === undefined ? "" : ` (did you mean ${best}?)`;
      throw new UsageError(`"${shell}" is none of ${shells.join(", ")}${meant}`, seeHelp("completion"));
    }
    return { shell, script: scripts[shell](as === undefined ? programs : [as]) };
  },
  report: {
    text: ({ script }) => script,
    notes: () => "",
    json: ({ shell, script }) => ({ shell, script }),
    exitCode: () => 0,
  },
};

function isShell(word: string): word is Shell {
  return Object.hasOwn(scripts, word);
}
