// What becomes of a turn of Claude when the process that asked for it is killed.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { heavyHost } from "@atomic/testing/heavy";
import type { ModelGate } from "@atomic/testing/model/gate";
import type { HostEvent, HostSession } from "../../src/hosts/host.ts";
import { type ClaudeFixture, claudeFixture } from "./claude-fixture.ts";
import { collect } from "./contract.ts";
import type { SendRequest } from "./send-prompt.ts";

setDefaultTimeout(180_000);

const sdk = heavyHost("claude");
if (!sdk.available) console.warn(`skipped: tests of Claude and crashes: ${sdk.reason}`);
const claudeTest = test.skipIf(!sdk.available);

let fixture: ClaudeFixture;
beforeAll(async () => {
  if (sdk.available) fixture = await claudeFixture();
});
afterEach(() => fixture?.model.verify());
afterAll(async () => await fixture?.[Symbol.asyncDispose]());

/** The session of a process that was killed while the model stood at the gate. */
async function killedAt(gate: ModelGate, prompt: string): Promise<HostSession> {
  const { env, session, project } = fixture;
  const request: SendRequest = { host: "claude", options: { env }, session, prompt, key: prompt };
  const sending = await project.start(["bun", join(import.meta.dirname, "send-prompt.ts"), JSON.stringify(request)]);
  const [, id = ""] = await sending.printed(/session (\S+)/, 10_000);
  await gate.reached();
  process.kill(sending.pid, "SIGKILL");
  await sending.exited;
  return await (await fixture.host()).resume(id, session);
}

claudeTest("Claude finishes the turn of a process that is gone, and the next one waits for it", async () => {
  const gate = fixture.model.gate();
  fixture.model.expect("carry on").wait(gate).reply("carried on");
  const session = await killedAt(gate, "carry on");
  const turn = session.reattach("carry on", { key: "carry on" });
  gate.open();
  expect(await events(await turn)).toEqual([
    { type: "text", text: "carried on" },
    { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
    { type: "end", text: "carried on" },
  ]);
});

claudeTest("a turn that could not ask for a permission counts as cut off, and is done again", async () => {
  const gate = fixture.model.gate();
  const call = { file_path: fixture.project.path("late.txt"), content: "late\n" };
  fixture.model.expect("write late").wait(gate).tool("Write", call).then.reply("I may not");
  const session = await killedAt(gate, "write late");
  const turn = session.reattach("write late", { key: "write late" });
  gate.open();
  expect(await turn).toBeUndefined();
  expect(await fixture.project.exists("late.txt")).toBe(false);
  fixture.model.expect("write late").tool("Write", call).then.reply("written");
  const again = await collect(session, "write late", (permission) => permission.answer("allow"), { key: "write late" });
  expect(again.at(-1)).toEqual({ type: "end", text: "written" });
  expect(await fixture.project.read("late.txt")).toBe("late\n");
  expect((await events(await session.reattach("write late", { key: "write late" }))).at(-1)).toEqual({
    type: "end",
    text: "written",
  });
});

claudeTest("a run that is cancelled ends a Claude that was left behind", async () => {
  const gate = fixture.model.gate();
  fixture.model.expect("never end").wait(gate).hang();
  const session = await killedAt(gate, "never end");
  const request = await fixture.model.waitFor("never end");
  const cancel = new AbortController();
  const turn = session.reattach("never end", { key: "never end", signal: cancel.signal });
  const reason = new Error("cancelled");
  cancel.abort(reason);
  expect(await turn.catch((error: unknown) => error)).toBe(reason);
  expect(await request.ended).toBe("aborted");
});

async function events(turn: AsyncIterable<HostEvent> | undefined): Promise<HostEvent[]> {
  const all: HostEvent[] = [];
  for await (const event of turn ?? []) all.push(event);
  return all;
}
