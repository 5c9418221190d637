const LONGEST = 100;

/** What Claude Code shows of a file without a description: its first line, without the marks of a heading. */
export function firstLine(body: string): string {
  const line = /\S.*/.exec(body)?.[0].trimEnd() ?? "";
  const text = line.replace(/^#+\s+(?=\S)/, "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}
