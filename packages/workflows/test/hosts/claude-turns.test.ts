// What is particular to Claude, besides the contract of hosts.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { heavyHost } from "@atomic/testing/heavy";
import { within } from "@atomic/testing/waiting";
import type { HostEvent, HostSession, PermissionEvent } from "../../src/hosts/host.ts";
import { type ClaudeFixture, claudeFixture } from "./claude-fixture.ts";
import { collect } from "./contract.ts";

setDefaultTimeout(180_000);

const sdk = heavyHost("claude");
if (!sdk.available) console.warn(`skipped: tests of Claude's turns: ${sdk.reason}`);
const claudeTest = test.skipIf(!sdk.available);

let fixture: ClaudeFixture;
beforeAll(async () => {
  if (sdk.available) fixture = await claudeFixture();
});
afterEach(() => fixture?.model.verify());
afterAll(async () => await fixture?.[Symbol.asyncDispose]());

claudeTest("every turn is reported with its own cost, also after a resume", async () => {
  const session = await (await fixture.host()).create(fixture.session);
  fixture.script.says("first bill", "paid", { usage: { input: 1000, output: 100 } });
  const first = usdOf(await collect(session, "first bill"));
  fixture.script.says("second bill", "paid", { usage: { input: 1000, output: 100 } });
  const second = usdOf(await collect(session, "second bill"));
  const resumed = await (await fixture.host()).resume(session.id, fixture.session);
  fixture.script.says("third bill", "paid", { usage: { input: 2000, output: 200 } });
  const third = usdOf(await collect(resumed, "third bill"));
  expect(first).toBeGreaterThan(0);
  expect([second / first, third / first].map((ratio) => ratio.toFixed(6))).toEqual(["1.000000", "2.000000"]);
});

describe("a turn that is aborted before Claude has asked anything", () => {
  async function aborted(): Promise<HostSession> {
    const session = await (await fixture.host()).create(fixture.session);
    const cancel = new AbortController();
    const sending = collect(session, "too early", undefined, { key: "early", signal: cancel.signal });
    const reason = new Error("changed my mind");
    // The program is started, but takes half a second until it asks the model.
    setImmediate(() => cancel.abort(reason));
    expect(
      await within(
        10_000,
        sending.catch((error: unknown) => error),
      ),
    ).toBe(reason);
    expect(fixture.model.prompts).toEqual([]);
    return session;
  }

  async function sentAgain(session: HostSession): Promise<HostEvent | undefined> {
    fixture.script.says("too early", "in time");
    return (await collect(session, "too early", undefined, { key: "early" })).at(-1);
  }

  const end: HostEvent = { type: "end", text: "in time" };

  claudeTest("can be sent again with the same key", async () => {
    expect(await sentAgain(await aborted())).toEqual(end);
  });

  claudeTest("can be sent again although Claude refuses its session from then on", async () => {
    const session = await aborted();
    // What a Claude leaves that was killed just after it had read the prompt: a file with the session's id and no message.
    const folder = `~/.claude/projects/${fixture.project.dir.replace(/[^a-zA-Z0-9]/g, "-")}`;
    const line = { type: "queue-operation", operation: "enqueue", sessionId: session.id, content: "too early" };
    await fixture.project.write(`${folder}/${session.id}.jsonl`, `${JSON.stringify(line)}\n`);
    expect(await sentAgain(session)).toEqual(end);
    const resumed = await (await fixture.host()).resume(session.id, fixture.session);
    const events = (await resumed.reattach("too early", { key: "early" })) ?? [];
    expect((await Array.fromAsync(events)).at(-1)).toEqual(end);
  });
});

claudeTest("a reader that stops iterating stops Claude", async () => {
  const hanging = fixture.script.hangs("an endless story");
  const session = await (await fixture.host()).create(fixture.session);
  for await (const event of session.send("an endless story")) if (event.type === "text") break;
  await hanging.stopped();
});

claudeTest("a command is asked for by its text, and a second turn at the same time is refused", async () => {
  fixture.model
    .expect("clean up")
    .tool("Bash", { command: "rm -f nothing.txt", description: "Clean up" })
    .then.reply("clean");
  const session = await (await fixture.host()).create(fixture.session);
  const asked: PermissionEvent[] = [];
  await collect(session, "clean up", async (permission) => {
    asked.push(permission);
    const second = collect(session, "me too").catch((error: unknown) => error);
    expect(await second).toMatchObject({ code: "host-failed", message: expect.stringContaining("middle of a turn") });
    await permission.answer("allow");
  });
  expect(asked).toMatchObject([{ tool: "bash", detail: "rm -f nothing.txt" }]);
});

claudeTest("what settings allow is still asked for, even for helpers; what they deny stays denied", async () => {
  const approval = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } };
  const command = `cat >> "$CLAUDE_PROJECT_DIR/hook-asked.txt"; echo '${JSON.stringify(approval)}'`;
  const hooks = { PermissionRequest: [{ matcher: "", hooks: [{ type: "command", command }] }] };
  await fixture.project.write(".claude/settings.local.json", JSON.stringify({ hooks }));
  await fixture.project.write("~/outside.txt", "outside");
  const [inside, outside] = [fixture.project.path("inside.txt"), fixture.project.path("~/outside.txt")];
  await fixture.project.write("inside.txt", "inside");
  fixture.model
    .expect("do as settings allow")
    .tool("Bash", { command: "touch denied.txt", description: "Touch" })
    .tool("Bash", { command: "ls", description: "List" })
    .tool("Bash", { command: "rmdir nothing", description: "Forbidden by settings" })
    .tool("Read", { file_path: inside })
    .tool("Read", { file_path: outside })
    .tool("Agent", {
      description: "Help",
      prompt: "help with it",
      subagent_type: "general-purpose",
      run_in_background: false,
    })
    .then.reply("done");
  fixture.model
    .expect("help with it")
    .tool("Bash", { command: "touch helped.txt", description: "Touch" })
    .then.reply("helped");
  const asked: string[] = [];
  const session = await (await fixture.host()).create(fixture.session);
  await collect(session, "do as settings allow", async ({ tool, detail, answer }) => {
    asked.push(`${tool} ${detail}`);
    await answer(["touch denied.txt", "touch helped.txt"].includes(detail) ? "deny" : "allow");
  });
  expect(asked.toSorted()).toEqual([
    "bash ls",
    "bash rmdir nothing",
    "bash touch denied.txt",
    "bash touch helped.txt",
    `read ${outside}`,
    "task help with it",
  ]);
  const made = ["denied.txt", "helped.txt"].filter((name) => existsSync(fixture.project.path(name)));
  expect(made).toEqual([]);
  // The first answer wins, so the settings' hook must not even be asked.
  expect(await fixture.project.read("hook-asked.txt")).not.toContain("touch");
  const results = fixture.model.prompts.flatMap(({ toolResults }) => toolResults).join("\n");
  expect(results).toContain("rmdir nothing has been denied");
  expect(results).toContain("inside");
});

claudeTest("a Claude that cannot start is reported as such", async () => {
  const { claudeHost } = await import("../../src/hosts/claude.ts");
  const host = await claudeHost({
    ...(sdk.available && { load: sdk.load }),
    env: fixture.env,
    sdk: { pathToClaudeCodeExecutable: fixture.project.path("no-such-program") },
  });
  const session = await host.create(fixture.session);
  const error = await collect(session, "hello").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "HostError", code: "host-failed", host: "claude" });
});

function usdOf(events: readonly HostEvent[]): number {
  return events.reduce((sum, event) => sum + (event.type === "usage" ? (event.usage.usd ?? 0) : 0), 0);
}
