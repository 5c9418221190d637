import { expect, test } from "bun:test";
import { createRequire } from "node:module";
import { join } from "node:path";
import fc from "fast-check";
import { inspectTasks } from "../../src/tasks/parse.ts";
import { taskStatuses, tasksSchema } from "../../src/tasks/task.ts";

const published = join(import.meta.dirname, "../../schema/tasks.schema.json");

test("the schema for editors is the one that files are checked with", async () => {
  expect(await Bun.file(published).json()).toEqual(JSON.parse(JSON.stringify(tasksSchema)));
});

type Validator = { new (options: object): { compile(schema: object): (value: unknown) => boolean } };

/** A validator that others trust. It comes with the agent SDKs, which are not always installed. */
function otherValidator(): Validator | undefined {
  try {
    const requireHeavy = createRequire(join(import.meta.dirname, "../../../testing/heavy/package.json"));
    const { Ajv } = requireHeavy("ajv") as { Ajv: Validator };
    return Ajv;
  } catch (error) {
    if ((error as { code?: string }).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const Ajv = otherValidator();
if (Ajv === undefined) console.warn("skipped: Ajv is not installed, it comes with `npm run setup -- --heavy`");

const odd = fc.oneof(fc.constantFrom(null, true, 0, -1, 1.5, "", " ", "x"), fc.constant([]), fc.constant({}));
const texts = fc.array(fc.oneof({ weight: 9, arbitrary: fc.string({ minLength: 1 }) }, { weight: 1, arbitrary: odd }));
/** Mostly right, so that one mistake is not always beside others. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: odd });
const taskLike = fc.record(
  {
    id: mostly(fc.string({ minLength: 1 })),
    name: mostly(fc.string({ minLength: 1 })),
    status: mostly(fc.constantFrom(...taskStatuses)),
    description: mostly(fc.string()),
    priority: mostly(fc.double({ noNaN: true, noDefaultInfinity: true })),
    dependencies: mostly(texts),
    acceptanceCriteria: mostly(texts),
    notes: mostly(fc.string()),
    metadata: mostly(fc.dictionary(fc.string(), fc.jsonValue())),
    claimedBy: mostly(fc.string({ minLength: 1 })),
    attempts: mostly(fc.nat({ max: 3 })),
    error: mostly(fc.string()),
    own: fc.jsonValue(),
  },
  { requiredKeys: ["id", "name", "status"] },
);
const fileLike = fc.record(
  {
    version: mostly(fc.constant("1.0")),
    tasks: mostly(fc.array(mostly(taskLike), { maxLength: 3 })),
    metadata: mostly(fc.record({ createdAt: mostly(fc.string()), source: mostly(fc.string()) }, { requiredKeys: [] })),
  },
  { requiredKeys: ["tasks"] },
);

test.skipIf(Ajv === undefined)("another validator takes exactly the same files", async () => {
  const accepts = new (Ajv as Validator)({ strict: true }).compile(await Bun.file(published).json());
  const seen = { right: 0, wrong: 0 };
  fc.assert(
    fc.property(fc.oneof(fileLike, fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      const fits = !inspectTasks(text, "tasks.json").problems.some(({ code }) => code === "shape");
      seen[fits ? "right" : "wrong"] += 1;
      expect(fits, text).toBe(accepts(JSON.parse(text)));
    }),
    { numRuns: 600, seed: 5 },
  );
  expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(60);
});
