import { describe, expect, test } from "bun:test";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import type { StandardSchema } from "../../src/graph/reply-schema.ts";
import { last } from "../../src/graph/state.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { crashingStore } from "./crashing-store.ts";
import { endedOf, engineFor, noEntities, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

interface Review {
  readonly ok: boolean;
  readonly findings: readonly { readonly file: string; readonly line: number }[];
}

const zodReview = z.object({
  ok: z.boolean(),
  findings: z.array(z.object({ file: z.string(), line: z.number().int() })),
});
const libraries: Readonly<Record<string, StandardSchema<Review>>> = {
  zod: zodReview,
  valibot: v.object({
    ok: v.boolean(),
    findings: v.array(v.object({ file: v.string(), line: v.pipe(v.number(), v.integer()) })),
  }),
  arktype: type({ ok: "boolean", findings: type({ file: "string", line: "number.integer" }).array() }),
};
const good: Review = { ok: false, findings: [{ file: "a.ts", line: 3 }] };
const bad = { ok: "no", findings: [{ file: "a.ts", line: "three" }] };

function reviewing(schema: StandardSchema<Review>, repairs?: number) {
  return graph({ name: "review", state: { review: last<Review | null>(null) } })
    .start(agentNode({ id: "look", prompt: "Review the diff.", schema, repairs, into: "review" }))
    .then(toolNode({ id: "count", run: ({ review }) => review?.findings.length ?? 0 }))
    .compile(noEntities);
}

/** Replies with these, one after the other. */
function replying(...replies: readonly string[]): ScriptedHost {
  const left = [...replies];
  return new ScriptedHost(() => left.shift() ?? "no more replies");
}

describe.each(Object.entries(libraries))("with %s", (vendor, schema) => {
  test("the reply becomes a checked value, which the state takes", async () => {
    const host = replying(JSON.stringify(good));
    const { result } = await runGraph(reviewing(schema), { host });
    expect(result.outputs).toEqual({ look: { ...good }, count: 1 } as never);
    expect(result.state).toEqual({ review: good } as never);
    const [{ prompt } = { prompt: "" }] = host.sent;
    expect(prompt).toStartWith("Review the diff.\n\nReply with JSON only");
    expect(prompt.includes('"required": [')).toBe(vendor !== "valibot");
  });

  test("a reply that does not fit is corrected in the same session, with what is wrong", async () => {
    const host = replying(JSON.stringify(bad), JSON.stringify(good));
    const { result, keys } = await runGraph(reviewing(schema), { host });
    expect(result.outputs.look).toEqual({ ...good } as never);
    expect(keys.filter((key) => key.startsWith("look"))).toEqual(["look:session", "look", "look:repair1"]);
    expect(host.opened).toEqual(["look"]);
    const [, again] = host.sent;
    expect(again?.prompt).toStartWith("Your last reply cannot be used:\n\n- ");
    expect(again?.prompt).toMatch(/^- ok:? .*boolean/m);
    expect(again?.prompt).toMatch(/^- findings\[0\]\.line:? .*number/m);
  });

  test("a reply that never fits fails the node after a bounded number of prompts", async () => {
    const host = replying(...Array.from({ length: 9 }, () => JSON.stringify(bad)));
    const { status } = await runGraph(reviewing(schema), { host });
    expect(host.sent).toHaveLength(3);
    expect(status).toMatchObject({
      kind: "failed",
      error: {
        name: "SchemaError",
        key: "look",
        message: expect.stringMatching(
          /^the reply does not fit the schema after 3 prompts: (?=.*\bok:? .*boolean).*findings\[0\]\.line:? [^;]*number/,
        ),
      },
    });
  });
});

test.each([
  ["in a fence", `Here it is:\n\`\`\`json\n${JSON.stringify(good, undefined, 2)}\n\`\`\`\nDone.`],
  ["in the last fence", `\`\`\`json\n{ "ok": tr\n\`\`\`\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``],
  ["between words", `I found this: ${JSON.stringify(good)} Anything else?`],
  ["with spaces around it", `\n  ${JSON.stringify(good)}\n`],
])("JSON %s is found", async (_where, reply) => {
  const { result } = await runGraph(reviewing(zodReview, 0), { host: replying(reply) });
  expect(result.outputs.look).toEqual({ ...good } as never);
});

test.each([
  ["opening brackets", "[".repeat(1_000_000)],
  ["brackets that close nothing", "]".repeat(1_000_000)],
  ["fences that stay open", "```json\n".repeat(100_000)],
])("a long reply of %s is read in one pass, and is not JSON", async (_what, reply) => {
  const { status } = await runGraph(reviewing(zodReview, 0), { host: replying(reply) });
  expect(status).toMatchObject({
    error: { message: expect.stringMatching(/^the reply does not fit the schema: it is not JSON \(/) },
  });
});

test("a reply without JSON says so, and `repairs: 0` allows no correction", async () => {
  const host = replying("It looks good to me.");
  const { status } = await runGraph(reviewing(zodReview, 0), { host });
  expect(host.sent).toHaveLength(1);
  expect(status).toMatchObject({
    error: { message: expect.stringMatching(/^the reply does not fit the schema: it is not JSON \(/) },
  });
});

test("the output is what the schema makes of the reply", async () => {
  const schema = z.object({ tags: z.string().transform((text) => text.split(" ")), level: z.number().default(1) });
  const compiled = graph({ name: "x", state: { tags: last<readonly string[]>([]) } })
    .start(agentNode({ id: "tag", prompt: "Tag it.", schema, output: ({ tags }) => ({ tags }) }))
    .compile(noEntities);
  const { result } = await runGraph(compiled, { host: replying('{"tags":"a b"}') });
  expect(result).toMatchObject({ state: { tags: ["a", "b"] }, outputs: { tag: { tags: ["a", "b"], level: 1 } } });
});

test("killed before any of its records, a repaired reply comes out the same, and no prompt that was answered is sent again", async () => {
  for (let records = 1; ; records += 1) {
    const disk: MemoryDisk = new Map();
    const answered = new Set<string>();
    const repeated: string[] = [];
    // What is sent depends on the prompt alone, as after a crash.
    const host = new ScriptedHost(({ prompt }) => {
      if (answered.has(prompt)) repeated.push(prompt);
      return prompt.startsWith("Review") ? JSON.stringify(bad) : JSON.stringify(good);
    });
    const compiled = reviewing(zodReview);
    const { store, died } = crashingStore(disk, records);
    const engine = engineFor(compiled, { host, store });
    await engine.start({ runId: "run", graph: compiled.json, input: null });
    const run = await engine.run("run");
    const outcome = await Promise.race([died.then(() => "died" as const), run.ended.then(() => "ended" as const)]);
    const after = engineFor(compiled, { host, store: memoryStore(disk) });
    for await (const { event } of after.journal("run")) {
      if (event.type !== "step-finished") continue;
      if (event.key === "look") answered.add(host.sent[0]?.prompt ?? "");
      if (event.key === "look:repair1") for (const { prompt } of host.sent) answered.add(prompt);
    }
    if (outcome === "ended") break;
    const resumed = await endedOf(after, "run", await (await after.run("run")).ended);
    expect(resumed.result.outputs).toEqual({ look: { ...good }, count: 1 } as never);
    expect({ records, repeated }).toEqual({ records, repeated: [] });
  }
});
