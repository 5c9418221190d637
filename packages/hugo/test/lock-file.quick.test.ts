// A hugo.json as Hugo writes it is read by a quick parser. It must never see anything else than the careful one.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { HugoError } from "../src/errors.ts";
import { hashOf } from "../src/hash.ts";
import type { Lock, LockedDelivery, LockedFile, LockedWorkflow } from "../src/lock-file/lock.ts";
import { parseLock } from "../src/lock-file/parse-lock.ts";
import { printLock } from "../src/lock-file/print-lock.ts";
import { quickLock } from "../src/lock-file/quick-lock.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const hash = fc.string().map((text) => hashOf(text));
const names = fc.uniqueArray(name, { maxLength: 3 }).map((list) => list.toSorted());
const file: fc.Arbitrary<LockedFile> = fc.oneof(
  fc.record({ kind: fc.constant("skipped" as const), source: name }),
  fc.record(
    {
      kind: fc.constant("installed" as const),
      source: name,
      base: hash,
      pending: hash,
      adopted: fc.constant(true as const),
      deleted: fc.constant(true as const),
    },
    { requiredKeys: ["kind", "source", "base"] },
  ),
);
const disabled = fc.record(
  {
    file: fc.string(),
    index: fc.nat(),
    spec: fc.string(),
    options: fc.object({ maxDepth: 1 }).map((o) => JSON.parse(JSON.stringify(o))),
  },
  { requiredKeys: ["file", "index", "spec"] },
);
const delivery: fc.Arbitrary<LockedDelivery> = fc.oneof(
  fc.record(
    { kind: fc.constant("plugin" as const), disabled: fc.array(disabled, { minLength: 1, maxLength: 3 }) },
    { requiredKeys: ["kind"] },
  ),
  fc.record({
    kind: fc.constant("copy" as const),
    parked: fc.boolean(),
    files: fc
      .array(fc.tuple(name, file), { maxLength: 3 })
      .map((list) => new Map(list.map(([n, f]) => [`agents/${n}.md`, f]))),
  }),
);
const packageName = fc.oneof(
  name,
  name.map((each) => `@org/${each}`),
);
const version = fc.stringMatching(/^[1-9]\.0\.[1-9](?:-rc\.[1-9])?$/);
const origin = fc.oneof(
  fc
    .tuple(packageName, fc.constantFrom("", "@latest", "@^1.0.0"), version)
    .map(([each, wanted, exact]) => ({ package: each, source: `${each}${wanted}`, version: exact })),
  fc.record({
    package: packageName,
    source: fc.constantFrom("github:o/r", "git+https://x.invalid/r.git#v1"),
    version: fc.stringMatching(/^[0-9a-f]{40}$/),
  }),
  fc.record({ package: packageName, source: fc.constantFrom("./x", "../y.tgz", "/z"), version: fc.string() }),
);
const rest: fc.Arbitrary<Omit<LockedWorkflow, "package" | "source" | "version">> = fc.record(
  {
    integrity: fc.string(),
    tree: hash,
    delivery,
    agents: names,
    commands: names,
    skills: names,
    workflows: names,
    selection: names,
  },
  { requiredKeys: ["delivery", "agents", "commands", "skills"] },
);
const workflow: fc.Arbitrary<LockedWorkflow> = fc.tuple(origin, rest).map(([where, { integrity, tree, ...more }]) => ({
  ...where,
  ...(integrity !== undefined && { integrity }),
  ...(tree !== undefined && { tree }),
  ...more,
}));
const lock: fc.Arbitrary<Lock> = fc.record({
  workflows: fc.array(fc.tuple(name, workflow), { maxLength: 3 }).map((list) => new Map(list)),
  configs: fc
    .array(fc.tuple(fc.string(), fc.constantFrom("file" as const, "array" as const)))
    .map((list) => new Map(list)),
});

/** The quick parser only takes a text that is exactly as printed, so one more blank at the end goes the careful way. */
function outcomes(text: string): [quick: unknown, careful: unknown] {
  const outcome = (of: string): unknown => {
    try {
      return parseLock(of, "hugo.json");
    } catch (error) {
      if (error instanceof HugoError) return { code: error.code, message: error.message };
      throw error;
    }
  };
  return [outcome(text), outcome(`${text} `)];
}

test("what was printed is read back the same in both ways, and quickly", () => {
  fc.assert(
    fc.property(lock, (original) => {
      const text = printLock(original);
      expect(quickLock(text)).toBeDefined();
      const [quick, careful] = outcomes(text);
      expect(quick).toEqual(careful);
      expect(printLock(quick as Lock)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test("whatever is done to the text, both ways say the same", () => {
  const edit = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(12),
    fc.constantFrom("", "x", '"', "0", "{}", "\n", ",", "../"),
  );
  fc.assert(
    fc.property(lock, edit, (original, [where, length, insert]) => {
      const text = printLock(original);
      const at = Math.floor(where * text.length);
      const [quick, careful] = outcomes(text.slice(0, at) + insert + text.slice(at + length));
      expect(quick).toEqual(careful);
    }),
    { numRuns: 500 },
  );
});

const printed = (workflows: string): string => `{\n  "version": 1,\n  "workflows": ${workflows}\n}\n`;

test.each([
  ["a key that stands twice", printed('{\n    "a": {},\n    "a": {}\n  }')],
  ["a key of every object", printed('{\n    "__proto__": {}\n  }')],
  ["an array in place of an object", printed("[]")],
  ["a newer version", '{\n  "version": 2,\n  "workflows": {}\n}\n'],
  ["nothing", ""],
])("%s is refused in the careful way, with its place", (_, text) => {
  const error = outcomes(text)[0] as { message: string };
  expect(error.message).toStartWith("hugo.json:");
});
