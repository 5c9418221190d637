/** What went wrong and what next, as sentences: messages and hints are written without their ends. */
export function sentences(...parts: readonly (string | undefined)[]): string {
  const said = parts.filter((part) => part !== undefined && part !== "") as readonly string[];
  return said
    .map((part, at) => (at === said.length - 1 || /[.!?]$/.test(part) ? begun(part) : `${begun(part)}.`))
    .join(" ");
}

/** A plain word begins with a capital; the name of a run, a file or a command stays as it is. */
function begun(part: string): string {
  return /^[a-z]+ /.test(part) ? part.charAt(0).toUpperCase() + part.slice(1) : part;
}
