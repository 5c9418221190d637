// What the text of a workflow module tells about it. A module is code, and listing it must not run it.

/** As far as it stands there as plain text. */
export interface WorkflowFacts {
  readonly description?: string;
  readonly argumentHint?: string;
}

const begin = /\b(?:defineGraph|graph)\s*\(\s*\{/;
const token = /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[\w$]+|\S/g;

/**
 * The description and hint that the first `defineGraph({ … })` has in quotes; what is put together elsewhere is not known.
 *
 * @example
 * workflowFacts('export default defineGraph({ name: "tidy", description: "Tidies up" }, …)').description; // "Tidies up"
 */
export function workflowFacts(text: string): WorkflowFacts {
  const begun = begin.exec(text);
  if (begun === null) return {};
  const found: Record<string, string> = {};
  let last: readonly string[] = [];
  for (const each of tokensOfObject(text, begun.index + begun[0].length)) {
    const [key = "", colon, value = ""] = last;
    if ((each === "," || each === "}") && last.length === 3 && colon === ":") {
      const plain = plainText(value);
      if (plain !== undefined && (key === "description" || key === "argumentHint")) found[key] = plain;
    }
    last = each === "," ? [] : [...last, each];
  }
  return found;
}

/** Tokens from `start` to the brace that closes; what is in brackets inside is one token, which is no text. */
function* tokensOfObject(text: string, start: number): Iterable<string> {
  let depth = 0;
  for (const [each] of text.slice(start).matchAll(token)) {
    if (/^\/[/*]/.test(each)) continue;
    if (/^[})\]]$/.test(each)) depth -= 1;
    if (depth <= 0) yield depth < 0 ? "}" : each;
    if (depth < 0) return;
    if (/^[{([]$/.test(each)) depth += 1;
  }
}

function plainText(literal: string): string | undefined {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(literal) ?? [];
  if (quote === undefined || inner === undefined) return undefined;
  const json = quote === '"' ? inner : inner.replaceAll("\\'", "'").replaceAll('"', '\\"');
  try {
    return JSON.parse(`"${json}"`);
  } catch (error) {
    // Escapes that only JavaScript has: its reader may know more.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
