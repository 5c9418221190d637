// Reads off the text how its author lays things out, so that what we add looks like what is there.
import { gapBefore } from "./gap.ts";
import type { Style } from "./print.ts";
import { CR, LF, SPACE, TAB } from "./scan.ts";
import { type ContainerNode, type JsonNode, members, memberValue } from "./tree.ts";

/** The style around the innermost container of `chain`, which leads there from the root. */
export function styleIn(text: string, chain: readonly ContainerNode[]): Style {
  const container = chain.at(-1);
  const colon = nearestColon(text, chain);
  const separator = (container && separatorIn(text, container)) ?? (/\s$/.test(colon) ? " " : "");
  const padding = (container && paddingIn(text, container)) ?? (separator === "" ? "" : " ");
  return {
    eol: eolNear(text, container ? container.end - 1 : 0),
    unit: nearestUnit(text, chain),
    colon,
    separator,
    padding,
  };
}

/** The line break before the offset, else the one after it, else LF. */
function eolNear(text: string, offset: number): string {
  let at = offset - 1;
  while (at >= 0 && !isBreak(text, at)) at--;
  if (at < 0) for (at = offset; at < text.length && !isBreak(text, at); ) at++;
  if (at === text.length) return "\n";
  if (text[at] === "\n") return text[at - 1] === "\r" ? "\r\n" : "\n";
  return text[at + 1] === "\n" ? "\r\n" : "\r";
}

/** The blanks at the start of the line that holds the offset. */
export function indentOf(text: string, offset: number): string {
  const start = lineStart(text, offset);
  let end = start;
  while (end < offset && isBlank(text, end)) end++;
  return text.slice(start, end);
}

/** Indentation for a new member next to member `index`, or for the first one of an empty container. */
export function memberIndent(text: string, container: ContainerNode, index: number, unit: string): string {
  const member = members(container)[index];
  if (member && lineStart(text, member.start) > container.start) return indentOf(text, member.start);
  return indentOf(text, container.start) + unit;
}

/** The value, with its key if it has one, begins a line; the root counts as such. */
export function hasOwnLine(text: string, parent: ContainerNode | undefined, value: JsonNode): boolean {
  const member = parent && members(parent).find(({ end }) => end === value.end);
  return !member || startsLine(text, member.start);
}

function startsLine(text: string, offset: number): boolean {
  return lineStart(text, offset) + indentOf(text, offset).length === offset;
}

function nearestUnit(text: string, chain: readonly ContainerNode[]): string {
  for (const container of chain.toReversed()) {
    const unit = unitIn(text, container);
    if (unit !== undefined) return unit;
  }
  return (chain[0] && firstUnit(text, chain[0])) ?? "  ";
}

function firstUnit(text: string, node: JsonNode): string | undefined {
  const unit = node.kind === "object" || node.kind === "array" ? unitIn(text, node) : undefined;
  if (unit !== undefined) return unit;
  for (const member of members(node)) {
    const inner = firstUnit(text, memberValue(member));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function unitIn(text: string, container: ContainerNode): string | undefined {
  const first = members(container)[0];
  // Looking at the gap first keeps the search linear in a file that is one long line.
  if (!first || !gapBefore(text, container, 0).firstEol || !startsLine(text, first.start)) return undefined;
  const outer = indentOf(text, container.start);
  const inner = indentOf(text, first.start);
  return inner.length > outer.length && inner.startsWith(outer) ? inner.slice(outer.length) : undefined;
}

function nearestColon(text: string, chain: readonly ContainerNode[]): string {
  for (const container of chain.toReversed()) {
    for (const member of container.kind === "object" ? container.properties.toReversed() : []) {
      const colon = text.slice(member.key.end, member.value.start);
      if (/^[ \t]*:[ \t]*$/.test(colon)) return colon;
    }
  }
  return ": ";
}

/** Blanks after the last comma of the container that has a member behind it on its line. */
function separatorIn(text: string, container: ContainerNode): string | undefined {
  const count = members(container).length;
  if (count < 2) return undefined;
  const { comma, firstEol, end } = gapBefore(text, container, count - 1);
  const blanks = text.slice(comma!.end, end);
  return firstEol || /[^ \t]/.test(blanks) ? undefined : blanks;
}

function paddingIn(text: string, container: ContainerNode): string | undefined {
  if (container.kind !== "object" || container.properties.length === 0) return undefined;
  const { start, end } = gapBefore(text, container, 0);
  const blanks = text.slice(start, end);
  return /[^ \t]/.test(blanks) ? undefined : blanks;
}

function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && !isBreak(text, start - 1)) start--;
  return start === 0 && text.startsWith("\ufeff") ? 1 : start;
}

function isBreak(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code === LF || code === CR;
}

function isBlank(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code === SPACE || code === TAB;
}
