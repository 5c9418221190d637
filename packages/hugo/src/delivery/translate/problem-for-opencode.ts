import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";
import { readOpencodeFrontmatter } from "@atomic/workflows/internal/entities/tools/opencode-frontmatter";
import { unacceptedKey } from "@atomic/workflows/internal/entities/tools/opencode-schema";
import type { MarkdownFile } from "./markdown-file.ts";

type Values = Readonly<Record<string, unknown>>;

export interface FileProblem {
  readonly message: string;
  readonly hint: string;
  /** The key that it is about, or the place. */
  readonly key?: string;
  readonly line?: number;
  readonly column?: number;
}

const hint = "Only the author of the package can mend it.";

/** Why OpenCode would not start with this text, or would take it for something that it does not say. */
export function problemForOpencode(type: MarkdownFile["type"], text: string): FileProblem | undefined {
  const matter = parseFrontmatter(text, { recover: recoverLikeOpenCode });
  const unreadable = matter.diagnostics.find(({ severity }) => severity === "error");
  if (unreadable !== undefined) return { ...unreadable, hint: unreadable.hint ?? hint };
  const reading = readOpencodeFrontmatter(text);
  if (reading.kind !== "values") {
    const message = `OpenCode cannot read the frontmatter, and goes on without it: ${reading.because}`;
    return { ...matter.diagnostics[0], message, hint };
  }
  const { values } = reading;
  const key = misreadKey(values, matter.values);
  if (key !== undefined)
    return { key, message: `OpenCode reads ${JSON.stringify(key)} otherwise than other tools`, hint };
  return type === "skill" ? skillProblem(values) : keyProblem(type, values);
}

/** OpenCode ends the frontmatter at any line that starts with dashes, and has its own idea of dates. */
function misreadKey(values: Values, others: Values): string | undefined {
  return [...new Set([...Object.keys(values), ...Object.keys(others)])].find(
    (key) => !(values[key] instanceof Date) && JSON.stringify(values[key]) !== JSON.stringify(others[key]),
  );
}

function keyProblem(type: "agent" | "command", values: Values): FileProblem | undefined {
  const key = unacceptedKey(type, values);
  return key === undefined
    ? undefined
    : { key, message: `OpenCode does not start with this value of ${JSON.stringify(key)}`, hint };
}

function skillProblem({ name, description }: Values): FileProblem | undefined {
  if (typeof name !== "string") return { key: "name", message: "OpenCode passes over a skill without a name", hint };
  if (description === undefined || typeof description === "string") return undefined;
  return { key: "description", message: "OpenCode passes over a skill whose description is no text", hint };
}
