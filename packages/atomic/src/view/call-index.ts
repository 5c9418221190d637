// Call keys are paths: `fan.1/loop#3/work:session`. This finds everything below each of them in one pass.
import type { Spent } from "@atomic/workflows/internal/run/budget";
import type { RunView } from "./run-view.ts";

export type Cost = Pick<Spent, "usd" | "tokens">;

export interface CallIndex {
  /** Whether anything at or below the path has begun. */
  has(path: string): boolean;
  /** The latest iteration of a loop, or 0. */
  iterationOf(path: string): number;
  /** The items of a map that have begun: what follows the path and a dot. */
  itemsOf(path: string): readonly string[];
  /** For everything at or below the path. */
  costOf(path: string): Cost;
  startOf(path: string): number | undefined;
  /** When the last call at or below the path ended; undefined while one is open. */
  endOf(path: string): number | undefined;
}

interface Below {
  iteration: number;
  usd: number;
  tokens: number;
  start: number;
  end: number;
  open: number;
}

/** Ids of nodes are letters, digits, `-` and `_`, so these only ever lead further down. */
const separators = /[/.#:!?]/g;

export function indexCalls({ times, spent }: RunView): CallIndex {
  const found = new Map<string, Below>();
  for (const [key, { startedAt, endedAt }] of times) {
    for (const [path, iteration] of pathsIn(key)) {
      const below = found.get(path) ?? { iteration: 0, usd: 0, tokens: 0, start: startedAt, end: 0, open: 0 };
      below.iteration = Math.max(below.iteration, iteration);
      below.start = Math.min(below.start, startedAt);
      if (endedAt === undefined) below.open += 1;
      else below.end = Math.max(below.end, endedAt);
      found.set(path, below);
    }
  }
  for (const [key, cost] of spent) {
    for (const [path] of pathsIn(key)) {
      const below = found.get(path);
      if (below === undefined) continue;
      below.usd += cost.usd;
      below.tokens += cost.tokens;
    }
  }
  return {
    has: (path) => found.has(path),
    iterationOf: (path) => found.get(path)?.iteration ?? 0,
    itemsOf: (path) => {
      const from = path.length + 1;
      const isItem = (each: string): boolean => each.startsWith(`${path}.`) && each.slice(from).search(separators) < 0;
      return [...found.keys()].filter(isItem).map((each) => each.slice(from));
    },
    costOf: (path) => {
      const { usd, tokens } = found.get(path) ?? { usd: 0, tokens: 0 };
      return { usd, tokens };
    },
    startOf: (path) => found.get(path)?.start,
    endOf: (path) => {
      const below = found.get(path);
      return below === undefined || below.open > 0 ? undefined : below.end;
    },
  };
}

/** The path itself and all its ancestors, each with the iteration that follows it, if any. */
function* pathsIn(key: string): Generator<readonly [string, number]> {
  for (const { index } of key.matchAll(separators)) {
    yield [key.slice(0, index), key[index] === "#" ? Number.parseInt(key.slice(index + 1), 10) : 0];
  }
  yield [key, 0];
}
