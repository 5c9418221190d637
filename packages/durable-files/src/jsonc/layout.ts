// Reads off the text how its author lays things out, and prints values that way, so additions look like the rest of the file.
import { gapBefore } from "./gap.ts";
import { type ContainerNode, type JsonNode, members, memberValue } from "./tree.ts";
import { isArray, type JsonValue } from "./value.ts";

/** How this file is written, read off the text around the edit. */
export interface JsonStyle {
  /** Line break. */
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  /** What is between a key and its value, colon included. */
  readonly colon: string;
  /** What is between a comma and the next member on the same line. */
  readonly separator: string;
  /** What is inside the braces of an object on one line. */
  readonly padding: string;
}

/** Arrays that fit into this many columns stay on one line, as the formatters of the ecosystem do it. */
const LINE_WIDTH = 80;

const BREAKS = "\n\r";

/** Over several lines, as a file meant for people is; `indent` is that of the line the value starts on. */
export function printLines(value: JsonValue, style: JsonStyle, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inline = printInline(value, style);
  if (inline.length <= 2 || (isArray(value) && indent.length + inline.length <= LINE_WIDTH)) return inline;
  const inner = indent + style.unit;
  const lines = isArray(value)
    ? value.map((item) => inner + printLines(item, style, inner))
    : Object.keys(value).map(
        (key) => inner + JSON.stringify(key) + style.colon + printLines(value[key]!, style, inner),
      );
  const [open, close] = isArray(value) ? "[]" : "{}";
  return [open, lines.join(`,${style.eol}`), indent + close].join(style.eol);
}

export function printInline(value: JsonValue, style: JsonStyle): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const comma = `,${style.separator}`;
  if (isArray(value)) return `[${value.map((item) => printInline(item, style)).join(comma)}]`;
  const parts = Object.keys(value).map((key) => JSON.stringify(key) + style.colon + printInline(value[key]!, style));
  return parts.length === 0 ? "{}" : `{${style.padding}${parts.join(comma)}${style.padding}}`;
}

/** The style around the innermost container of `chain`, which leads there from the root. */
export function styleIn(text: string, chain: readonly ContainerNode[]): JsonStyle {
  const container = chain.at(-1);
  const inwards = chain.toReversed();
  const colon =
    inwards
      .flatMap((each) => (each.kind === "object" ? each.properties.toReversed() : []))
      .map(({ key, value }) => text.slice(key.end, value.start))
      .find((between) => /^[ \t]*:[ \t]*$/.test(between)) ?? ": ";
  // The blanks after the last comma of the container that has a member behind it on its line.
  let separator = /\s$/.test(colon) ? " " : "";
  const count = container ? members(container).length : 0;
  if (container && count > 1) {
    const { comma, firstEol, end } = gapBefore(text, container, count - 1);
    const blanks = text.slice(comma!.end, end);
    if (!firstEol && !/[^ \t]/.test(blanks)) separator = blanks;
  }
  let padding = separator === "" ? "" : " ";
  if (container?.kind === "object" && count > 0) {
    const { start, end } = gapBefore(text, container, 0);
    const blanks = text.slice(start, end);
    if (!/[^ \t]/.test(blanks)) padding = blanks;
  }
  let unit: string | undefined;
  for (const each of inwards) unit ??= unitIn(text, each);
  unit ??= (chain[0] && firstUnit(text, chain[0])) ?? "  ";
  // The line break before the container's end, else the one after it, else LF.
  const inside = container ? container.end - 1 : 0;
  let at = inside - 1;
  while (at >= 0 && !BREAKS.includes(text[at]!)) at--;
  if (at < 0) for (at = inside; at < text.length && !BREAKS.includes(text[at]!); ) at++;
  let eol = "\n";
  if (text[at] === "\r") eol = text[at + 1] === "\n" ? "\r\n" : "\r";
  else if (at > 0 && text[at] === "\n" && text[at - 1] === "\r") eol = "\r\n";
  return { eol, unit, colon, separator, padding };
}

/** The blanks at the start of the line that holds the offset. */
export function indentOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(lineBefore(text, offset))![0];
}

/** The value, with its key if it has one, begins a line; the root counts as such. */
export function hasOwnLine(text: string, parent: ContainerNode | undefined, value: JsonNode): boolean {
  const member = parent && members(parent).find(({ end }) => end === value.end);
  return !member || /^[ \t]*$/.test(lineBefore(text, member.start));
}

/** The first indentation in a tree, for containers that have none themselves. */
function firstUnit(text: string, node: JsonNode): string | undefined {
  let unit = node.kind === "object" || node.kind === "array" ? unitIn(text, node) : undefined;
  for (const member of members(node)) unit ??= firstUnit(text, memberValue(member));
  return unit;
}

function unitIn(text: string, container: ContainerNode): string | undefined {
  const first = members(container)[0];
  // Looking at the gap first keeps the search linear in a file that is one long line.
  if (!first || !gapBefore(text, container, 0).firstEol) return undefined;
  const inner = lineBefore(text, first.start);
  if (/[^ \t]/.test(inner)) return undefined;
  const outer = indentOf(text, container.start);
  return inner.length > outer.length && inner.startsWith(outer) ? inner.slice(outer.length) : undefined;
}

/** The offset's line up to the offset, without a byte order mark. */
function lineBefore(text: string, offset: number): string {
  let start = offset;
  while (start > 0 && !BREAKS.includes(text[start - 1]!)) start--;
  return text.slice(start === 0 && text.startsWith("\ufeff") ? 1 : start, offset);
}
