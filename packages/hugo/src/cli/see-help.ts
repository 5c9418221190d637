/** Where to read on about a command line that is wrong. */
export function seeHelp(command?: string): { readonly hint: string } {
  return { hint: `Run \`hugo ${command === undefined ? "" : `${command} `}--help\` for usage.` };
}
