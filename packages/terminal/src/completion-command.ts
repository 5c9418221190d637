import type { ArgumentSpec, ChoiceSpec, Command } from "./command.ts";

type Shell = "bash" | "zsh" | "fish";

const shells: readonly Shell[] = ["bash", "zsh", "fish"];

type Arguments = { readonly shell: ArgumentSpec & { readonly count: "one" } };
type Options = { readonly as: ChoiceSpec };

/** `completion`, which every program has. `names` are all that the program is called by. */
export function completionCommand<Context>(program: string, names: readonly string[] = [program]): Command<Context> {
  const summary = "Complete only this command name, in case the other one belongs to a different program";
  const command: Command<Context, Arguments, Options, { readonly shell: Shell; readonly script: string }> = {
    name: "completion",
    summary: "Print a shell completion script",
    arguments: { shell: { summary: "bash, zsh or fish", count: "one", choices: shells } },
    // A program with one name has nothing to choose.
    options: names.length > 1 ? { as: { kind: "choice", value: "program", choices: names, summary } } : ({} as Options),
    examples: [
      { command: `${program} completion bash >> ~/.bashrc`, shows: "completion in every new bash session" },
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
      // Names of shell functions have no dashes.
      const id = program.replaceAll("-", "_");
      return { shell: named, script: scripts[named](program, id, as === undefined ? names : [as]) };
    },
    report: {
      text: ({ script }) => script,
      notes: () => "",
      json: ({ shell, script }) => ({ shell, script }),
      exitCode: () => 0,
    },
  };
  return command;
}

/**
 * Each script asks the very program that is being typed, so it is never out of date. `id` names the functions; `names` are the
 * commands that it is called by.
 */
const scripts: Readonly<Record<Shell, (program: string, id: string, names: readonly string[]) => string>> = {
  bash: (program, id, names) => `# ${program} completion for bash
_${id}_complete() {
  local IFS=$'\\n' line lines word="\${COMP_WORDS[COMP_CWORD]}"
  mapfile -t lines < <("$1" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  if [[ "\${lines[0]-}" == ":files" ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  fi
  for line in "\${lines[@]}"; do COMPREPLY+=("\${line%%$'\\t'*}"); done
}
complete -F _${id}_complete ${names.join(" ")}
`,
  zsh: (program, id, names) => `#compdef ${names.join(" ")}
_${id}_complete() {
  local -a lines candidates
  local line
  lines=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${lines[1]}" == ":files" ]]; then
    _files
    return
  fi
  for line in "\${lines[@]}"; do
    [[ -n "$line" ]] && candidates+=("\${line%%$'\\t'*}:\${line#*$'\\t'}")
  done
  _describe '${program}' candidates
}
if [[ "\${funcstack[1]}" == _${id}* ]]; then
  _${id}_complete "$@"
else
  compdef _${id}_complete ${names.join(" ")}
fi
`,
  fish: (program, id, names) => `# ${program} completion for fish
function __${id}_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    if test "$lines[1]" = ":files"
        __fish_complete_path "$typed"
    else
        string join \\n -- $lines
    end
end
${names.map((name) => `complete -c ${name} -f -a '(__${id}_complete)'\n`).join("")}`,
};
