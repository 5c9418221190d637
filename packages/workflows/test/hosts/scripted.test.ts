import { expect, test } from "bun:test";
import { scriptedHost } from "../../src/hosts/scripted.ts";
import { collect } from "./contract.ts";

const folder = "/nowhere";

test("without a script, the prompt comes back", async () => {
  const session = await scriptedHost().create({ folder });
  expect(await collect(session, "say something")).toEqual([
    { type: "text", text: "say something" },
    { type: "end", text: "say something" },
  ]);
});

test("a list answers prompts that contain its keys, and repeats other prompts", async () => {
  const script = [
    { prompt: "review", reply: "LGTM" },
    { prompt: "re", reply: "never, for a review" },
  ];
  const session = await scriptedHost({ script }).create({ folder });
  const ends = [await collect(session, "please review this"), await collect(session, "and go")].map((all) =>
    all.at(-1),
  );
  expect(ends).toEqual([
    { type: "end", text: "LGTM" },
    { type: "end", text: "and go" },
  ]);
});

test("a tool without an input is recorded with the detail that people see", async () => {
  const host = scriptedHost({
    script: async function* () {
      yield { tool: "write", detail: "note ü.txt" };
      yield { tool: "write", detail: "a.txt", input: { path: "a.txt" } };
      yield { tool: "list" };
    },
  });
  const events = await collect(await host.create({ folder }), "go", ({ answer }) => answer("allow"));
  const inputs = events.flatMap((event) => (event.type === "tool-started" ? [event.input] : []));
  expect(inputs).toEqual(["note ü.txt", { path: "a.txt" }, null]);
});

test("a script's tool does nothing unless it has a function, and the turn ends with the text after it", async () => {
  const session = await scriptedHost({
    async *script() {
      yield { text: "first " };
      const outcome = yield { tool: "bash", detail: "rm -rf /" };
      yield { text: `got ${JSON.stringify(outcome)}` };
    },
  }).create({ folder });
  const events = await collect(session, "tidy up", (permission) => permission.answer("allow"));
  expect(events.map(({ type }) => type)).toEqual(["text", "tool-started", "permission", "tool-ended", "text", "end"]);
  expect(events.at(-1)).toEqual({ type: "end", text: 'got {"ok":true,"output":""}' });
});

test("disposing the host stops running turns", async () => {
  const host = scriptedHost({
    script: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("late"))),
  });
  const failure = collect(await host.create({ folder }), "wait").catch((error: unknown) => error);
  await Promise.resolve();
  await host.dispose();
  expect(await failure).toMatchObject({ code: "aborted" });
});

test("hosts do not know each other's sessions, unless they share a store", async () => {
  const { id } = await scriptedHost().create({ folder });
  const failure = await scriptedHost()
    .resume(id, { folder })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "session-gone", host: "scripted" });
});
