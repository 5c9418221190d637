import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A test or a bench by its file and titles, from the outermost `describe` to the test. */
export interface NamedTest {
  readonly file: string;
  readonly titles: readonly string[];
}

/** Why the test proves nothing: it is missing, or skipped. Undefined if it runs. */
export function problemWith(root: string, { file, titles }: NamedTest): string | undefined {
  const path = join(root, file);
  if (!existsSync(path) || !isRun(root, path)) return `${file} is not a test`;
  const text = readFileSync(path, "utf8");
  let at = 0;
  for (const title of titles) {
    const found = titleFrom(text, title, at);
    if (found === undefined) return `${file} has no "${title}"`;
    if (found.isSkipped) return `${file} skips "${title}"`;
    at = found.end;
  }
  return undefined;
}

/** A test, a bench, or a suite that tests beside it run for every implementation. */
function isRun(root: string, path: string): boolean {
  if (path.endsWith(".test.ts") || dirname(path) === join(root, "bench")) return true;
  const beside = readdirSync(dirname(path)).filter((name) => name.endsWith(".test.ts"));
  return beside.some((name) => readFileSync(join(dirname(path), name), "utf8").includes(`"./${basename(path)}"`));
}

/** A title is the first argument of `test`, `describe` or one of their `each`, or what a bench calls a group. */
function titleFrom(text: string, title: string, from: number): { end: number; isSkipped: boolean } | undefined {
  const quoted = title.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const pattern = new RegExp(`(?:[(,]\\s*|title: )(["'\`])${quoted}\\1`, "g");
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const line = text.slice(text.lastIndexOf("\n", match.index) + 1, match.index);
  return { end: pattern.lastIndex, isSkipped: /\.(?:skip|todo)\b/.test(line) };
}
