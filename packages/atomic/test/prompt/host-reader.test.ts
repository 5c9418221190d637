// What each host reads of everything that can be typed.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { hostReader } from "../../src/prompt/host-reader.ts";
import { type PromptHost, promptHosts } from "../../src/prompt/line/host-command.ts";
import { loadCatalog } from "../../src/prompt/load-catalog.ts";
import { contextIn } from "../atomic.ts";

const files = {
  ".claude/commands/ship.md": "Ship $1\n",
  ".claude/commands/show.md": "A namesake of what atomic does itself\n",
  ".claude/agents/planner.md": "---\nname: planner\ndescription: Plans\n---\nPlan.\n",
  ".claude/skills/both/SKILL.md": "---\nname: both\ndescription: Is read by all\n---\nHello.\n",
  ".opencode/command/deploy.md": "---\ndescription: Deploys\n---\nDeploy.\n",
  ".opencode/skill/bare/SKILL.md": "Without a name, OpenCode refuses it.\n",
  ".atomic/workflows/release.ts": "export default 1;\n",
};

test.each<readonly [PromptHost, readonly string[]]>([
  ["claude", ["both", "planner", "ship"]],
  ["opencode", ["both", "deploy"]],
  ["copilot", ["both", "planner", "ship"]],
])("%s reads %j, and neither our commands nor workflows nor builtins", async (host, names) => {
  await using project = await tmpProject({ git: false, files });
  const { entries, registry } = await loadCatalog(contextIn(project).context);
  const reader = hostReader(registry);
  // Asked again, and for another host in between, the answer is the same.
  for (const each of [host, ...promptHosts, host]) {
    const read = reader(each, entries).map(({ name }) => name);
    if (each === host) expect(read.toSorted()).toEqual([...names]);
  }
});
