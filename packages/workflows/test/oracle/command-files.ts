import type { ArgumentCase } from "../arguments-cases.ts";

export interface Command {
  readonly body: string;
  readonly names?: readonly string[];
  matches(row: ArgumentCase): boolean;
}

/** One command for each body, so that few files serve many cases. */
export function distinctCommands(cases: readonly ArgumentCase[]): Command[] {
  const keyOf = ({ body, names }: ArgumentCase): string => JSON.stringify([body, names]);
  const byKey = new Map(cases.map((row) => [keyOf(row), row]));
  return [...byKey].map(([key, { body, names }]) => ({
    body,
    ...(names && { names }),
    matches: (row) => keyOf(row) === key,
  }));
}

/** A Markdown file with frontmatter; `more` are further keys. */
export function commandFile({ body, names }: Command, more: Readonly<Record<string, string>> = {}): string {
  const keys = { description: "A command", ...more, ...(names && { arguments: names }) };
  const frontmatter = Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ["---", ...frontmatter, "---", body].join("\n");
}
