import type { Capability } from "./capabilities/capability.ts";

/** What a person has to agree to before it happens. */
export interface Approval {
  /** One line: `Install review 1.0.0 from @org/review`. */
  readonly title: string;
  /** What the package can do. */
  readonly capabilities: readonly Capability[];
  /** The capabilities are only those that came with an update. */
  readonly isMore?: boolean;
  /** Other facts to know first, a line each; foreign text in them is made safe by whoever shows them. */
  readonly notes: readonly string[];
}
