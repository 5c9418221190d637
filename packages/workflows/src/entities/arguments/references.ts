/** A shell command or a file that a tool may run or read when it expands a body. We do neither. */
export interface Reference {
  readonly kind: "shell" | "file";
  /** The command or the path, without its marks. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * As OpenCode looks for shell, wherever it stands. It fills in the words of the user before: a placeholder between the
 * two marks is gone if there are none.
 */
const inline = /!(?:\$[\w$[\]]*)?`([^`]+)`/g;
/** Only Claude Code runs these. */
const block = /^[ \t]*```!([\s\S]*?)(?:^[ \t]*```|$(?![\s\S]))/gm;
const file = /(?<![\w`@])@(?:"([^"\n]+)"|([^\s`"',@][^\s`"',]*))/g;

/**
 * Everything in a body that one of the tools would execute or read: !`command`, a block that starts with three
 * backticks and `!`, and `@path`. Look at the body before it is expanded: what a user typed must never run.
 * They are in order and may lie in one another, since the tools look for each of them on its own.
 *
 * @example
 * findShellAndFileReferences("Status: !`git status`, rules: @docs/rules.md");
 */
export function findShellAndFileReferences(body: string): Reference[] {
  const commands = Array.from(body.matchAll(inline), shellIn);
  const blocks = Array.from(body.matchAll(block), shellIn);
  const files: Reference[] = [];
  let next = 0;
  for (const { 0: whole, 1: quoted, 2: bare = "", index: start } of body.matchAll(file)) {
    // What a command names is its own business: the output of it stands there when files are looked for.
    while ((commands[next]?.end ?? body.length) <= start) next += 1;
    if ((commands[next]?.start ?? body.length) < start) continue;
    if (quoted !== undefined) {
      files.push({ kind: "file", text: quoted, start, end: start + whole.length });
      continue;
    }
    // "see @docs/a.md." ends a sentence, not a path.
    let length = bare.length;
    while (length > 0 && ".,;:!?)]}>".includes(bare.charAt(length - 1))) length -= 1;
    files.push({ kind: "file", text: bare.slice(0, length), start, end: start + 1 + length });
  }
  return [...commands, ...blocks, ...files]
    .filter(({ text }) => text !== "")
    .sort((a, b) => a.start - b.start || b.end - a.end);
}

function shellIn(match: RegExpExecArray): Reference {
  const [whole, command = ""] = match;
  return { kind: "shell", text: command.trim(), start: match.index, end: match.index + whole.length };
}
