// What the text of a plugin's entry shows of its exports. Only loading it shows everything.

/** Of the same length, so that places stay what they are. A quoted `//` loses its rest, and with it nothing we look for. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?(?:\*\/|$)|(?<![:"'`])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, " "));
}

const DEFAULT = /\bexport\s+default\s+(?:(\{)|([\w$]+)(?=\s*(?:;|\n|$)))/;

/**
 * Where a default export `{ server }` without an `id` stands. From the registry OpenCode loads it all the same; out of a
 * folder it does not, with no more than a line in its log. Undefined if there is none, or nobody can say.
 */
export function defaultWithoutId(text: string): number | undefined {
  const code = withoutComments(text);
  const found = DEFAULT.exec(code);
  if (found === null) return undefined;
  const [whole, brace, name = ""] = found;
  const start = brace === undefined ? declaredObject(code, name) : found.index + whole.length - 1;
  const keys = start === undefined ? undefined : keysOf(code, start);
  return keys?.has("server") === true && !keys.has("id") ? found.index : undefined;
}

function declaredObject(code: string, name: string): number | undefined {
  const declared = new RegExp(
    String.raw`\b(?:const|let|var)\s+${name.replaceAll("$", "\\$")}\s*(?::[^={\n]{1,200})?=\s*(?=\{)`,
  );
  const found = declared.exec(code);
  return found === null ? undefined : found.index + found[0].length;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?|\.\.\.|[\w$]+|[{}()[\],]/g;

/** The keys of an object as it is written; undefined if some come from elsewhere, or its end cannot be found. */
function keysOf(code: string, start: number): Set<string> | undefined {
  const keys = new Set<string>();
  let depth = 0;
  let isKey = false;
  for (const [token] of code.slice(start).matchAll(TOKEN)) {
    if (isKey && (token === "..." || token === "[")) return undefined;
    if (isKey && /^[\w$"']/.test(token) && token !== "async") {
      keys.add(token.replace(/^["']|["']$/g, ""));
      isKey = false;
    }
    if (/^[{([]$/.test(token)) depth += 1;
    if (/^[})\]]$/.test(token)) depth -= 1;
    if (depth === 0) return keys;
    if (depth === 1 && (token === "," || (token === "{" && keys.size === 0))) isKey = true;
  }
  return undefined;
}
