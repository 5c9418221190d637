import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { ServerClient } from "../../src/hosts/opencode/client.ts";
import { promptPart } from "../../src/hosts/opencode/messages.ts";
import { runningServer } from "../../src/hosts/opencode/server.ts";
import { Turn, type TurnNews } from "../../src/hosts/opencode/turn.ts";

describe("a turn", () => {
  const event = (type: string, properties: object, session = "s") => ({ type, session, properties: { ...properties } });
  const part = (more: object, session = "s") =>
    event("message.part.updated", { part: { messageID: "m", ...more } }, session);
  const delta = (text: string, field = "text", partID = "p") =>
    event("message.part.delta", { partID, field, delta: text });
  const events = (news: readonly TurnNews[]) => news.flatMap((each) => (each.kind === "event" ? [each.event] : []));
  const texts = (news: readonly TurnNews[]) =>
    events(news).flatMap((each) => (each.type === "text" ? [each.text] : []));

  function begun(): Turn {
    const turn = new Turn("s", "k");
    turn.take(part({ ...promptPart("hi", "k"), messageID: "u" }));
    turn.take(event("message.updated", { info: { id: "m", role: "assistant" } }));
    return turn;
  }

  test("reports text once, whether it comes in pieces or whole", () => {
    const turn = begun();
    const pieces = [
      part({ type: "text", id: "p", text: "" }),
      delta("on"),
      delta("e"),
      part({ type: "text", id: "p", text: "one two" }),
    ];
    expect(texts(pieces.flatMap((each) => turn.take(each)))).toEqual(["on", "e", " two"]);
    expect(turn.take(part({ type: "text", id: "p", text: "one two" }))).toEqual([]);
  });

  test("says nothing rather than something twice when pieces were missed", () => {
    const turn = begun();
    turn.take(part({ type: "text", id: "p", text: "" }));
    expect(texts(turn.take(delta("end")))).toEqual(["end"]);
    expect(turn.take(part({ type: "text", id: "p", text: "beginning and end" }))).toEqual([]);
  });

  test("is silent about thoughts, about the prompt, and about what came before it", () => {
    const turn = new Turn("s", "k");
    const before = [
      event("message.updated", { info: { id: "m", role: "assistant" } }),
      part({ type: "text", id: "p", text: "old" }),
      event("session.idle", {}),
    ];
    expect(before.flatMap((each) => turn.take(each))).toEqual([]);
    expect(turn.take(event("session.error", { error: { name: "x" } }))).toEqual([
      { kind: "failed", error: { name: "x" }, isSure: false },
    ]);
    const now = begun();
    const silent = [
      part({ type: "reasoning", id: "r", text: "hm" }),
      delta("hm", "text", "r"),
      delta("{", "input"),
      part({ type: "text", id: "q", text: "hi", messageID: "u" }),
    ];
    expect(silent.flatMap((each) => now.take(each))).toEqual([]);
    expect(now.take(event("session.idle", {}))).toEqual([{ kind: "idle" }]);
  });

  test("reports each tool call once, even if its start was missed", () => {
    const turn = begun();
    const state = (status: string, more: object = {}) =>
      part({ type: "tool", tool: "apply_patch", callID: "c", state: { status, input: { a: 1 }, ...more } });
    const all = [
      state("pending"),
      state("running"),
      state("running"),
      state("error", { error: "no" }),
      state("error", { error: "no" }),
    ];
    expect(events(all.flatMap((each) => turn.take(each)))).toEqual([
      { type: "tool-started", id: "c", tool: "patch", input: { a: 1 } },
      { type: "tool-ended", id: "c", tool: "patch", ok: false, output: "no" },
    ]);
    expect(events(begun().take(state("completed", { output: "yes" }))).map(({ type }) => type)).toEqual([
      "tool-started",
      "tool-ended",
    ]);
  });

  test("counts every step once, with what was cached and thought, and those of sub-agents", () => {
    const turn = begun();
    const tokens = { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } };
    const used = { type: "usage" as const, usage: { usd: 0.5, inputTokens: 10, outputTokens: 5 } };
    const step = part({ type: "step-finish", id: "f", cost: 0.5, tokens });
    expect(events([...turn.take(step), ...turn.take(step)])).toEqual([used]);
    const helper = [
      part({ type: "step-finish", id: "g", cost: 0.5, tokens }, "child"),
      part({ type: "text", id: "t", text: "x" }, "child"),
      event("session.idle", {}, "child"),
      event("session.error", {}, "child"),
    ];
    expect(helper.flatMap((each) => turn.take(each))).toEqual([{ kind: "event", event: used }]);
    expect(events(turn.take(part({ type: "step-finish", id: "h", cost: -1, tokens: { input: "many" } })))).toEqual([
      { type: "usage", usage: { usd: 0, inputTokens: 0, outputTokens: 0 } },
    ]);
  });

  test("reports each request once, including those of sub-agents", () => {
    const turn = begun();
    turn.take(part({ type: "tool", tool: "write", callID: "c", state: { status: "running", input: {} } }));
    const ask = (more: object, session = "s") =>
      turn.take(event("permission.asked", { permission: "edit", patterns: ["a.txt", "b.txt"], ...more }, session));
    expect(ask({ id: "1", tool: { callID: "c" }, metadata: { filepath: "/p/a.txt" } })).toEqual([
      { kind: "asked", asked: { id: "1", tool: "write", detail: "/p/a.txt" } },
    ]);
    expect(ask({ id: "1" })).toEqual([]);
    expect(ask({ id: "2", permission: "external_directory", tool: { callID: "c" } }, "child")).toEqual([
      { kind: "asked", asked: { id: "2", tool: "external_directory", detail: "a.txt, b.txt" } },
    ]);
    expect(ask({ id: "3", permission: "bash", metadata: { command: "ls && rm x" } })).toEqual([
      { kind: "asked", asked: { id: "3", tool: "bash", detail: "ls && rm x" } },
    ]);
    expect(ask({})).toEqual([]);
  });

  test("asks about files with their paths from the folder, not from the root of the repository", async () => {
    await using project = await tmpProject({ files: { "pkg/app/x": "" } });
    const client = new ServerClient(runningServer("http://localhost"), project.path("pkg/app"));
    const turn = new Turn("s", "k", (path) => client.fromFolder(path));
    const ask = (permission: string, more: object) =>
      turn.take(event("permission.asked", { id: permission, permission, patterns: ["pkg/app/a", "b"], ...more }));
    expect(ask("read", {})).toMatchObject([{ asked: { detail: "a, ../../b" } }]);
    expect(ask("edit", { metadata: { filepath: "pkg/app/a, b" } })).toMatchObject([
      { asked: { detail: "a, ../../b" } },
    ]);
    expect(ask("grep", {})).toMatchObject([{ asked: { detail: "pkg/app/a, b" } }]);
  });

  test("catches up with what is stored, and continues from there", () => {
    const turn = new Turn("s", "k");
    const stored = [
      { info: { id: "u", role: "user" }, parts: [{ ...promptPart("hi", "k"), messageID: "u" }] },
      { info: { id: "m", role: "assistant" }, parts: [{ type: "text", id: "p", messageID: "m", text: "so far" }] },
    ];
    expect(texts(turn.catchUp(stored))).toEqual(["so far"]);
    expect(turn.catchUp(stored)).toEqual([]);
    expect(texts(turn.take(delta(" so good")))).toEqual([" so good"]);
  });
});
