// A workflow is read inside OpenCode, by Hugo on Node, and in tests: the same everywhere.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { markdown, repository, workflowFolder } from "./workflow-folder.ts";

setDefaultTimeout(180_000);

const program = `import { defineWorkflow } from "@atomic/workflows/plugin";
import { readWorkflow } from "@atomic/workflows/plugin/read-workflow";
const client = { app: { log: async () => ({}) }, tui: { showToast: async () => ({}) } };
const workflow = defineWorkflow({ id: "w", root: process.argv[2] });
const config = { agent: { a: { model: "mine/model" } }, permission: { bash: "ask" } };
const hooks = await workflow.server({ client, directory: process.argv[2], worktree: process.argv[2] });
await hooks.config(config);
console.log(JSON.stringify({ config, found: workflow.diagnostics, read: readWorkflow(process.argv[2]) }));
`;

test("Node, Bun and the Bun inside OpenCode read a folder the same way", async () => {
  await using project = await workflowFolder({
    "agents/a.md": markdown({ permission: { "*": "allow" }, color: "info" }, "Hi"),
    // Not plain enough for the quick reader, so that the YAML parser is loaded too.
    "agents/b.md": "---\ndescription: >-\n  long\n  text\noptions: &x {a: [1, 2]}\n---\nHi",
    "agents/c.md": markdown({ mode: "boss" }),
    "commands/go.md": "Go.",
    "skills/tidy/SKILL.md": markdown({ name: "tidy", description: "Tidies" }, "Sweep."),
  });
  const build = Bun.spawnSync([
    join(repository, "node_modules/.bin/tsc"),
    "-b",
    join(repository, "packages/workflows"),
  ]);
  expect(build.stdout.toString()).toBe("");
  // Beside the packages, as an installed program is.
  const script = join(repository, "packages/workflows/dist/.plugin-runtimes.mjs");
  await Bun.write(script, program);
  const env = { ...project.env, BUN_BE_BUN: "1" };
  const runs = [["node", "--no-warnings"], [process.execPath], [opencodeBinary]].map(async (argv) => {
    const { stdout, stderr } = await project.run([...argv, script, project.dir], { env });
    return stdout === "" ? stderr : JSON.parse(stdout);
  });
  const results = await Promise.all(runs).finally(() => Bun.file(script).delete());
  expect(results[0]).toMatchObject({
    config: {
      agent: {
        a: { model: "mine/model", color: "info", permission: { "*": "allow", bash: "ask" } },
        b: { prompt: "Hi" },
      },
      skills: { paths: [project.path("skills/tidy")] },
    },
    found: [{ code: "value-unaccepted" }],
  });
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});
