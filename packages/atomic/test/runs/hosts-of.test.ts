// Which agents a worker must have for a run.
import { expect, test } from "bun:test";
import type { GraphJson, NodesJson } from "@atomic/workflows/internal/graph/graph-json";
import { hostsOf } from "../../src/runtime/readiness.ts";

const graphOf = (nodes: NodesJson): GraphJson => ({ version: 1, name: "g", state: {}, nodes });
const say = { id: "say", kind: "tool", run: { fn: "say:run" } } as const;
const ask = { id: "ask", kind: "agent", prompt: { value: "hello" } } as const;

test("a workflow without prompts can be executed by any worker", () => {
  expect(hostsOf(graphOf([say]), "opencode")).toEqual([]);
});

test("prompts go to the run's host, or to the one that a node names", () => {
  expect(hostsOf(graphOf([say, ask, ask]), "opencode")).toEqual(["opencode"]);
  expect(hostsOf(graphOf([{ ...ask, host: "claude" }]), "opencode")).toEqual(["claude"]);
});

test("prompts inside a subgraph, and those after a failure, count", () => {
  const inner = graphOf([{ ...say, onError: [{ ...ask, host: "copilot" }] }]);
  expect(hostsOf(graphOf([{ id: "sub", kind: "subgraph", graph: inner }, ask]), "claude")).toEqual([
    "copilot",
    "claude",
  ]);
});
