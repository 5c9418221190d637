import type { Diagnostic } from "../diagnostic.ts";
import type { KeyPath } from "../frontmatter/locate.ts";
import type { Subject } from "./subject.ts";

/** One thing to look for. Rules lie in groups, a file each, and `rules/all.ts` lists them all. */
export interface Rule {
  /** Never changes its meaning: people filter by it. */
  readonly code: string;
  readonly severity: Diagnostic["severity"];
  /** One line for the docs. */
  readonly summary: string;
  readonly check: (subject: Subject) => Iterable<RuleProblem>;
}

export interface RuleProblem {
  readonly message: string;
  readonly hint?: string;
  /** Where: a key of the frontmatter, or an offset of the file. Without either, the file as a whole. */
  readonly at?: KeyPath | number;
}

/** Something about an entity's file that its author may want to know. */
export interface LintFinding extends Diagnostic {
  /** In UTF-16 units of the file, for what is too small to be found by line and column alone. */
  readonly offset?: number;
  /** Which entity, as a qualified name: `claude:project/commit`. */
  readonly entity?: string;
}
