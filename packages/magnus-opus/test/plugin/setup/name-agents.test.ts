import { expect, test } from "bun:test";
import { mergeUnder } from "@atomic/workflows/internal/plugin/merge-under";
import type { OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { packageRoot } from "../../../src/package-root.ts";
import { isTaken, nameAgents } from "../../../src/plugin/setup/name-agents.ts";

const workflow = readWorkflow(packageRoot, {});

function named(config: OpencodeConfig) {
  const parameters = { reviewer: { maxTokens: 10 }, tester: {} };
  const settings = { names: {}, agents: {}, parameters };
  return { settings, workflow: nameAgents(workflow, settings, (name) => isTaken(config, name)) };
}

test.each<[string, OpencodeConfig, boolean]>([
  ["nothing", {}, false],
  ["an entry that only tunes ours", { agent: { reviewer: { model: "a/b", permission: { edit: "deny" } } } }, false],
  ["a Markdown file without a body", { agent: { reviewer: { name: "reviewer", prompt: "", temperature: 1 } } }, false],
  ["an entry that disables ours", { agent: { reviewer: { disable: true } } }, false],
  ["an agent with a prompt", { agent: { reviewer: { prompt: "You taste wine." } } }, true],
  ["an agent with a description", { agent: { reviewer: { description: "Tastes wine", mode: "subagent" } } }, true],
  ["a disabled agent with a prompt", { agent: { reviewer: { prompt: "You taste wine.", disable: true } } }, true],
])("%s: whether the name is taken", (_, config, is) => {
  expect(isTaken(config, "reviewer")).toBe(is);
});

test("another workflow's agent has its name, and ours from another copy of the package does not", () => {
  const owners = Symbol.for("@atomic/workflows owners");
  const config = (owner: string) => ({
    agent: { reviewer: { prompt: "x" } },
    [owners]: new Map([["agent reviewer", owner]]),
  });
  expect(isTaken(config("code-review"), "reviewer")).toBe(true);
  expect(isTaken(config("magnus-opus"), "reviewer")).toBe(false);
});

test("without a clash, everything keeps its name", () => {
  expect(named({ agent: { wine: { prompt: "Red." } } }).workflow).toEqual(workflow);
});

test("with one, yours stays as it is, and what is ours follows the new name", () => {
  const user = {
    agent: {
      reviewer: { prompt: "You taste wine.", permission: { edit: "allow" } },
      orchestrator: { description: "Conducts", mode: "primary" },
      "magnus-reviewer": { model: "a/b" },
    },
  };
  const { settings, workflow: ours } = named(user);
  expect(settings.names).toEqual({ orchestrator: "magnus-orchestrator", reviewer: "magnus-reviewer" });
  expect(Object.keys(settings.agents)).toEqual(Object.keys(ours.agents));
  expect(settings.parameters).toEqual({ "magnus-reviewer": { maxTokens: 10 }, tester: {} } as never);
  const { agent = {}, command = {} } = mergeUnder(user, ours).config;
  expect(agent.reviewer).toBe(user.agent.reviewer);
  expect(agent.orchestrator).toBe(user.agent.orchestrator);
  expect(agent["magnus-reviewer"]).toMatchObject({ model: "a/b", prompt: workflow.agents.reviewer!.prompt! });
  const { task } = agent["magnus-orchestrator"]!.permission as { task: object };
  expect(Object.keys(task)).toContain("magnus-reviewer");
  expect(Object.keys(task)).not.toContain("reviewer");
  expect(agent["magnus-orchestrator"]!.prompt).toContain("| `magnus-reviewer` | the change to judge |");
  expect(Object.values(command).map((each) => each.agent)).toEqual(
    Object.values(workflow.commands).map(() => "magnus-orchestrator"),
  );
});
