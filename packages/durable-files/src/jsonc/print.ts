import { isArray, type JsonValue } from "./value.ts";

/** How this file is written, read off the text around the edit. */
export interface Style {
  /** Line break. */
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
  /** What stands between a key and its value, colon included. */
  readonly colon: string;
  /** What stands between a comma and the next member on the same line. */
  readonly separator: string;
  /** What stands inside the braces of an object on one line. */
  readonly padding: string;
}

/** Arrays that fit into this many columns stay on one line, as the formatters of the ecosystem do it. */
const LINE_WIDTH = 80;

/** Over several lines, as a file meant for people is; `indent` is that of the line the value starts on. */
export function printLines(value: JsonValue, style: Style, indent: string): string {
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

export function printInline(value: JsonValue, style: Style): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const comma = `,${style.separator}`;
  if (isArray(value)) return `[${value.map((item) => printInline(item, style)).join(comma)}]`;
  const parts = Object.keys(value).map((key) => JSON.stringify(key) + style.colon + printInline(value[key]!, style));
  return parts.length === 0 ? "{}" : `{${style.padding}${parts.join(comma)}${style.padding}}`;
}
