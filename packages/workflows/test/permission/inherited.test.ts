// What limits an OpenCode agent besides its own file, as Claude and Copilot have to know it, too.
import { expect, test } from "bun:test";
import { type Project, tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "../../src/entities/initialize.ts";
import type { EntityRegistry } from "../../src/entities/registry.ts";
import { decidePermission } from "../../src/hosts/permission-policy.ts";

const agent = (keys = ""): string => `---\ndescription: Works\n${keys}---\nWork.\n`;

async function load(project: Project): Promise<EntityRegistry> {
  return await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
}

/** Under `--allow all`, so that only the file and what it inherits can say no. */
function answer(registry: EntityRegistry, name: string, tool: string, detail = "x"): string {
  const file = registry.getAgent(name)?.restrictions;
  return decidePermission({ user: "allow", file }, { tool, detail, folder: "/p", root: "/p" });
}

test("the top-level permissions of a project and its user apply to every agent", async () => {
  await using project = await tmpProject({
    files: {
      "opencode.json": JSON.stringify({ permission: { bash: { "git push *": "deny" } }, tools: { write: false } }),
      "~/.config/opencode/opencode.jsonc": '{ "permission": { "webfetch": "ask" }, /* mine */ }',
      ".opencode/agent/worker.md": agent(),
      ".opencode/agent/fetcher.md": agent("permission:\n  webfetch: allow\n"),
    },
  });
  const registry = await load(project);
  expect(answer(registry, "worker", "bash", "git push")).toBe("deny");
  expect(answer(registry, "worker", "bash", "cd x && git push origin")).toBe("deny");
  expect(answer(registry, "worker", "bash", "git status")).toBe("allow");
  expect(answer(registry, "worker", "write")).toBe("deny");
  expect(answer(registry, "worker", "webfetch")).toBe("ask");
  // As in OpenCode: what the user writes into an agent of their own comes later.
  expect(answer(registry, "fetcher", "webfetch")).toBe("allow");
  expect(answer(registry, "fetcher", "bash", "git push")).toBe("deny");
});

test("an agent that changes a built-in agent keeps its limits", async () => {
  await using project = await tmpProject({
    files: {
      "opencode.json": JSON.stringify({ agent: { plan: { model: "a/b" } } }),
      ".opencode/agent/explore.md": agent(),
      ".opencode/agent/other.md": agent(),
    },
  });
  const registry = await load(project);
  expect(answer(registry, "plan", "edit", "/p/src/a.ts")).toBe("deny");
  expect(answer(registry, "plan", "bash", "ls")).toBe("allow");
  expect(answer(registry, "explore", "edit")).toBe("deny");
  expect(answer(registry, "explore", "task", "general")).toBe("deny");
  expect(answer(registry, "explore", "read")).toBe("allow");
  expect(answer(registry, "other", "edit")).toBe("allow");
});

test("a config that cannot be read disables the agents that it may restrict", async () => {
  await using project = await tmpProject({
    files: {
      "opencode.json": '{ "permission": { "bash": "never" } }',
      ".opencode/agent/worker.md": agent(),
      ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\n---\nReview.\n",
    },
  });
  const registry = await load(project);
  expect(registry.getAgent("worker")?.disabledBecause).toContain('"permission" cannot be read');
  expect(registry.getAgent("reviewer")?.disabledBecause).toBeUndefined();
  await project.write("opencode.json", "{ broken");
  expect((await load(project)).getAgent("worker")?.disabledBecause).toContain("unknown");
});

test("rules follow when a config changes", async () => {
  await using project = await tmpProject({
    files: { "opencode.json": '{ "permission": "deny" }', ".opencode/agent/worker.md": agent() },
  });
  const registry = await load(project);
  expect(answer(registry, "worker", "bash")).toBe("deny");
  await project.write("opencode.json", "{}");
  await registry.registerFromProvider("opencode", project.dir, "project");
  expect(answer(registry, "worker", "bash")).toBe("allow");
});

test("a command works under its agent's rules", async () => {
  await using project = await tmpProject({
    files: {
      "opencode.json": JSON.stringify({ permission: { webfetch: "deny" }, command: { ask: { template: "x" } } }),
      ".opencode/command/look.md": "---\ndescription: Looks\nagent: plan\n---\nLook.",
    },
  });
  const registry = await load(project);
  const of = (name: string, tool: string): string =>
    decidePermission(
      { user: "allow", file: registry.getCommand(name)?.restrictions },
      { tool, detail: "x", folder: "/p", root: "/p" },
    );
  expect([of("ask", "webfetch"), of("ask", "edit")]).toEqual(["deny", "allow"]);
  expect([of("look", "webfetch"), of("look", "edit")]).toEqual(["deny", "deny"]);
});

test("for two agents with the same name, keys are in the order in which OpenCode merges them", async () => {
  await using project = await tmpProject({
    files: {
      "opencode.json": JSON.stringify({ agent: { two: { permission: { bash: "allow", "*": "allow" } } } }),
      ".opencode/agent/two.md": agent('permission:\n  "*": deny\n  bash: allow\n'),
    },
  });
  expect(answer(await load(project), "two", "bash", "ls")).toBe("deny");
});
