// A package that is taken under a prefix: which of its files still use a part's own name.
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { KeyEdits } from "./key-edits.ts";
import { type MarkdownFile, placeInBody, type Remark, type Translation } from "./markdown-file.ts";

/** The package's parts: their own names, and those in OpenCode. */
export interface RenamedParts {
  readonly agents: ReadonlyMap<string, string>;
  /** Agents, commands and skills. */
  readonly all: ReadonlyMap<string, string>;
}

/**
 * Lets a command keep its agent, and notes every other reference to a renamed part: in prose, only its reader can tell
 * whether a word is a name.
 *
 * @param text The translated text; the notes are about places in the package's file.
 */
export function renameReferences(file: MarkdownFile, text: string, { agents, all }: RenamedParts): Translation {
  const matter = parseFrontmatter(text);
  const edits = new KeyEdits({ ...file, text }, matter);
  const { agent } = matter.values;
  const renamed = typeof agent === "string" ? agents.get(agent) : undefined;
  if (file.type === "command" && renamed !== undefined) edits.replace("agent", KeyEdits.text("agent", renamed));
  const translation = edits.apply();
  if (translation.kind === "stopped") return translation;
  const { bodyStart } = parseFrontmatter(file.text);
  const notes: Remark[] = [];
  const seen = new Set<string>();
  for (const { name, offset } of mentions(file.text, all)) {
    const isOwnKey = offset < bodyStart && /^(?:name|agent):[^\n]*$/m.test(lineAt(file.text, offset));
    if (isOwnKey || seen.has(name)) continue;
    seen.add(name);
    const message = `It refers to "${name}", which is installed as "${all.get(name)}"`;
    notes.push({ at: placeInBody(file, offset), message, hint: "" });
  }
  return { ...translation, notes };
}

const WORD = /[A-Za-z0-9][A-Za-z0-9_-]*/g;
/** What marks a word as a name: `@reviewer`, `/review`, `"reviewer"`, `**reviewer**`, "reviewer agent". */
const BEFORE = new Set(["@", "/", "`", '"', "'", "*", ":"]);
const AFTER = /^(?:`|\*\*|"|')?\s(?:sub)?(?:agent|command|skill)\b/i;

/** The places at which a text uses one of the names as a name. */
function mentions(text: string, names: ReadonlyMap<string, string>): { name: string; offset: number }[] {
  return [...text.matchAll(WORD)].flatMap((match) => {
    const [name] = match;
    const end = match.index + name.length;
    const isPath = text[end] === "/" || (text[end] === "." && /\w/.test(text[end + 1] ?? ""));
    if (!names.has(name) || isPath) return [];
    const isMarked = BEFORE.has(text[match.index - 1] ?? "") || AFTER.test(text.slice(end, end + 14));
    return isMarked ? [{ name, offset: match.index }] : [];
  });
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  return text.slice(start, end === -1 ? undefined : end);
}
