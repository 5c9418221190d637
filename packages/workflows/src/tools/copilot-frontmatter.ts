import { splitFrontmatter } from "../frontmatter/split.ts";
import { CONTROL_CHARACTERS, NO_VALUES, readYamlBlock, type Values } from "./yaml-block.ts";

export interface CopilotFrontmatter {
  readonly kind: "values";
  readonly values: Values;
  readonly body: string;
}

/** As the Copilot runtime 1.0 reads it: strictly. */
export function readCopilotFrontmatter(
  text: string,
  { needed }: { readonly needed: boolean },
): CopilotFrontmatter | { readonly kind: "refused"; readonly because: string } {
  const split = splitFrontmatter(text);
  const body = text.slice(split.bodyStart);
  if (split.kind !== "present") {
    const because = "The frontmatter is missing or has no clean start and end.";
    if (needed || split.kind === "broken" || /^\s*---/.test(body)) return { kind: "refused", because };
    return { kind: "values", values: NO_VALUES, body };
  }
  const block = readYamlBlock(split.yaml, { forbidden: CONTROL_CHARACTERS });
  if (block.kind === "invalid" || block.kind === "duplicates") return { kind: "refused", because: block.because };
  return { kind: "values", values: block.kind === "map" ? withoutLastNewline(block.values) : NO_VALUES, body };
}

/** The newline before the closing fence does not belong to the YAML, so a block of text that comes last has none. */
function withoutLastNewline(values: Values): Values {
  const [key, value] = Object.entries(values).at(-1) ?? [];
  if (key === undefined || typeof value !== "string") return values;
  return { ...values, [key]: value.replace(/\n$/, "") };
}
