// Each script asks the very program that is being typed, so that it never lags behind it.
export type Shell = "bash" | "zsh" | "fish";

export const scripts: Readonly<Record<Shell, (programs: readonly string[]) => string>> = {
  bash: (programs) => `# hugo completion for bash
_hugo_complete() {
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
complete -F _hugo_complete ${programs.join(" ")}
`,
  zsh: (programs) => `#compdef ${programs.join(" ")}
_hugo_complete() {
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
  _describe 'hugo' candidates
}
if [[ "\${funcstack[1]}" == _hugo* ]]; then
  _hugo_complete "$@"
else
  compdef _hugo_complete ${programs.join(" ")}
fi
`,
  fish: (programs) => `# hugo completion for fish
function __hugo_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    if test "$lines[1]" = ":files"
        __fish_complete_path "$typed"
    else
        string join \\n -- $lines
    end
end
${programs.map((program) => `complete -c ${program} -f -a '(__hugo_complete)'\n`).join("")}`,
};
