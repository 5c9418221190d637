/** A shell command or a file that a tool may run or read when it expands a body. We do neither. */
export interface Reference {
  readonly kind: "shell" | "file";
  /** The command or the path, without its marks. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const reference = new RegExp(
  [
    /!`(?<inline>[^`]+)`/,
    /^[ \t]*```!(?<block>[\s\S]*?)(?:^[ \t]*```|$(?![\s\S]))/,
    /(?<![\w`@])@(?:"(?<quoted>[^"\n]+)"|(?<bare>[^\s`"',@][^\s`"',]*))/,
  ]
    .map((part) => part.source)
    .join("|"),
  "gm",
);

/**
 * Everything in a body that one of the tools would execute or read: !`command`, a block that starts with three
 * backticks and `!`, and `@path`. Look at the body before it is expanded: what a user typed must never run.
 *
 * @example
 * findShellAndFileReferences("Status: !`git status`, rules: @docs/rules.md");
 */
export function findShellAndFileReferences(body: string): Reference[] {
  return Array.from(body.matchAll(reference), (match): Reference => {
    const { inline, block, quoted, bare } = match.groups ?? {};
    const span = { start: match.index, end: match.index + match[0].length };
    const command = inline ?? block;
    if (command !== undefined) return { kind: "shell", text: command.trim(), ...span };
    if (bare === undefined) return { kind: "file", text: quoted ?? "", ...span };
    const path = withoutPunctuation(bare);
    return { kind: "file", text: path, start: span.start, end: span.start + 1 + path.length };
  }).filter(({ text }) => text !== "");
}

/** "see @docs/a.md." ends a sentence, not a path. */
function withoutPunctuation(path: string): string {
  let end = path.length;
  while (end > 0 && ".,;:!?)]}>".includes(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}
