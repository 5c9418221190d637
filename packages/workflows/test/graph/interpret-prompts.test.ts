import { describe, expect, test } from "bun:test";
import { agentNode, clearContextNode, commandNode, skillNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { parallelNode } from "../../src/graph/control-nodes.ts";
import { entity } from "../entities.ts";
import { noEntities, registryWith, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

describe("prompts", () => {
  const registry = registryWith({
    more: [
      entity("debugger", "claude:project", { type: "agent", model: "opus", modelId: "claude-opus-9", tools: ["read"] }),
      entity("commit", "claude:project", { type: "skill", prompt: "Commit $ARGUMENTS", model: "inherit" }),
      entity("review", "opencode:project", { type: "command", prompt: "Review $1, then $2" }),
    ],
  });

  test("of agents, skills and commands contain what the host needs", async () => {
    const host = new ScriptedHost();
    const compiled = graph({ name: "x", state: { scope: "api" } })
      .start(agentNode({ agent: "debugger", prompt: ({ scope }) => `Debug ${scope}`, permissions: { bash: "ask" } }))
      .then(agentNode({ id: "own", prompt: "Hi", system: "You are brief.", model: "m", tools: [], host: "claude" }))
      .then(skillNode({ skill: "commit", args: ({ scope }) => `--scope ${scope}` }))
      .then(commandNode({ command: "review", args: "a b c" }))
      .then(agentNode({ id: "input", system: "You are kind." }))
      .compile(registry);
    await runGraph(compiled, { host, registry, input: "the input" });
    expect(host.requests).toEqual([
      {
        runId: "run",
        path: "agent-debugger",
        prompt: "Debug api",
        keep: false,
        agent: registry.require("agent", "debugger"),
        model: "claude-opus-9",
        tools: ["read"],
        permissions: { bash: "ask" },
      },
      {
        runId: "run",
        path: "own",
        prompt: "Hi",
        system: "You are brief.",
        keep: false,
        model: "m",
        tools: [],
        host: "claude",
      },
      {
        runId: "run",
        path: "skill-commit",
        prompt: "Commit --scope api",
        keep: false,
        entity: registry.require("skill", "commit"),
      },
      {
        runId: "run",
        path: "command-review",
        prompt: "Review a, then b c",
        keep: false,
        entity: registry.require("command", "review"),
      },
      { runId: "run", path: "input", prompt: "the input", system: "You are kind.", keep: false },
    ]);
  });

  test("prefer the node's model and tools to the agent's", async () => {
    const host = new ScriptedHost();
    const compiled = graph({ name: "x" })
      .start(agentNode({ agent: "debugger", prompt: "Hi", model: "haiku", tools: ["grep"] }))
      .compile(registry);
    await runGraph(compiled, { host, registry });
    expect(host.requests).toMatchObject([{ model: "haiku", tools: ["grep"] }]);
  });

  test("wait for a free slot in the agents' queue", async () => {
    let running = 0;
    let most = 0;
    const host = new ScriptedHost(async ({ prompt }) => {
      running += 1;
      most = Math.max(most, running);
      // Long enough for the other branches to start, if nothing holds them back.
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return prompt;
    });
    const branches = ["one", "two", "three"].map((id) => agentNode({ id, prompt: id }));
    const compiled = graph({ name: "x" })
      .start(parallelNode({ id: "fan", branches }))
      .compile(noEntities);
    const { status } = await runGraph(compiled, { host, queues: { agents: 1 } });
    expect(status.kind).toBe("done");
    expect(host.sent).toHaveLength(3);
    expect(most).toBe(1);
  });

  test("record the session before anything is sent", async () => {
    const compiled = graph({ name: "x" })
      .start(agentNode({ id: "a", prompt: "Hi" }))
      .compile(noEntities);
    const { keys, events } = await runGraph(compiled);
    expect(keys).toEqual(["a:session", "a"]);
    expect(events.find((event) => event.type === "step-finished" && event.key === "a:session")).toMatchObject({
      result: { value: { session: "session of a", prompt: "Hi" } },
    });
  });

  test("with the same session name continue one session, until it is forgotten", async () => {
    const host = new ScriptedHost();
    const say = (id: string, session?: string) => agentNode({ id, prompt: id, session });
    const compiled = graph({ name: "x" })
      .start([say("a", "main"), say("b", "other"), say("c", "main"), say("d")])
      .parallel({ branches: [say("e", "main"), [clearContextNode({ session: "other" }), say("f", "new")]] })
      .then([say("g", "main"), say("h", "other"), say("i", "new"), clearContextNode({ id: "all" }), say("j", "main")])
      .compile(noEntities);
    await runGraph(compiled, { host });
    expect(Object.fromEntries(host.sent.map(({ path, session }) => [path.slice(-1), session]))).toEqual({
      a: "session of a",
      b: "session of b",
      c: "session of a",
      d: "session of d",
      e: "session of a",
      f: "session of parallel.1/f",
      g: "session of a",
      h: "session of h",
      i: "session of parallel.1/f",
      j: "session of j",
    });
    expect(host.closed.sort()).toEqual(["session of a", "session of b", "session of h", "session of parallel.1/f"]);
  });

  test("go to another session if the host had to open one", async () => {
    const host = new ScriptedHost(({ path }) => ({ text: "ok", ...(path === "a" && { session: "another" }) }));
    const compiled = graph({ name: "x" })
      .start(["a", "b"].map((id) => agentNode({ id, prompt: id, session: "main" })))
      .compile(noEntities);
    await runGraph(compiled, { host });
    expect(host.sent.map(({ session }) => session)).toEqual(["session of a", "another"]);
  });

  test("that are not text fail before they are sent", async () => {
    const host = new ScriptedHost();
    const compiled = graph({ name: "x" })
      .start(agentNode({ id: "a", prompt: (() => undefined) as never }))
      .compile(noEntities);
    const { status } = await runGraph(compiled, { host });
    expect(status).toMatchObject({
      kind: "failed",
      error: { message: '"prompt" in the node "a" returned undefined instead of text.' },
    });
    expect(host.opened).toEqual([]);
  });
});
