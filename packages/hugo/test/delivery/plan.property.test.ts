import { describe, expect, test } from "bun:test";
import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import fc from "fast-check";
import { type CopySituation, planCopy } from "../../src/delivery/plan-copy.ts";
import { HugoError } from "../../src/errors.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { besideOf, type FileChange, type FileStep, recordsOf } from "../../src/workspace/copied-files.ts";

const path = "agents/a.md";
const beside = besideOf(path);

/** Few lines and few texts, so that everything meets everything. */
const text = fc
  .array(fc.constantFrom("one", "two", "three", "ONE", "THREE"), { minLength: 1, maxLength: 4 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));

const recorded: fc.Arbitrary<LockedFile | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constant({ kind: "skipped", source: path } as const),
  text.map((base) => ({ kind: "installed", source: path, base: hashOf(base) }) as const),
  text.map((base) => ({ kind: "installed", source: path, base: hashOf(base), adopted: true }) as const),
  text.map((base) => ({ kind: "installed", source: path, base: hashOf(base), deleted: true }) as const),
  fc.tuple(text, text).map(([base, pending]) => {
    return { kind: "installed", source: path, base: hashOf(base), pending: hashOf(pending) } as const;
  }),
);

const given = fc.record({
  recorded,
  next: fc.option(text, { nil: undefined }),
  disk: fc.option(text, { nil: undefined }),
  beside: fc.option(text, { nil: undefined }),
  others: fc.constantFrom<readonly string[]>([], [], ["other"]),
  modified: fc.constantFrom("merge" as const, "skip" as const),
  basesAreLost: fc.boolean(),
});
type Given = typeof given extends fc.Arbitrary<infer Value> ? Value : never;

/** All texts that can occur are in the store, unless it was lost. */
const store = new Map<Hash, Uint8Array>();
function remember(value: string | undefined): void {
  if (value !== undefined) store.set(hashOf(value), Buffer.from(value));
}

function situation(facts: Given): CopySituation {
  for (const value of [facts.next, facts.disk, facts.beside]) remember(value);
  const present: [string, Uint8Array][] = [];
  if (facts.disk !== undefined) present.push([path, Buffer.from(facts.disk)]);
  if (facts.beside !== undefined) present.push([beside, Buffer.from(facts.beside)]);
  const next =
    facts.next === undefined
      ? []
      : [[path, { source: path, bytes: Buffer.from(facts.next), executable: false }] as const];
  return {
    recorded: new Map(facts.recorded === undefined ? [] : [[path, facts.recorded]]),
    next: new Map(next),
    disk: new Map(present),
    baseOf: (hash) => (facts.basesAreLost ? undefined : store.get(hash)),
    othersOf: () => facts.others,
    modified: facts.modified,
  };
}

function planned(facts: Given): FileStep[] | undefined {
  try {
    return planCopy(situation(facts));
  } catch (error) {
    if (error instanceof HugoError && error.code === "file-taken") return undefined;
    throw error;
  }
}

function changesAt(steps: readonly FileStep[], at: string): FileChange[] {
  return steps.flatMap(({ changes }) => changes).filter((change) => change.path === at);
}

describe("whatever the situation", () => {
  test("a file that the user has changed is never deleted, and only ever replaced by a merge", () => {
    fc.assert(
      fc.property(given, (facts) => {
        const steps = planned(facts) ?? [];
        if (facts.disk === undefined) return;
        const [change] = changesAt(steps, path);
        if (change === undefined) return;
        const known = facts.recorded?.kind === "installed" ? [facts.recorded.base, facts.recorded.pending] : [];
        const isOurs = known.includes(hashOf(facts.disk));
        const isMerge = steps.some(({ verdict }) => verdict === "merged") && change.kind === "write";
        expect(isOurs || isMerge).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test("a file that was there before Hugo is never deleted", () => {
    fc.assert(
      fc.property(given, (facts) => {
        if (facts.recorded?.kind !== "installed" || facts.recorded.adopted === undefined) return;
        expect(changesAt(planned(facts) ?? [], path).filter(({ kind }) => kind === "delete")).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("a file beside it that is not what Hugo put there is never touched", () => {
    fc.assert(
      fc.property(given, (facts) => {
        const isOurs = facts.recorded?.kind === "installed" && hashOf(facts.beside ?? "") === facts.recorded.pending;
        if (facts.beside === undefined || isOurs) return;
        expect(changesAt(planned(facts) ?? [], beside)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test("a file shared with another workflow is never touched", () => {
    fc.assert(
      fc.property(given, (facts) => {
        if (facts.others.length === 0 || facts.disk === undefined) return;
        expect(changesAt(planned(facts) ?? [], path)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("doing it once more changes nothing more", () => {
    fc.assert(
      fc.property(given, (facts) => {
        const steps = planned(facts);
        if (steps === undefined) return;
        const before = situation(facts);
        const disk = new Map(before.disk);
        for (const change of steps.flatMap(({ changes }) => changes)) {
          if (change.kind === "delete") disk.delete(change.path);
          else disk.set(change.path, change.bytes);
        }
        const again = planCopy({ ...before, disk, recorded: recordsOf(steps) });
        for (const change of again.flatMap(({ changes }) => changes)) {
          // An open conflict puts the same version beside the file again.
          expect(
            change.kind === "write" && Buffer.compare(change.bytes, disk.get(change.path) ?? Buffer.of()) === 0,
          ).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("every file of the package is written down, as installed or as skipped", () => {
    fc.assert(
      fc.property(given, (facts) => {
        const steps = planned(facts);
        if (steps === undefined) return;
        expect(recordsOf(steps).has(path)).toBe(facts.next !== undefined);
      }),
    );
  });
});
