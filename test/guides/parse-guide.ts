// A guide as steps: files to write, commands to type, and what happens elsewhere in the meantime.

export type Step =
  | { readonly kind: "file"; readonly line: number; readonly path: string; readonly text: string }
  | { readonly kind: "command"; readonly line: number; readonly typed: string; readonly shown: string }
  /** What happens out of the reader's sight: a package is published, or a repository cloned. */
  | { readonly kind: "meanwhile"; readonly line: number; readonly what: string };

const FENCE = /^```(\S*) ?(.*)$/;
const MEANWHILE = /^<!-- meanwhile: (.+) -->$/;

/**
 * The steps in the order of the text. A fenced block is a session (` ```console `) or a file (` ```md path/of/it.md `), and
 * nothing else, so everything shown is also tried.
 */
export function parseGuide(text: string): Step[] {
  const lines = text.split("\n");
  const steps: Step[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const what = MEANWHILE.exec(lines[at] ?? "")?.[1];
    if (what !== undefined) steps.push({ kind: "meanwhile", line: at + 1, what });
    const fence = FENCE.exec(lines[at] ?? "");
    if (fence === null) continue;
    const [, language, path = ""] = fence;
    const end = lines.indexOf("```", at + 1);
    if (end === -1) throw new Error(`The fence of line ${at + 1} is never closed.`);
    const content = lines.slice(at + 1, end);
    if (language === "console") steps.push(...commandsOf(content, at + 2));
    else if (path !== "") steps.push({ kind: "file", line: at + 1, path, text: `${content.join("\n")}\n` });
    else throw new Error(`The block of line ${at + 1} is neither a session nor a file with its path.`);
    at = end;
  }
  return steps;
}

function commandsOf(content: readonly string[], first: number): Step[] {
  const starts = content.flatMap((line, at) => (line.startsWith("$ ") ? [at] : []));
  if (starts[0] !== 0) throw new Error(`The session of line ${first} does not begin with a command.`);
  return starts.map((start, index) => ({
    kind: "command",
    line: first + start,
    typed: content[start]!.slice(2),
    shown: content
      .slice(start + 1, starts[index + 1] ?? content.length)
      .join("\n")
      .trimEnd(),
  }));
}

/** The text with what was actually shown, after a deliberate change to a guide or a message. */
export function withShown(text: string, really: ReadonlyMap<number, string>): string {
  const lines = text.split("\n");
  for (const [line, shown] of [...really].toSorted(([a], [b]) => b - a)) {
    let end = line;
    while (!/^(?:\$ |```$)/.test(lines[end] ?? "```")) end += 1;
    const gap = lines[end]?.startsWith("$ ") ? [""] : [];
    lines.splice(line, end - line, ...(shown === "" ? [] : shown.split("\n")), ...gap);
  }
  return lines.join("\n");
}
