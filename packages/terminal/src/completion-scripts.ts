// Each script asks the very program that is being typed, so it never lags behind it.
export type Shell = "bash" | "zsh" | "fish";

export const shells: readonly Shell[] = ["bash", "zsh", "fish"];

/** `program` names the functions; `names` are the commands that it is called by. */
export const scripts: Readonly<Record<Shell, (program: string, names: readonly string[]) => string>> = {
  bash: (program, names) => `# ${program} completion for bash
_${id(program)}_complete() {
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
complete -F _${id(program)}_complete ${names.join(" ")}
`,
  zsh: (program, names) => `#compdef ${names.join(" ")}
_${id(program)}_complete() {
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
if [[ "\${funcstack[1]}" == _${id(program)}* ]]; then
  _${id(program)}_complete "$@"
else
  compdef _${id(program)}_complete ${names.join(" ")}
fi
`,
  fish: (program, names) => `# ${program} completion for fish
function __${id(program)}_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    if test "$lines[1]" = ":files"
        __fish_complete_path "$typed"
    else
        string join \\n -- $lines
    end
end
${names.map((name) => `complete -c ${name} -f -a '(__${id(program)}_complete)'\n`).join("")}`,
};

/** Names of shell functions have no dashes. */
function id(program: string): string {
  return program.replaceAll("-", "_");
}
