// What only OpenCode has: its agents, its rules, its sub-agents.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Host, HostEvent, SessionOptions } from "../../src/hosts/host.ts";
import { opencodeHost } from "../../src/hosts/opencode.ts";
import { collect } from "./contract.ts";
import { type OpencodeFixture, opencodeFixture } from "./opencode-fixture.ts";

setDefaultTimeout(180_000);

let fixture: OpencodeFixture;
let host: Host;

beforeAll(async () => {
  fixture = await opencodeFixture({
    permission: { bash: { "*": "allow", "git push*": "deny" } },
    agent: { limnologist: { mode: "all", description: "Knows lakes", prompt: "Speak of lakes only." } },
  });
  host = await fixture.host();
});
afterEach(() => fixture.model.verify());
afterAll(() => fixture[Symbol.asyncDispose]());

const session = (more: Partial<SessionOptions> = {}) => host.create({ ...fixture.session, ...more });
const bash = (command: string) => ({ command, description: "Does it" });
const types = (events: readonly HostEvent[]) => events.map(({ type }) => type);

test("what the user's settings deny is denied without a question, and the rest is asked for", async () => {
  fixture.model
    .expect("publish")
    .tool("bash", bash("git push origin main"))
    .then.tool("bash", bash("git status --short"))
    .then.reply("tried");
  const asked: string[] = [];
  const events = await collect(await session(), "publish", async (permission) => {
    asked.push(`${permission.tool}: ${permission.detail}`);
    await permission.answer("allow");
  });
  expect(asked).toEqual(["bash: git status --short"]);
  expect(events.flatMap((event) => (event.type === "tool-ended" ? [event.ok] : []))).toEqual([false, true]);
});

test("looking needs no permission, but looking into secrets does", async () => {
  await fixture.project.write("open.txt", "open");
  await fixture.project.write(".env", "SECRET=1");
  const path = (name: string) => ({ filePath: fixture.project.path(name) });
  fixture.model.expect("look").tool("read", path("open.txt")).tool("read", path(".env")).then.reply("looked");
  const asked: string[] = [];
  await collect(await session(), "look", async ({ tool, detail, answer }) => {
    asked.push(`${tool} ${detail}`);
    await answer("deny", "secret");
  });
  expect(asked).toEqual(["read .env"]);
  expect(fixture.model.prompts.at(-1)?.toolResults.join("\n")).toMatch(/open[\s\S]*secret/);
});

test("of two simultaneous calls, one can be denied and the turn continues", async () => {
  const write = (name: string) => ({ filePath: fixture.project.path(name), content: name });
  fixture.model.expect("two files").tool("write", write("yes.txt")).tool("write", write("no.txt")).then.reply("one");
  const events = await collect(await session(), "two files", ({ detail, answer }) =>
    answer(detail.endsWith("yes.txt") ? "allow" : "deny"),
  );
  expect(events.at(-1)).toEqual({ type: "end", text: "one" });
  expect(await fixture.project.exists("no.txt")).toBe(false);
});

test("sub-agents need permission, their cost counts, and they get no denied tool", async () => {
  fixture.model
    .expect("delegate")
    .tool("task", { description: "Look", prompt: "look around", subagent_type: "general" })
    .usage({ input: 100, output: 1 })
    .then.reply("delegated")
    .usage({ input: 100, output: 1 });
  fixture.model.expect("look around").reply("nothing there").usage({ input: 7, output: 1 });
  const asked: string[] = [];
  const events = await collect(await session({ deny: ["bash"] }), "delegate", async ({ tool, answer }) => {
    asked.push(tool);
    await answer("allow");
  });
  expect(asked).toEqual(["task"]);
  const input = events.reduce((sum, event) => sum + (event.type === "usage" ? (event.usage.inputTokens ?? 0) : 0), 0);
  expect(input).toBe(207);
  expect(events.flatMap((event) => (event.type === "text" ? [event.text] : []))).toEqual(["delegated"]);
  const helper = fixture.model.prompts.find(({ user }) => user === "look around");
  const tools = helper?.tools.map(({ name }) => name);
  expect(tools).toContain("read");
  expect(tools).not.toContain("bash");
});

test("OpenCode's own agent is used, but not a namesake with other instructions", async () => {
  const agent = { name: "limnologist", description: "", prompt: "Speak of lakes only.\n" };
  fixture.model.expect("its own").reply("a lake");
  await collect(await session({ agent }), "its own");
  fixture.model.expect("a namesake").reply("a river");
  await collect(await session({ agent: { ...agent, prompt: "Speak of rivers." } }), "a namesake");
  const [own, namesake] = fixture.model.prompts;
  expect(own?.system).toStartWith("Speak of lakes only.");
  expect(namesake?.system).not.toContain("lakes");
  expect(namesake?.system).toEndWith("Speak of rivers.");
});

test.each([
  ["model-2", "model-2"],
  ["sonnet", "model-1"],
  ["claude-opus-9", "model-1"],
])("the model %s is %s here", async (option, requested) => {
  fixture.model.expect("who").reply("me");
  await collect(await session({ model: option }), "who");
  expect(fixture.model.prompts[0]?.model).toBe(requested);
});

test("an unknown model is refused before anything is sent, with what to write instead", async () => {
  expect(await session({ model: "gpt-0" }).catch((error: unknown) => error)).toMatchObject({
    code: "prompt-failed",
    message: 'OpenCode does not know the model "gpt-0".',
    hint: "Write provider/model, as listed by `opencode models`.",
  });
  const missing = await session({ model: "nobody/nothing" });
  const failure = await collect(missing, "hello?").catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "prompt-failed" });
  expect((failure as Error).message).toEndWith("Model not found: nobody/nothing.");
  // The echo of that failure does not reach the next turn.
  fixture.model.expect("hello again").reply("hello");
  const after = await host.resume(missing.id, { ...fixture.session, model: "model-1" });
  expect(types(await collect(after, "hello again")).at(-1)).toBe("end");
});

test("a caller that stops iterating stops the agent", async () => {
  fixture.model.expect("talk on").reply("well ").hang();
  for await (const event of (await session()).send("talk on")) if (event.type === "text") break;
  expect(await fixture.model.prompts[0]?.ended).toBe("aborted");
});

test("a second turn at the same time is refused, and one that another process has is waited for", async () => {
  fixture.model.expect("first turn").reply("hm").hang();
  const busy = await session();
  const first = collect(busy, "first turn").catch((error: unknown) => error);
  await fixture.model.waitFor("first turn");
  expect(await collect(busy, "second turn").catch((error: Error) => error.message)).toContain(
    "in the middle of a turn",
  );
  const other = await host.resume(busy.id, fixture.session);
  const impatient = new AbortController();
  const options = { signal: impatient.signal };
  const waiting = collect(other, "third turn", undefined, options).catch((error: unknown) => error);
  impatient.abort(new Error("enough"));
  expect(await waiting).toMatchObject({ message: "enough" });
  fixture.model.expect("fourth turn").reply("at last");
  const patient = collect(other, "fourth turn");
  await busy.abort();
  expect(await first).toMatchObject({ code: "aborted" });
  expect((await patient).at(-1)).toEqual({ type: "end", text: "at last" });
});

test("without the program, the message says what to do", async () => {
  const missing = opencodeHost({ program: fixture.project.path("no-such-program"), env: fixture.project.env });
  expect(await missing.create(fixture.session).catch((error: unknown) => error)).toMatchObject({
    name: "HostError",
    code: "host-missing",
    host: "opencode",
    hint: "Install OpenCode with `npm install -g opencode-ai`, or choose another host (`--host claude`).",
  });
  await missing.dispose();
});

test("a program that ends at once is quoted", async () => {
  await fixture.project.write("fails.sh", "#!/bin/sh\necho the database is locked >&2\nexit 3\n");
  await fixture.project.run(["chmod", "+x", "fails.sh"]);
  const failing = opencodeHost({ program: fixture.project.path("fails.sh"), env: fixture.project.env });
  const failure = await failing.create(fixture.session).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "host-failed" });
  expect((failure as Error).message).toBe("`opencode serve` exited with 3. It said:\nthe database is locked");
});

test("a server that dies is named as the reason, and the next session has a new one", async () => {
  const lost = await session();
  fixture.model.expect("wait for me").hang();
  const failure = collect(lost, "wait for me").catch((error: unknown) => error);
  await fixture.model.waitFor("wait for me");
  for (const pid of await fixture.processes()) process.kill(pid, "SIGKILL");
  expect(await failure).toMatchObject({ code: "host-failed" });
  expect(((await failure) as Error).message).toContain("`opencode serve` exited with SIGKILL");
  fixture.model.expect("are you there").reply("yes");
  const again = await host.resume(lost.id, fixture.session);
  expect((await collect(again, "are you there")).at(-1)).toEqual({ type: "end", text: "yes" });
});

test("a model without a price is known before anything is sent", async () => {
  const cost = { input: 1, output: 2 };
  const config = { provider: { scripted: { models: { "model-2": { cost } } } } };
  await fixture.project.write("priced/opencode.json", JSON.stringify(config));
  const folder = fixture.project.path("priced");
  const models = [undefined, "scripted/model-1", "model-2", "scripted/model-2"];
  const named = models.map((model) => ({ folder, ...(model !== undefined && { model }) }));
  expect(await Promise.all(named.map((options) => host.modelWithoutPrice?.(options)))).toEqual([
    "scripted/model-1",
    "scripted/model-1",
    undefined,
    undefined,
  ]);
  expect(await host.modelWithoutPrice?.({ ...fixture.session, model: "model-2" })).toBe("scripted/model-2");
});
