import { describe, expect, test } from "bun:test";
import { mergeUnder } from "@atomic/workflows/internal/plugin/merge-under";
import type { OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { packageRoot } from "../../../src/package-root.ts";
import { hideFromOthers, unableAgents } from "../../../src/plugin/setup/finish-config.ts";
import { tools } from "../../../src/plugin/tools/tools.ts";
import type { UnableAgents } from "../../../src/words/help-words.ts";

const workflow = readWorkflow(packageRoot, {});
const roleOf = (name: string): string => (name === "reviewer-2" ? "reviewer" : name);
const ours = { agents: workflow.agents, roleOf, commandNames: {} };

/** What is found when the package's agents come under a user's config, as OpenCode gets it. */
function foundIn(user: OpencodeConfig): UnableAgents {
  const config = { ...user, ...mergeUnder(user, workflow).config };
  hideFromOthers(
    config,
    tools.map(({ name }) => name),
    [],
  );
  return unableAgents(config, ours);
}

describe("agents that can do their part", () => {
  test("are all of them by default", () => expect(foundIn({})).toEqual({}));

  test("include those with other models and prompts, and those that ask first", () => {
    const agent = { reviewer: { model: "a/b", prompt: "Mine." }, developer: { permission: { edit: "ask" } } };
    expect(foundIn({ agent })).toEqual({});
  });

  test("include disabled ones whose phase is skipped with them", () => {
    const off = { disable: true };
    const agents = { ...workflow.agents, reviewer: off, designer: off, tester: off, cleaner: off, explorer: off };
    expect(unableAgents({ permission: { submit_review: "deny" } }, { ...ours, agents })).not.toHaveProperty("reviewer");
    expect(unableAgents({}, { ...ours, agents })).toEqual({});
  });
});

describe("agents that cannot", () => {
  test("are those whose permissions lack what their phase needs", () => {
    const agent = {
      reviewer: { permission: { edit: "deny" } },
      designer: { permission: { submit_review: "deny" } },
      developer: { permission: { "*": "deny" } },
      orchestrator: { permission: { "magnus_*": "deny" } },
    };
    const found = foundIn({ agent });
    expect(Object.keys(found).toSorted()).toEqual(["designer", "developer", "orchestrator", "reviewer"]);
    expect(found.reviewer).toContain("may not write its reports: the user's settings");
    expect(found.designer).toContain("may not use `submit_review`");
    expect(found.developer).toContain("may not change files, use `run_tests`");
    expect(found.reviewer).toContain("`agents.reviewer.permission`");
  });

  test("are judged by their role, whatever their name", () => {
    const agents = { "reviewer-2": workflow.agents.reviewer! };
    const config: OpencodeConfig = { agent: { "reviewer-2": { permission: { "*": "deny" } } } };
    expect(unableAgents(config, { ...ours, agents })["reviewer-2"]).toContain("write its reports, use `submit_review`");
  });

  test("are disabled ones whose phase is not skipped, with what the user can do", () => {
    const off = { disable: true };
    const agents = { ...workflow.agents, architect: off, developer: off, "ui-developer": off };
    const found = unableAgents({}, { ...ours, agents });
    expect(Object.keys(found).toSorted()).toEqual(["architect", "developer", "ui-developer"]);
    expect(found.architect).toContain("is disabled in the Magnus Opus settings (`disabled_agents`, or");
    expect(found.architect).toContain("`/waive phase <reason>`");
  });
});
