import type { FetchOptions } from "./fetched.ts";
import type { SizeLimits } from "./limits.ts";

/** What stands in `<into>/package` after the first step. */
export interface Obtained {
  readonly version?: string;
  readonly integrity?: string;
  readonly notices: readonly string[];
}

export interface Step extends FetchOptions {
  /** Where the package's own files go. */
  readonly folder: string;
  readonly limits: SizeLimits;
}
