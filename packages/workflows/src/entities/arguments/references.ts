/** A shell command or file that a tool may run or read when it expands a body. We do neither. */
export interface Reference {
  readonly kind: "shell" | "file";
  /** The command or the path, without its marks. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** OpenCode runs these anywhere in the body. */
const inline = /!`([^`]+)`/g;
/** It first fills in the user's words, so a placeholder between the two marks disappears if there are none. */
const behindPlaceholder = /!\$[\w$[\]]*`([^`]+)`/g;
/** Only Claude Code runs these. */
const block = /^[ \t]*```!([\s\S]*?)(?:^[ \t]*```|$(?![\s\S]))/gm;
const file = /(?<![\w`@])@(?:"([^"\n]+)"|([^\s`"',@][^\s`"',]*))/g;

/**
 * Everything in a body that a tool would run or read: !`command`, a block that starts with three backticks and `!`, and
 * `@path`. Pass the body before it is expanded: what you type must never run. The references are in order and may
 * contain each other, since the tools look for each kind separately.
 *
 * @example
 * findShellAndFileReferences("Status: !`git status`, rules: @docs/rules.md");
 */
export function findShellAndFileReferences(body: string): Reference[] {
  const [plain = [], filled = [], blocks = []] = [inline, behindPlaceholder, block].map((pattern) =>
    Array.from(body.matchAll(pattern), ({ 0: whole, 1: command = "", index: start }): Reference => {
      return { kind: "shell", text: command.trim(), start, end: start + whole.length };
    }),
  );
  const commands = [...plain, ...filled].sort((a, b) => a.start - b.start);
  const files: Reference[] = [];
  let next = 0;
  for (const { 0: whole, 1: quoted, 2: bare = "", index: start } of body.matchAll(file)) {
    // A file named inside a command does not count: tools replace the command with its output before they look for files.
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
