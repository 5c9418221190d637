import type { Diagnostic } from "../diagnostic.ts";

/** Something about an entity's file that its author may want to know. */
export interface Finding extends Diagnostic {
  /** In UTF-16 units of the file, for what is too small to be found by line and column alone. */
  readonly offset?: number;
  /** Which entity, as a qualified name: `claude:project/commit`. */
  readonly entity?: string;
}
