import type { Diagnostic } from "../diagnostic.ts";
import type { EntityType } from "../entity.ts";
import type { KeyPath } from "../frontmatter/locate.ts";
import type { Subject } from "./subject.ts";

/** One thing to look for. Each group of rules has a file, and `rules/all.ts` lists them all. */
export interface Rule {
  /** Never changes its meaning: people filter by it. */
  readonly code: string;
  readonly severity: Diagnostic["severity"];
  /** One line for the docs. */
  readonly summary: string;
  /** The only type of entity that it looks at. Default: all of them. */
  readonly about?: EntityType;
  readonly check: (subject: Subject) => Iterable<RuleProblem>;
}

export interface RuleProblem {
  readonly message: string;
  readonly hint?: string;
  /** A key in the frontmatter or an offset in the file; without either, the whole file. */
  readonly at?: KeyPath | number;
}

/** Something that the author of an entity's file may want to know. */
export interface LintFinding extends Diagnostic {
  /** In UTF-16 units, for what is hard to find by line and column alone. */
  readonly offset?: number;
  /** The entity's qualified name: `claude:project/commit`. */
  readonly entity?: string;
}
