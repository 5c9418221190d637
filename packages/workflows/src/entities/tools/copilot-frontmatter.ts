import { CONTROL_CHARACTERS, NO_VALUES, readYamlBlock, type Values } from "./yaml-block.ts";

export interface CopilotFrontmatter {
  readonly kind: "values";
  readonly values: Values;
  readonly body: string;
}

// Any white space of Unicode may follow the dashes, where JavaScript's differs by two characters.
const OPENING = /^\ufeff?---[\t\v\f\x85\p{Z}]*\r?\n/u;
const CLOSING = /(?<=\n)---[\t\v\f\x85\p{Z}]*\r?(?:\n|$)/gu;

/** As the Copilot runtime 1.0 reads it: strictly. */
export function readCopilotFrontmatter(
  text: string,
  { needed }: { readonly needed: boolean },
): CopilotFrontmatter | { readonly kind: "refused"; readonly because: string } {
  const split = splitLikeCopilot(text);
  if (split === undefined) {
    const because = "The frontmatter is missing or has no clean start and end.";
    if (needed || /^\s*---/.test(text)) return { kind: "refused", because };
    return { kind: "values", values: NO_VALUES, body: text };
  }
  const { yaml, body } = split;
  const block = readYamlBlock(yaml, { forbidden: CONTROL_CHARACTERS });
  if (block.kind === "invalid" || block.kind === "duplicates") return { kind: "refused", because: block.because };
  return { kind: "values", values: block.kind === "map" ? withoutLastNewline(block.values) : NO_VALUES, body };
}

/** The newline before the closing fence does not belong to the YAML, so a block of text that comes last has none. */
function withoutLastNewline(values: Values): Values {
  const [key, value] = Object.entries(values).at(-1) ?? [];
  if (key === undefined || typeof value !== "string") return values;
  return { ...values, [key]: value.replace(/\n$/, "") };
}

function splitLikeCopilot(text: string): { readonly yaml: string; readonly body: string } | undefined {
  const start = OPENING.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  CLOSING.lastIndex = start;
  const closing = CLOSING.exec(text);
  if (closing === null) return undefined;
  return { yaml: text.slice(start, closing.index), body: text.slice(CLOSING.lastIndex) };
}
