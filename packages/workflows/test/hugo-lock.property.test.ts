import { describe, expect, test } from "bun:test";
import type { Hash } from "@atomic/durable-files/files/hash";
import fc from "fast-check";
import {
  type Lock,
  type LockedDelivery,
  type LockedFile,
  type LockedWorkflow,
  type PluginPart,
  printLock,
} from "../src/hugo-lock/lock.ts";
import { LockError, parseLock } from "../src/hugo-lock/parse-lock.ts";
import { file } from "./hugo-lock-sample.ts";

describe("any lock", () => {
  const word = fc
    .stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
    .filter((name) => !/^(?:con|prn|aux|nul|com\d|lpt\d|constructor)$/.test(name));
  const anyHash = fc.stringMatching(/^[0-9a-f]{64}$/).map((digits): Hash => `sha256:${digits}`);
  const names = fc.uniqueArray(word, { maxLength: 3 }).map((list) => list.toSorted());
  const marked = fc.constant(true as const);
  const lockedFile: fc.Arbitrary<LockedFile> = fc.oneof(
    fc.record({ kind: fc.constant("skipped" as const), source: word }),
    fc.record(
      {
        kind: fc.constant("installed" as const),
        source: word,
        base: anyHash,
        pending: anyHash,
        adopted: marked,
        deleted: marked,
      },
      { requiredKeys: ["kind", "source", "base"] },
    ),
  );
  const remembered = fc.record(
    {
      file: fc.string(),
      index: fc.nat(),
      spec: fc.string({ unit: "binary" }),
      options: fc.dictionary(
        fc.string(),
        fc.json().map((text) => JSON.parse(text)),
      ),
    },
    { requiredKeys: ["file", "index", "spec"] },
  );
  const delivery: fc.Arbitrary<LockedDelivery> = fc.oneof(
    fc.record(
      {
        kind: fc.constant("plugin" as const),
        parts: fc.constantFrom<readonly PluginPart[]>(["tui"], ["server", "tui"]),
        disabled: fc.array(remembered, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ["kind"] },
    ),
    fc.record({
      kind: fc.constant("copy" as const),
      parked: fc.boolean(),
      files: fc
        .array(fc.tuple(word, lockedFile), { maxLength: 3 })
        .map((list) => new Map(list.map(([name, of]) => [`agents/${name}.md`, of]))),
    }),
  );
  const packageName = fc.oneof(
    word,
    word.map((name) => `@org/${name}`),
  );
  const origin = fc.oneof(
    fc
      .tuple(
        packageName,
        fc.constantFrom("", "@next", "@^1.0.0", "@>=1 <2 || 3.x"),
        fc.constantFrom("1.0.2", "2.0.0-rc.1"),
      )
      .map(([name, wanted, version]) => ({ package: name, source: `${name}${wanted}`, version })),
    fc.record({
      package: packageName,
      source: fc.constantFrom("github:o/r", "git+https://x.invalid/r.git#v1", "git+ssh://git@x.invalid/r", "git://x/r"),
      version: fc.stringMatching(/^[0-9a-f]{40}$/),
    }),
    fc.record({
      package: packageName,
      source: fc.oneof(
        fc.constantFrom(".", "..", "../y.tgz", "/z"),
        fc
          .array(fc.stringMatching(/^[\w@é -]{0,6}\w$/), { minLength: 1, maxLength: 3 })
          .map((parts) => `./${parts.join("/")}`),
      ),
      version: fc.stringMatching(/^\w[\w.+~-]{0,20}$/),
    }),
  );
  const rest: fc.Arbitrary<Omit<LockedWorkflow, "package" | "source" | "version">> = fc.record(
    {
      integrity: fc.string(),
      tree: anyHash,
      delivery,
      agents: names,
      commands: names,
      skills: names,
      workflows: names,
      selection: names,
    },
    { requiredKeys: ["delivery", "agents", "commands", "skills"] },
  );
  const workflow: fc.Arbitrary<LockedWorkflow> = fc.tuple(origin, rest).map(([where, more]) => ({ ...where, ...more }));
  const anyLock: fc.Arbitrary<Lock> = fc.record({
    workflows: fc.array(fc.tuple(word, workflow), { maxLength: 3 }).map((list) => new Map(list)),
    configs: fc
      .array(fc.tuple(fc.string(), fc.constantFrom("file" as const, "array" as const)))
      .map((list) => new Map(list)),
    check: fc.option(anyHash, { nil: undefined }),
  });

  test("is accepted as printed, is read back unchanged, and prints the same from any order", () => {
    fc.assert(
      fc.property(anyLock, (any) => {
        const printed = printLock(any);
        const parsed = parseLock(printed, file);
        expect(parsed).toEqual(any);
        expect(printLock(parsed)).toBe(printed);
        const reversed = {
          ...any,
          workflows: new Map([...any.workflows].reverse()),
          configs: new Map([...any.configs].reverse()),
        };
        expect(printLock(reversed)).toBe(printed);
      }),
      { numRuns: 300 },
    );
  });

  /** With lists in order, and without an empty list of configs, which means none. */
  function normal(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return LISTS.has(key) ? value.toSorted() : value.map((item) => normal(item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, item]) => [name, key === "options" ? item : normal(item, name)]);
    return Object.fromEntries(entries.filter(([name, item]) => name !== "configs" || Object.keys(item).length > 0));
  }
  const LISTS = new Set(["agents", "commands", "skills", "workflows", "selection"]);

  test("with a change is refused with its place, or keeps all of its content when it is printed", () => {
    const odd = fc.constantFrom(
      undefined,
      null,
      true,
      false,
      0,
      1,
      "",
      "x",
      "../x",
      "CON",
      "sha256:zzz",
      [],
      ["a"],
      {},
      { a: 1 },
    );
    const counts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(anyLock, fc.nat(), odd, fc.boolean(), (any, at, value, adds) => {
        const changed = JSON.parse(printLock(any));
        const places: [holder: Record<string, unknown>, key: string][] = [];
        const visit = (holder: Record<string, unknown>): void => {
          for (const [key, item] of Object.entries(holder)) {
            places.push([holder, key]);
            if (typeof item === "object" && item !== null) visit(item as Record<string, unknown>);
          }
        };
        visit(changed);
        const [holder, key] = places[at % places.length] ?? [changed, "version"];
        holder[adds ? `${key}x` : key] = value;
        const given = JSON.stringify(changed);
        try {
          const printed = printLock(parseLock(given, file));
          expect(normal(JSON.parse(printed))).toEqual(normal(JSON.parse(given)));
          counts.accepted += 1;
        } catch (error) {
          if (!(error instanceof LockError)) throw error;
          expect(error.message).toStartWith(`${error.at}: `);
          expect(error.at).toMatch(/hugo\.json:1:\d+$/);
          counts.refused += 1;
        }
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(50);
  });

  test("with its text cut or damaged is either read or refused", () => {
    const edit = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(12),
      fc.constantFrom("", "x", '"', "0", "{}", "\n", ",", "../", "<<<<<<< a\n"),
    );
    fc.assert(
      fc.property(anyLock, edit, (any, [where, length, insert]) => {
        const whole = printLock(any);
        const at = Math.floor(where * whole.length);
        const given = whole.slice(0, at) + insert + whole.slice(at + length);
        try {
          const printed = printLock(parseLock(given, file));
          expect(printLock(parseLock(printed, file))).toBe(printed);
        } catch (error) {
          if (!(error instanceof LockError)) throw error;
          expect(error.at).toStartWith(file);
        }
      }),
      { numRuns: 500 },
    );
  });
});
