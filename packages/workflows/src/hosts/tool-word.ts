// Tool names as you type them for a policy. A name that matches nothing is refused: a denial that denies nothing is worse
// than none.

import { didYouMean } from "@atomic/terminal/suggest";
import { canonicalToolNames, canonicalTools } from "../entities/normalize/tool-names.ts";

export type ToolWord =
  | { readonly ok: true; readonly tools: readonly string[] }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/**
 * @example
 * readToolWord("Bash"); // { ok: true, tools: ["bash"] }
 * readToolWord("bsah"); // { ok: false, problem: 'there is no tool "bsah"', hint: 'Did you mean "bash"? …' }
 */
export function readToolWord(word: string): ToolWord {
  if (word === "all" || word === "*") return { ok: true, tools: ["*"] };
  const tools = canonicalToolNames(word, "atomic");
  if (tools.every((tool) => canonicalTools.has(tool))) return { ok: true, tools };
  if (/[()]/.test(word)) {
    const [tool] = canonicalToolNames(word.slice(0, word.search(/[()]/)), "atomic");
    const name = tool !== undefined && canonicalTools.has(tool) ? tool : "bash";
    const problem = `"${word}" is a pattern, but only whole tools can be named here`;
    return { ok: false, problem, hint: `Name the whole tool: ${name}. Patterns belong in an agent's file.` };
  }
  const isName = /^[\w.@:*?/-]+$/.test(word);
  // `web_fetch`, `todo-write`.
  const letters = word.toLowerCase().replaceAll(/[_-]/g, "");
  const meant = canonicalTools.has(letters) ? letters : didYouMean(word, canonicalTools)[0];
  // A server's tool, a plugin's tool or a pattern: these are not known in advance.
  const mayExist = /[*?/]/.test(word) || (/[_-]/.test(word) && meant === undefined);
  if (isName && mayExist) return { ok: true, tools };
  const suggestion =
    meant === undefined
      ? `Known tools: ${[...canonicalTools].join(", ")}; "all" means every tool.`
      : `Did you mean "${meant}"?`;
  const own = isName ? ` If it is your own tool, write "${word}*".` : "";
  return { ok: false, problem: `there is no tool "${word}"`, hint: suggestion + own };
}
