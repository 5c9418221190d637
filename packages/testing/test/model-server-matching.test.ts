import { describe, expect, test } from "bun:test";
import { newestToolResults, newestUserText, type PromptMessage, typedText } from "@atomic/testing/model/conversation";
import { type ModelServer, modelServer, sideRequests } from "@atomic/testing/model-server";
import fc from "fast-check";
import { Conversation } from "./model-client.ts";

const user = (text: string): PromptMessage => ({ role: "user", text });
const tool = (text: string): PromptMessage => ({ role: "tool", callId: "c", text });
const assistant: PromptMessage = { role: "assistant", text: "", reasoning: "", toolCalls: [] };
const reminder = "<system-reminder>mind\nthe todo list</system-reminder>";

test.each([
  ["plain", "plain"],
  [`${reminder}typed`, "typed"],
  [`a ${reminder} b ${reminder}`, "a  b"],
  [reminder, ""],
])("of %p the user typed %p", (text, typed) => {
  expect(typedText(text)).toBe(typed);
});

test.each<[string, PromptMessage[], string, string[]]>([
  ["nothing", [], "", []],
  ["a prompt", [user("a")], "a", []],
  ["a prompt, then a reminder", [user("a"), user(reminder)], "a", []],
  ["a tool result", [user("a"), assistant, tool("x")], "a", ["x"]],
  ["two tool results", [user("a"), assistant, tool("x"), tool("y")], "a", ["x", "y"]],
  ["tool results of two turns", [user("a"), assistant, tool("x"), assistant, tool("y")], "a", ["y"]],
  ["a tool result, then a reminder", [user("a"), assistant, tool("x"), user(reminder)], "a", ["x"]],
  ["a tool result, then a new prompt", [user("a"), assistant, tool("x"), user("b")], "b", []],
  ["an answer, then a new prompt", [user("a"), assistant, user("b")], "b", []],
])("%s: the newest prompt and the newest results are found", (_, messages, prompt, results) => {
  expect(newestUserText(messages)).toBe(prompt);
  expect(newestToolResults(messages)).toEqual(results);
});

test("a prompt after an interrupted tool starts a new conversation", async () => {
  await using model = await modelServer();
  model.expect("go").tool("bash");
  model.expect("never mind").reply("fine");
  const talk = new Conversation(model);
  const { calls } = await talk.say("go");
  talk.history.push({ role: "tool", tool_call_id: calls[0]?.id, content: "interrupted" });
  expect((await talk.say("never mind")).text).toBe("fine");
});

test("a conversation under way goes before one that the new prompt would match", async () => {
  await using model = await modelServer();
  model.expect("hello").reply("hi").then.reply("again");
  model.expect("bye").reply("goodbye");
  const talk = new Conversation(model);
  await talk.say("hello");
  expect((await talk.say("bye")).text).toBe("again");
  expect((await talk.say("bye")).text).toBe("goodbye");
});

test("expectations are tried in the order in which they were written", async () => {
  await using model = await modelServer();
  model.expect("specific question").reply("specific");
  model.expect().reply("anything else").always();
  expect((await new Conversation(model).say("a specific question")).text).toBe("specific");
  expect((await new Conversation(model).say("a specific question")).text).toBe("anything else");
});

test("a session that is rolled back to its first prompt is a new conversation", async () => {
  await using model = await modelServer();
  model.expect("go").reply("one").then.reply("two");
  model.expect("go").reply("other");
  const talk = new Conversation(model);
  await talk.say("go");
  talk.history.length = 0;
  expect((await talk.say("go")).text).toBe("other");
  expect(() => model.verify()).toThrow("turn 2 was never asked for");
});

test("a longer history that begins with the same words is another conversation", async () => {
  await using model = await modelServer();
  model.expect("go").reply("one").then.reply("two");
  model.expect("more").reply("from the other script");
  await new Conversation(model).say("go");
  const longer = new Conversation(model);
  for (const content of ["go", "on"]) longer.history.push({ role: "user", content }, { role: "assistant", content });
  expect((await longer.say("more")).text).toBe("from the other script");
  expect(() => model.verify()).toThrow("turn 2 was never asked for");
});

test("a pattern with a memory matches every time", async () => {
  await using model = await modelServer();
  model.expect(/go/g).reply("ok").times(3);
  for (let round = 0; round < 3; round++) expect((await new Conversation(model).say("go")).text).toBe("ok");
});

describe("sessions", () => {
  /** One step of one of several sessions that all start with the same words. */
  const schedule = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 24 });

  test("get their own turns in order, however their requests interleave", async () => {
    await using model = await modelServer({ allowUnused: true });
    await fc.assert(
      fc.asyncProperty(schedule, fc.boolean(), async (steps, named) => {
        const sessions = [0, 1, 2, 3].map((index) => new ScriptedSession(model, named ? `ses_${index}` : undefined));
        for (const index of steps) await sessions[index]?.step();
        for (const session of sessions) expect(session.seen).toEqual(session.expected);
        model.verify();
      }),
      { numRuns: 60 },
    );
  });

  /** Says the same as all others, then returns tool results for as long as it is asked to. */
  class ScriptedSession {
    static #count = 0;
    readonly seen: string[] = [];
    readonly #model: ModelServer;
    readonly #name = `session-${++ScriptedSession.#count}`;
    readonly #talk: Conversation;

    constructor(model: ModelServer, header: string | undefined) {
      this.#model = model;
      this.#talk = new Conversation(model, header);
    }

    get expected(): string[] {
      return this.seen.map((_, index) => `${this.#name} turn ${index}`);
    }

    async step(): Promise<void> {
      if (this.seen.length === 0) this.#script();
      const { text } = await (this.seen.length === 0 ? this.#talk.say("the same words") : this.#talk.return("done"));
      this.seen.push(text);
    }

    // Written right before the first step: the n-th session to speak takes the n-th script.
    #script(): void {
      let script = this.#model.expect("the same words");
      for (let turn = 0; turn <= 24; turn++) script = script.reply(`${this.#name} turn ${turn}`).tool("next").then;
    }
  }
});

describe("side requests that clients make on their own", () => {
  const nothing = { model: "m", messages: [], tools: [], stream: true };
  const toolOffer = { name: "bash", description: "", parameters: {} };

  const opencode = "opencode/1.18.33 ai-sdk/provider-utils/4.0.23";
  const claude = "claude-cli/2.1.325 (external, sdk-ts)";
  const titling = { ...nothing, system: "You are a title generator. You output ONLY a thread title." };
  const saying = (text: string) => ({ ...nothing, system: "", messages: [user(text)] });

  test.each([
    ["OpenCode's title", titling, opencode, "title"],
    ["Claude Code's title", { ...nothing, system: "Generate a concise, sentence-case title" }, claude, "title"],
    ["Claude Code's quota check", saying("quota"), claude, "warm-up"],
    ["Claude Code's warm-up", saying("Warmup"), claude, "warm-up"],
    ["another client's title agent", titling, "node", undefined],
    ["the same words from Copilot", titling, "OpenAI/JS 5.20.1", undefined],
    ["the word quota, typed into OpenCode", saying("quota"), opencode, undefined],
    ["the word warmup, typed into Copilot", saying("warmup"), "OpenAI/JS 5.20.1", undefined],
    [
      "the word quota later in a talk",
      { ...saying("quota"), messages: [user("hi"), user("quota")] },
      claude,
      undefined,
    ],
    ["a prompt about titles", { ...saying("fix the title"), system: "You are an agent." }, opencode, undefined],
    ["an agent that may use tools", { ...titling, tools: [toolOffer] }, opencode, undefined],
    ["a word in a prompt", saying("check my quota please"), claude, undefined],
  ])("%s", (_, prompt, client, name) => {
    expect(sideRequests.find(({ matches }) => matches(prompt, client))?.name).toBe(name as string);
  });

  test("a typed word that is scripted is not a side request", async () => {
    await using model = await modelServer();
    model.expect("quota").status(500).then.tool("bash").then.reply("none left");
    const talk = new Conversation(model, undefined, claude);
    expect((await talk.say("quota")).status).toBe(500);
    expect((await talk.send()).calls).toHaveLength(1);
    expect((await talk.return("0")).text).toBe("none left");
    expect(model.prompts).toHaveLength(3);
  });

  test("a script for any prompt does not answer a side request", async () => {
    await using model = await modelServer({ allowUnused: true });
    model.expect().reply("whatever");
    expect((await new Conversation(model, undefined, claude).say("quota")).text).toBe("ok");
    expect(model.prompts).toEqual([]);
  });
});
