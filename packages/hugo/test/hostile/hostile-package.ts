import type { HugoErrorCode } from "../../src/errors.ts";
import type { World } from "./world.ts";

/** A package, a spec or a project that means harm, and what becomes of it. */
export interface Hostile {
  /** Completes "hugo survives …". */
  readonly what: string;
  /** Makes it, and gives the spec to install or the whole command line. */
  make(world: World): Promise<string | Command> | string | Command;
  readonly expected: Refused | Neutralised;
  /** The command says no (exit code 1), as it is asked whether something has changed. */
  readonly mayDiffer?: boolean;
  /** It takes its time, so that one run has to do. */
  readonly once?: boolean;
}

export interface Command {
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** It is refused with this code and these words, and nothing is left of it. */
interface Refused {
  readonly code: HugoErrorCode | "usage";
  readonly says: string | RegExp;
}

/** It does no harm. */
interface Neutralised {
  readonly installed: (state: Installed) => Promise<void> | void;
}

export interface Installed {
  readonly world: World;
  /** What was printed. */
  readonly printed: string;
  /** Below `.opencode`, without Hugo's own. */
  readonly files: ReadonlyMap<string, string>;
  /** What was printed as JSON, by the same command. */
  readonly answer: Readonly<Record<string, unknown>>;
}
