/** Something worth telling about one file. An `error` means that the entity in it is disabled or missing. */
export interface Diagnostic {
  readonly severity: "error" | "warning" | "info";
  /** Stable, kebab-case, for filters and docs: `frontmatter-syntax`, `tools-unparsable`, … */
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  /** 1-based; a position inside the frontmatter counts from the top of the file. */
  readonly line?: number;
  readonly column?: number;
  /** What the user can do next. */
  readonly hint?: string;
}
