import { makeEntity } from "../define-entity.ts";
import type { Provider } from "../entity.ts";
import { type Format, inBoth, type Reading, type SourceFile, sourceOf } from "../format.ts";
import { placesLikeClaude } from "./claude.ts";

const provider = "atomic";
const readWorkflow = readWorkflowFile(provider);

/** Atomic's own `.atomic/{commands,skills,agents,workflows}`, in Claude's format, so you can move files over. */
export const atomic: Format = {
  provider,
  places: [
    ...placesLikeClaude(provider, ".atomic", false),
    ...inBoth({ path: ".atomic/workflows", type: "workflow", pattern: "*.ts", read: readWorkflow }),
    ...inBoth({ path: ".atomic/workflows", type: "workflow", pattern: "*.js", read: readWorkflow }),
  ],
};

/** A workflow is code: it is listed by its file name and the plain text in it, and runs only when you run it. */
export function readWorkflowFile(provider: Provider): (file: SourceFile) => Reading {
  return (file) => {
    const { relative, text } = file;
    if (relative.endsWith(".d.ts")) return { entities: [], diagnostics: [] };
    const displayName = relative.replace(/\.[tj]s$/, "");
    const { description = "", argumentHint } = workflowFacts(text);
    const facts = {
      type: "workflow",
      name: displayName.toLowerCase(),
      displayName,
      description,
      aliases: [],
      restrictions: {},
      argumentHint,
      argumentNames: [],
      source: sourceOf(provider, file),
      frontmatter: Object.freeze(Object.create(null)),
      diagnostics: [],
    } as const;
    return { entities: [makeEntity(facts, { text })], diagnostics: [] };
  };
}

/** What a workflow module says about itself in plain text. A module is code, and listing it must not run it. */
export interface WorkflowFacts {
  readonly description?: string;
  readonly argumentHint?: string;
}

const begin = /\b(?:defineGraph|graph)\s*\(\s*\{/;
const token = /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[\w$]+|\S/g;

/**
 * The description and hint in the first `defineGraph({ … })`, if they are written in quotes and not computed.
 *
 * @example
 * workflowFacts('export default defineGraph({ name: "tidy", description: "Tidies up" }, …)').description; // "Tidies up"
 */
export function workflowFacts(text: string): WorkflowFacts {
  const begun = begin.exec(text);
  if (begun === null) return {};
  const found: Record<string, string> = {};
  let last: readonly string[] = [];
  // Read the tokens up to the closing brace, without those in inner brackets.
  let depth = 0;
  for (const [each] of text.slice(begun.index + begun[0].length).matchAll(token)) {
    if (/^\/[/*]/.test(each)) continue;
    if (/^[})\]]$/.test(each)) depth -= 1;
    if (depth <= 0) {
      const isEnd = depth < 0 || each === "}";
      const [key = "", colon, value = ""] = last;
      if ((isEnd || each === ",") && last.length === 3 && colon === ":") {
        const plain = plainText(value);
        if (plain !== undefined && (key === "description" || key === "argumentHint")) found[key] = plain;
      }
      last = each === "," ? [] : [...last, each];
    }
    if (depth < 0) break;
    if (/^[{([]$/.test(each)) depth += 1;
  }
  return found;
}

function plainText(literal: string): string | undefined {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(literal) ?? [];
  if (quote === undefined || inner === undefined) return undefined;
  const json = quote === '"' ? inner : inner.replaceAll("\\'", "'").replaceAll('"', '\\"');
  try {
    return JSON.parse(`"${json}"`);
  } catch (error) {
    // The text has escapes that only JavaScript knows.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
