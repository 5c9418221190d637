import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import type { TreeLimits } from "../packages/read-tree.ts";

type Env = Context["env"];

/** How much disk space a package may use: far more than any workflow needs, but little enough to clean up. */
export interface SizeLimits {
  readonly files: number;
  readonly bytes: number;
}

export const SIZE_LIMITS: SizeLimits = { files: 20_000, bytes: 256 * 1024 * 1024 };

/** For one dependency: compilers and native programs are larger than any workflow. */
export const DEPENDENCY_LIMITS: TreeLimits = { ...SIZE_LIMITS, depth: 32 };

/** For all dependencies together: many small packages. */
export function limitsOfDependencies({ files, bytes }: SizeLimits): SizeLimits {
  // The best-known plugin has half a gigabyte of them.
  return { files: files * 4, bytes: bytes * 6 };
}

const MINUTE = 60_000;
const DAY_IN_MINUTES = 1440;

/** How old a release must be, in milliseconds. `HUGO_MINIMUM_RELEASE_AGE` is in minutes, as in pnpm. */
export function minimumReleaseAge(env: Env): number {
  return numberIn(env, "HUGO_MINIMUM_RELEASE_AGE", DAY_IN_MINUTES, "minutes") * MINUTE;
}

/** How long a request or a program may take, in milliseconds. `HUGO_FETCH_TIMEOUT` is in seconds. */
export function fetchTimeout(env: Env): number {
  return numberIn(env, "HUGO_FETCH_TIMEOUT", 300, "seconds") * 1000;
}

export const SLOW_NETWORK = {
  code: "network-failed",
  hint: "Try again later, or allow more seconds with HUGO_FETCH_TIMEOUT.",
} as const;

function numberIn(env: Env, name: string, usual: number, unit: string): number {
  const text = env[name];
  if (text === undefined || text === "") return usual;
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) return Number(text);
  throw new HugoError("setting-invalid", {
    message: `${name} must be a number of ${unit}`,
    hint: `Set it to a number such as ${usual}, or unset it.`,
  });
}

export function tooLarge(what: string, { files, bytes }: SizeLimits): HugoError {
  return new HugoError("package-unsafe", {
    message: `${what} has more than ${files} files or ${Math.floor(bytes / 1024 / 1024)} MiB, so Hugo stopped fetching it`,
    hint: "Nothing was installed. A workflow is a small folder of text: something else may have been packed by mistake.",
  });
}

/** Counts what is written, and stops a package that is too large. */
export class SizeCounter {
  readonly #what: string;
  readonly #limits: SizeLimits;
  #files = 0;
  #bytes = 0;

  constructor(what: string, limits: SizeLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  add(bytes: number, files = 1): void {
    this.#files += files;
    this.#bytes += bytes;
    if (this.#files > this.#limits.files || this.#bytes > this.#limits.bytes) throw tooLarge(this.#what, this.#limits);
  }
}

/** What ends a slow operation: a timeout, or the user stopping it. */
export interface Deadline {
  /** Rejects, and never settles otherwise. */
  readonly reached: Promise<never>;
  /** Aborted by `end`, when the deadline no longer matters. */
  readonly over: AbortSignal;
  end(): void;
}

export function deadlineIn(milliseconds: number, tooSlow: () => Error, signal: AbortSignal | undefined): Deadline {
  const over = new AbortController();
  let alarm: NodeJS.Timeout | undefined;
  const reached = new Promise<never>((_resolve, reject) => {
    alarm = setTimeout(() => reject(tooSlow()), Math.max(milliseconds, 0));
    signal?.addEventListener("abort", () => reject(signal.reason), { signal: over.signal });
    if (signal?.aborted) reject(signal.reason);
  });
  // Promise.race reports it; an unhandled rejection in between does not matter.
  reached.catch(() => undefined);
  return {
    reached,
    over: over.signal,
    end: () => {
      clearTimeout(alarm);
      over.abort();
    },
  };
}
