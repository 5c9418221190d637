export interface LintCase {
  readonly fires: Readonly<Record<string, string>>;
  /** `file:line:column`, or the file alone. */
  readonly at: readonly string[];
  readonly quiet: readonly Readonly<Record<string, string>>[];
}

/** A file with this frontmatter and body. */
export function skill(head: string, body = "Do it."): string {
  return `---\n${head}\n---\n${body}\n`;
}

export const good = "name: x\ndescription: Does x";
