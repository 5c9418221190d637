// The hooks that look at one message or one result, with a client that knows a model.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { packageRoot } from "../../../src/package-root.ts";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import { commentChecker } from "../../../src/plugin/turn/comment-checker.ts";
import { firstMessageVariant } from "../../../src/plugin/turn/first-message-variant.ts";
import type { MakeTurnHook, MessageChange, TurnMessage } from "../../../src/plugin/turn/turn-hook.ts";
import { ultraworkKeyword } from "../../../src/plugin/turn/ultrawork-keyword.ts";
import { ContextCollector } from "../../../src/turn/context-collector.ts";
import { opencodeClient } from "../live/opencode-client.ts";

const model = { providerID: "scripted", modelID: "thinker" };

async function open(make: MakeTurnHook, settings: object = {}, earlier: readonly object[] = [], files = {}) {
  const project = await tmpProject({ files: { ...files, ".opencode/magnus-opus.json": settings } });
  const context = opencodeClient(project.dir);
  const models = {
    thinker: { limit: { context: 1, output: 1 }, variants: { high: {}, medium: {}, own: {} } },
    plain: {},
  };
  Object.assign(context.client, {
    config: { providers: async () => ({ data: { providers: [{ id: "scripted", models }] } }) },
  });
  Object.assign((context.client as unknown as { session: object }).session, {
    messages: async () => ({ data: earlier }),
  });
  const collector = new ContextCollector();
  const magnus = new Magnus(context);
  magnus.settings.agents = readWorkflow(packageRoot).agents;
  const hook = make(magnus, collector);
  const say = async (message: Partial<TurnMessage>): Promise<MessageChange | undefined> =>
    await hook.onMessage?.({ session: "ses_root", agent: "orchestrator", model, typed: "hi", ...message });
  return { hook, collector, say, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() };
}

test.each<[string, Partial<TurnMessage>, string | undefined]>([
  ["the orchestrator", {}, "high"],
  ["the architect", { agent: "architect" }, "medium"],
  ["an agent with a setting of its own", { agent: "plan-reviewer" }, "own"],
  ["other agents", { agent: "build" }, undefined],
  ["an agent called constructor", { agent: "constructor" }, undefined],
  ["a model without variants", { model: { ...model, modelID: "plain" } }, undefined],
  ["a variant that you chose", { model: { ...model, variant: "low" } }, undefined],
  ["a child session", { session: "ses_child" }, undefined],
])("the first message's variant: %s", async (_, message, variant) => {
  await using opened = await open(firstMessageVariant, { agents: { "plan-reviewer": { variant: "own" } } });
  expect((await opened.say(message))?.variant).toBe(variant);
});

test("later messages keep their variant", async () => {
  await using fresh = await open(firstMessageVariant);
  await fresh.say({ agent: "build" });
  expect(await fresh.say({})).toBeUndefined();
  await using opened = await open(firstMessageVariant, {}, [{ info: { role: "user" }, parts: [] }]);
  expect(await opened.say({})).toBeUndefined();
});

test("ultrawork counts once in a session, and not in what an agent wrote", async () => {
  await using opened = await open(ultraworkKeyword);
  const { say, collector } = opened;
  await say({ typed: "" });
  await say({ typed: "ulw", session: "ses_child" });
  expect([collector.take("ses_root"), collector.take("ses_child")]).toEqual(["", ""]);
  await say({ typed: "ulw" });
  expect(collector.take("ses_root")).toStartWith("<ultrawork>");
  collector.forgetGiven("ses_root");
  await say({ typed: "ulw" });
  expect(collector.take("ses_root")).toBe("");
});

test("after a restart, the conversation says that it was there", async () => {
  await using opened = await open(ultraworkKeyword, {}, [{ info: { role: "user" }, parts: [{ text: "<ultrawork>" }] }]);
  await opened.say({ typed: "ulw" });
  expect(opened.collector.take("ses_root")).toBe("");
});

const chatty = "// one\na();\n// two\nb();\n// three\nc();\n";
const result = { session: "ses_root", metadata: {}, output: "Wrote file." };

test("an agent that writes mostly comments is asked to remove them, in your words if you have some", async () => {
  for (const [settings, advice] of [
    [{}, "Remove the comments that only say what the code says."],
    [{ commentChecker: { custom_prompt: "No chatter, please." } }, "No chatter, please."],
  ] as const) {
    await using opened = await open(commentChecker, settings);
    const { hook } = opened;
    const written = await hook.afterTool?.({ ...result, tool: "write", args: { filePath: "a.ts", content: chatty } });
    expect(written).toStartWith(
      "Wrote file.\n\n<comment_check>\na.ts: 3 of the 6 lines that you wrote are comments.\n\n",
    );
    expect(written).toContain(advice);
    const edit = { filePath: "a.ts", oldString: chatty, newString: `${chatty}d();\n` };
    expect(await hook.afterTool?.({ ...result, tool: "edit", args: edit })).toBeUndefined();
    const patched = chatty.replaceAll(/^(?=.)/gm, "+");
    const patchText = `*** Begin Patch\n*** Update File: b.ts\n*** Move to: c.ts\n@@\n-z();\n${patched}*** Add File: d.md\n+# x\n*** End Patch`;
    const patch = await hook.afterTool?.({ ...result, tool: "apply_patch", args: { patchText } });
    expect(patch).toStartWith("Wrote file.\n\n<comment_check>\nc.ts: 3 of the 6 lines");
    const kept = `*** Begin Patch\n*** Update File: b.ts\n@@\n${chatty.replaceAll(/^(?=.)/gm, "-")}${patched}*** End Patch`;
    expect(await hook.afterTool?.({ ...result, tool: "apply_patch", args: { patchText: kept } })).toBeUndefined();
    expect(
      await hook.afterTool?.({ ...result, tool: "read", args: { filePath: "a.ts", content: chatty } }),
    ).toBeUndefined();
  }
});

test("comments that a written file had before do not count, also if their file is replaced", async () => {
  await using opened = await open(commentChecker, {}, [], { "src/a.ts": chatty });
  const { hook } = opened;
  const write = async (filePath: string, content: string) => {
    const call = { session: "ses_root", tool: "write", args: { filePath, content } };
    await hook.beforeTool?.(call);
    return await hook.afterTool?.({ ...result, ...call });
  };
  expect(await write("src/a.ts", `${chatty}d();\n`)).toBeUndefined();
  expect(await write("src/new.ts", chatty)).toContain("src/new.ts: 3 of the 6 lines");
  expect(await write("src/a.ts", chatty.replaceAll("// ", "// now "))).toContain("src/a.ts: 3 of the 6 lines");
});
