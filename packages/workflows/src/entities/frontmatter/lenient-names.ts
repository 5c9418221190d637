import { LARGEST_FRONTMATTER } from "./parse.ts";

/** A line with a name, and the line below it, where the name may stand instead. */
const NAME_LINE = /^[ \t{]*(?:name|"name"|'name')[ \t]*:(.*)(?:(?=\n(.*))|)/gm;
const MOST_NAMES = 8;
/** What YAML gives a meaning, and what is left of it in a name that is no YAML. */
const MARKS = new Set("[]{}\"'@*&%!|>,?#`- \t\r");

/**
 * What a reader who does not mind invalid YAML may take for the `name`: the text as it is written, and without the marks
 * around it.
 *
 * @example
 * lenientNames("---\nname: [deploy\n---\n"); // ["[deploy", "deploy"]
 */
export function lenientNames(head: string): string[] {
  const found = new Set<string>();
  for (const [, value = "", below = ""] of head.slice(0, LARGEST_FRONTMATTER).matchAll(NAME_LINE)) {
    const written = (withoutMarks(value) === "" ? below : value).trim();
    const comment = written.search(/\s#/);
    for (const text of comment === -1 ? [written] : [written, written.slice(0, comment)]) {
      found.add(text.trim()).add(withoutMarks(text));
    }
    if (found.size > MOST_NAMES) break;
  }
  found.delete("");
  return [...found].slice(0, MOST_NAMES);
}

function withoutMarks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && MARKS.has(text.charAt(start))) start += 1;
  while (start < end && MARKS.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
