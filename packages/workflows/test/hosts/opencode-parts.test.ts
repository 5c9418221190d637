// The pure parts of the OpenCode host.
import { describe, expect, test } from "bun:test";
import { readEvent, serverSentEvents } from "../../src/hosts/opencode/events.ts";
import { failureOf, rateLimitOf } from "../../src/hosts/opencode/failure.ts";
import { outcomeOf, promptPart, turnOf } from "../../src/hosts/opencode/messages.ts";
import { type Restriction, sessionRules } from "../../src/hosts/opencode/permission-rules.ts";
import type { PermissionRule } from "../../src/permission/rules.ts";
import { RateLimitError } from "../../src/run/step-errors.ts";

describe("server-sent events", () => {
  const stream = ': hello\n\ndata: {"a":1}\n\nevent: x\r\ndata: zwölf\r\ndata:more\r\n\r\nid: 7\n\ndata: never ended\n';
  const expected = ['{"a":1}', "zwölf\nmore"];

  test.each([1, 2, 3, 7, 1000])("are the same however they are cut, here every %i bytes", async (size) => {
    const bytes = new TextEncoder().encode(stream);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.slice(i * size, (i + 1) * size),
    );
    expect(await Array.fromAsync(serverSentEvents(streamOf(chunks)))).toEqual(expected);
  });

  test("a reader that stops cancels the stream, and a broken stream says why", async () => {
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("data: x\n\n")),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const data of serverSentEvents(endless)) if (data === "x") break;
    expect(isCancelled).toBe(true);
    const breaking = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("torn")) });
    expect(await Array.fromAsync(serverSentEvents(breaking)).catch((error: Error) => error.message)).toBe("torn");
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    '{"payload":7}',
    '{"payload":{"type":"x"}}',
    '{"payload":{"properties":{"sessionID":"s"}}}',
  ])("%p is not a session's event", (data) => expect(readEvent(data)).toBeUndefined());
});

describe("rules of a session", () => {
  const agent: PermissionRule[] = [
    { permission: "*", pattern: "*", action: "allow" },
    { permission: "bash", pattern: "rm *", action: "deny" },
    { permission: "read", pattern: "*.env", action: "ask" },
  ];
  /** As OpenCode decides: the last rule that matches. */
  const decide = (rules: readonly PermissionRule[], permission: string, pattern = "x") =>
    rules.findLast((rule) => [permission, "*"].includes(rule.permission) && glob(rule.pattern).test(pattern))?.action;
  const glob = (pattern: string) => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);

  test("ask for what was allowed, and keep what was denied", () => {
    const rules = sessionRules(agent, {});
    const all = ["edit", "bash", "task", "webfetch", "their_tool", "read", "grep"].map((name) => decide(rules, name));
    expect(all).toEqual(["ask", "ask", "ask", "ask", "ask", "allow", "allow"]);
    expect(decide(rules, "bash", "rm -rf /")).toBe("deny");
    expect(decide(rules, "read", "a.env")).toBe("ask");
    expect(decide(rules, "question")).toBe("deny");
  });

  test("leave only the tools that are named, under the same conditions", () => {
    const rules = sessionRules(agent, { tools: ["bash", "write", "github/merge"] });
    const all = ["bash", "edit", "github_merge", "read", "task", "their_tool"].map((name) => decide(rules, name));
    expect(all).toEqual(["ask", "ask", "ask", "deny", "deny", "deny"]);
    expect(decide(rules, "bash", "rm -rf /")).toBe("deny");
    expect(decide(rules, "external_directory")).toBe("ask");
    expect(["bash", "edit"].map((name) => decide(sessionRules(agent, { tools: [] }), name))).toEqual(["deny", "deny"]);
  });

  test("deny what is denied, even a tool of its list", () => {
    const rules = sessionRules(agent, { tools: ["bash", "read"], deny: ["bash", "patch"] });
    expect(["bash", "edit", "read"].map((name) => decide(rules, name))).toEqual(["deny", "deny", "allow"]);
  });

  test("name a server's tools as OpenCode does", () => {
    const rules = sessionRules(agent, { deny: ["my.server/*", "lake/catch fish"] });
    expect(rules.flatMap(({ permission, action }) => (action === "deny" ? [permission] : []))).toEqual(
      expect.arrayContaining(["my_server_*", "lake_catch_fish"]),
    );
  });

  const toHelpers = (restriction: Restriction): string[] =>
    sessionRules([], restriction).flatMap(({ permission, action }) => (action === "deny" ? [permission] : []));

  test("deny to helpers what they could do unasked, and nothing that only looks", () => {
    const denied = toHelpers({ known: ["read", "bash", "deploy", "invalid"] });
    for (const tool of ["bash", "edit", "webfetch", "task", "*_*", "deploy"]) expect(denied).toContain(tool);
    for (const tool of ["*", "read", "grep", "glob", "write"]) expect(denied).not.toContain(tool);
    expect(toHelpers({ denyHelpers: ["write", "github/*", "read"] })).toEqual(["edit", "github_*", "question"]);
    expect(toHelpers({ denyHelpers: [] })).toEqual(["question"]);
  });

  test("of an agent without any rule ask", () => {
    expect(decide(sessionRules([], {}), "bash")).toBe("ask");
    expect(decide(sessionRules([], { tools: ["bash"] }), "bash")).toBe("ask");
  });
});

describe("failures", () => {
  test.each<[string, object, object]>([
    ["an abort", { name: "MessageAbortedError", data: { message: "Aborted" } }, { code: "aborted" }],
    [
      "no account",
      { name: "ProviderAuthError", data: { message: "no key" } },
      { code: "login-missing", hint: "Sign in with `opencode auth login`." },
    ],
    [
      "a stack",
      { name: "UnknownError", data: { message: "Boom\n    at x (y:1:2)\n    at z" } },
      { message: "OpenCode could not answer: Boom" },
    ],
    ["nothing at all", {}, { code: "prompt-failed", message: "OpenCode could not answer: no reason was given" }],
    [
      "a limit in seconds",
      { name: "APIError", data: { message: "slow", statusCode: 429, responseHeaders: { "retry-after": "7" } } },
      { retryAfterMs: 7000 },
    ],
    [
      "a limit in milliseconds",
      { name: "APIError", data: { statusCode: 429, responseHeaders: { "retry-after-ms": "70" } } },
      { retryAfterMs: 70 },
    ],
    ["a limit without a time", { name: "APIError", data: { statusCode: 429 } }, { retryAfterMs: 60_000 }],
  ])("%s", (_name, error, expected) => {
    expect(failureOf({ ...error })).toMatchObject(expected);
  });

  test.each<[string, number, string, boolean]>([
    ["a provider that stumbles is left to OpenCode", 30_000, "Internal server error", false],
    ["a limit that is soon over, too", 5_000, "Too many requests", false],
    ["a limit pauses the run", 20_000, "Rate limit exceeded", true],
    ["and so does any error that names a time", 3_600_000, "Overloaded", true],
  ])("%s", (_name, wait, message, isLimit) => {
    const limit = rateLimitOf({ type: "retry", message, next: 1_000_000 + wait }, 1_000_000);
    expect(limit instanceof RateLimitError).toBe(isLimit);
    if (isLimit) expect(limit?.resumeAt).toBe(1_000_000 + wait);
  });
});

describe("stored messages", () => {
  const user = (text: string, key = "k") => ({ info: { role: "user" }, parts: [promptPart(text, key)] });
  const agent = (text: string, info: object = { finish: "stop" }) => ({
    info: { role: "assistant", ...info },
    parts: [{ type: "step-start" }, { type: "text", text }],
  });
  const goOn = { info: { role: "user" }, parts: [{ type: "text", text: "Continue", synthetic: true }] };

  test("the newest prompt is found by its key, or else by its text", () => {
    const messages = [user("a", "1"), agent("x"), user("b", "2"), agent("y")];
    expect(turnOf(messages, "b", "2")).toHaveLength(2);
    expect(turnOf(messages, "b", "1")).toBeUndefined();
    expect(turnOf(messages, "a", undefined)).toBeUndefined();
    expect(turnOf(messages, "b", undefined)).toHaveLength(2);
    expect(turnOf([...messages, goOn, agent("z")], "b", "2")).toHaveLength(4);
    expect(turnOf([], "b", "2")).toBeUndefined();
  });

  test.each<[string, object, string | undefined]>([
    [
      "one of OpenCode's own",
      { providerID: "opencode", modelID: "big-pickle" },
      "The model was opencode/big-pickle; `opencode models` lists those that you can use. `opencode auth login` adds other providers.",
    ],
    [
      "one that you chose",
      { providerID: "acme", modelID: "large" },
      "The model was acme/large; `opencode models` lists those that you can use.",
    ],
    ["an unknown one", {}, undefined],
  ])("a turn that failed names its model: %s", (_name, reply, hint) => {
    const failed = outcomeOf([
      user("a"),
      agent("", { ...reply, error: { name: "APIError", data: { message: "away" } } }),
    ]);
    expect(failed).toMatchObject({ ok: false, error: { message: "OpenCode could not answer: away", hint } });
  });

  test("a turn ends with its last message", () => {
    expect(outcomeOf([user("a"), agent("x", { finish: "tool-calls" }), agent("y")])).toEqual({ ok: true, text: "y" });
    expect(outcomeOf([user("a"), agent("x"), agent("shorter", { finish: "stop", summary: true })])).toEqual({
      ok: true,
      text: "x",
    });
    expect(outcomeOf([user("a"), agent("x"), goOn, agent("z")])).toEqual({ ok: true, text: "z" });
    expect(outcomeOf([user("a"), agent("x"), user("b")])).toBeUndefined();
    expect(outcomeOf([user("a"), agent("half", {})])).toMatchObject({ ok: false, error: { code: "aborted" } });
    const failed = agent("", { error: { name: "APIError", data: { message: "eels" } } });
    expect(outcomeOf([user("a"), failed])).toMatchObject({ ok: false, error: { code: "prompt-failed" } });
  });
});

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
