// What is particular to Copilot, besides the contract of hosts.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { heavyHost } from "@atomic/testing/heavy";
import type { Host, HostEvent, PermissionEvent } from "../../src/hosts/host.ts";
import { collect } from "./contract.ts";
import { type CopilotFixture, copilotFixture } from "./copilot-fixture.ts";
import type { SendRequest } from "./send-prompt.ts";

setDefaultTimeout(180_000);

const sdk = heavyHost("copilot");
if (!sdk.available) console.warn(`skipped: tests of Copilot's turns: ${sdk.reason}`);
const copilotTest = test.skipIf(!sdk.available);

let fixture: CopilotFixture;
let host: Host;
beforeAll(async () => {
  if (!sdk.available) return;
  fixture = await copilotFixture();
  host = await fixture.host();
});
afterEach(() => fixture?.model.verify());
afterAll(async () => await fixture?.[Symbol.asyncDispose]());

copilotTest("files in the folder are read without a question; other files, and links to them, are not", async () => {
  await fixture.project.write("inside.txt", "inside");
  await fixture.project.write("~/outside.txt", "outside");
  await symlink(fixture.project.path("~/outside.txt"), fixture.project.path("link.txt"));
  const [inside = "", outside, link = ""] = ["inside.txt", "~/outside.txt", "link.txt"].map((path) =>
    fixture.project.path(path),
  );
  fixture.model
    .expect("read both")
    .tool("view", { path: inside })
    .tool("view", { path: outside })
    .tool("view", { path: link })
    .then.reply(({ toolResults }) => toolResults.map((result) => result.includes("side")).join());
  const asked: PermissionEvent[] = [];
  const events = await collect(await host.create(fixture.session), "read both", async (permission) => {
    asked.push(permission);
    await permission.answer("allow");
  });
  expect(new Set(asked.map(({ tool, detail }) => `${tool} ${detail}`))).toEqual(
    new Set([`read ${outside}`, `read ${link}`]),
  );
  expect(events.filter(({ type }) => type === "tool-ended")).toMatchObject([
    { tool: "read", ok: true },
    { tool: "read", ok: true },
    { tool: "read", ok: true },
  ]);
  expect(events.at(-1)).toEqual({ type: "end", text: "true,true,true" });
});

copilotTest("what hooks or earlier answers approve is still asked for, even for helpers", async () => {
  const { model, project } = fixture;
  model
    .expect("do as hooks approve")
    .tool("bash", { command: "touch denied.txt", description: "Touch" })
    .tool("task", {
      description: "Help",
      prompt: "help out",
      agent_type: "general-purpose",
      name: "helper",
      mode: "sync",
    })
    .then.reply("done");
  model
    .expect("help out")
    .tool("create", { path: project.path("helped.txt"), file_text: "" })
    .then.reply("helped");
  const asked: string[] = [];
  await collect(await host.create(fixture.session), "do as hooks approve", async ({ tool, detail, answer }) => {
    asked.push(`${tool} ${detail}`);
    await answer(tool === "task" ? "allow" : "deny");
  });
  expect(asked.toSorted()).toEqual(["bash touch denied.txt", "task help out", `write ${project.path("helped.txt")}`]);
  expect(["denied.txt", "helped.txt"].filter((name) => existsSync(project.path(name)))).toEqual([]);
});

copilotTest("a turn is cut off with the process that started it", async () => {
  const gate = fixture.model.gate();
  fixture.model.expect("carry on").slow(["never ", "heard"], gate);
  const { project, session, prompt } = { ...fixture, prompt: "carry on" };
  const request: SendRequest = { host: "copilot", options: fixture.options, session, prompt, key: "crash#1" };
  const sending = await project.start(["bun", join(import.meta.dirname, "send-prompt.ts"), JSON.stringify(request)]);
  const [, id = ""] = await sending.printed(/session (\S+)/, 10_000);
  gate.release();
  await sending.printed(/event text/, 10_000);
  process.kill(sending.pid, "SIGKILL");
  expect(await (await fixture.model.waitFor("carry on")).ended).toBe("aborted");
  const resumed = await host.resume(id, session);
  expect(await resumed.reattach("carry on", { key: "crash#1" })).toBeUndefined();
  fixture.script.says("carry on", "carried on");
  const again = await collect(resumed, "carry on", undefined, { key: "crash#1" });
  expect(again.at(-1)).toEqual({ type: "end", text: "carried on" });
  expect((await all(await resumed.reattach("carry on", { key: "crash#1" }))).at(-1)).toEqual({
    type: "end",
    text: "carried on",
  });
});

copilotTest(
  "a runtime that dies in the middle of a turn ends the turn, and the next session has a new one",
  async () => {
    const other = await fixture.host();
    const before = new Set(await fixture.processes());
    const session = await other.create(fixture.session);
    const runtime = (await fixture.processes()).filter((pid) => !before.has(pid));
    const hanging = fixture.script.hangs("think on");
    const failure = collect(session, "think on").catch((error: unknown) => error);
    await hanging.begun();
    for (const pid of runtime) kill(pid);
    expect(await failure).toMatchObject({ code: "host-failed", message: expect.stringContaining("runtime exited") });
    fixture.script.says("once more", "back again");
    const events = await collect(await other.create(fixture.session), "once more");
    expect(events.at(-1)).toEqual({ type: "end", text: "back again" });
  },
);

copilotTest("a second turn at the same time is refused", async () => {
  const hanging = fixture.script.hangs("be busy");
  const session = await host.create(fixture.session);
  const first = collect(session, "be busy").catch((error: unknown) => error);
  await hanging.begun();
  const second = await collect(session, "me too").catch((error: unknown) => error);
  expect(second).toMatchObject({ code: "host-failed", message: expect.stringContaining("middle of a turn") });
  await session.abort();
  expect(await first).toMatchObject({ code: "aborted" });
});

copilotTest("without a login the prompt fails within seconds, and says how to log in", async () => {
  const { copilotHost } = await import("../../src/hosts/copilot.ts");
  const { provider: _own, ...options } = fixture.options;
  const stranger = await copilotHost({ ...options, ...(sdk.available && { load: sdk.load }) });
  const session = await stranger.create({ folder: fixture.project.dir });
  const error = await collect(session, "hello?").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "login-missing",
    exitCode: 6,
    message: expect.stringContaining("No GitHub OAuth token"),
    hint: "Run `copilot` and log in with its command /login.",
    isPermanent: true,
  });
  await stranger.dispose();
});

copilotTest("a runtime that cannot start is reported as such", async () => {
  const { copilotHost } = await import("../../src/hosts/copilot.ts");
  const broken = await copilotHost({
    ...fixture.options,
    ...(sdk.available && { load: sdk.load }),
    client: { connection: { kind: "stdio", path: fixture.project.path("no-such-program") } },
  });
  const error = await broken.create(fixture.session).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "host-failed", message: expect.stringContaining("did not start") });
  await broken.dispose();
});

/** Some of what a runtime starts is gone soon. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function all(turn: AsyncIterable<HostEvent> | undefined): Promise<HostEvent[]> {
  const events: HostEvent[] = [];
  for await (const event of turn ?? []) events.push(event);
  return events;
}
