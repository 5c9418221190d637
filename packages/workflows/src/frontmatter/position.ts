/** A place in a file. Both are 1-based; `column` counts UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The YAML of a frontmatter starts right after the first line of its file. */
export function positionInFile(yaml: string, offset: number): Position {
  const lineStart = yaml.lastIndexOf("\n", offset - 1) + 1;
  let line = 2;
  for (let at = yaml.indexOf("\n"); at !== -1 && at < lineStart; at = yaml.indexOf("\n", at + 1)) line += 1;
  return { line, column: offset - lineStart + 1 };
}
