// Only markup from our own source is HTML; everything else is escaped text.
import { safeLine } from "@atomic/terminal/safe-text";

export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

export type Content = string | number | Markup | readonly Content[];

/**
 * @example
 * markup`<p>${text}</p>`; // the text is escaped, also inside a quoted attribute
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...values.map(htmlOf)));
}

export const nothing: Markup = new Markup("");

function htmlOf(value: Content): string {
  if (value instanceof Markup) return value.html;
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return value.map(htmlOf).join("");
  // Characters that hide text or turn its direction become visible, as they do on a terminal.
  return safeLine(value).replace(/[&<>"']/g, (character) => entities[character]!);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
