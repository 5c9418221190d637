import { expect, test } from "bun:test";
import { delimiter } from "node:path";
import { shownRunner } from "@atomic/terminal/shown-runner";
import { tmpProject } from "@atomic/testing/project";
import { suggestionLines } from "../../src/view/questions.ts";

const published = { program: "atomic", packageName: "@atomic/cli" };

test("commands to copy begin with what a shell needs to find the program", async () => {
  await using project = await tmpProject({ git: false, files: { "bin/atomic": "", "node_modules/.bin/atomic": "" } });
  const local = project.path("node_modules/.bin");
  const installed = project.path("node_modules/@atomic/cli/bin/atomic.js");
  const everywhere = project.path("bin");
  const shown = (script: string, folders: readonly string[], agent?: string) =>
    shownRunner(script, { PATH: folders.join(delimiter), npm_config_user_agent: agent }, published);
  // As `npx` starts it, and by its path.
  expect(shown(`${local}/atomic`, [local, "/nowhere"], "npm/10.8.2 node/v20")).toBe("npx");
  expect(shown(installed, [])).toBe("npx");
  expect(shown(installed, [local], "pnpm/10.1.0 npm/? node/v24")).toBe("pnpm exec");
  expect(shown(installed, [local, everywhere])).toBeUndefined();
  expect(shown(project.path("bin/atomic"), [local])).toBeUndefined();
});

test.each([
  ["~/.npm/_npx/0123abcd", "npm/10.8.2 node/v20", "npx -p @atomic/cli"],
  ["~/tmp/bunx-0-@atomic/cli@latest", "bun/1.4.4 npm/? node/v24", "bunx -p @atomic/cli"],
  ["~/.bun/install/cache/.bunx-0/@atomic/cli@latest", "bun/1.4.4 npm/? node/v24", "bunx -p @atomic/cli"],
  ["~/.cache/pnpm/dlx/0123abcd/pkg", "pnpm/10.1.0 npm/? node/v24", "pnpm --package=@atomic/cli dlx"],
  ["~/tmp/dlx-4711", "yarn/4.9.0 npm/? node/v24", "yarn dlx -p @atomic/cli"],
])("what was only fetched, to %s, is fetched again by its package's name", (folder, agent, runner) => {
  const local = `${folder.replace("~", "/home/you")}/node_modules/.bin`;
  expect(shownRunner(`${local}/atomic`, { PATH: local, npm_config_user_agent: agent }, published)).toBe(runner);
});

test("only this program's commands have it", () => {
  const suggestions = [
    { command: "atomic approve calm-otter", does: "yes" },
    { command: 'run the program again with runId "r"', does: "" },
  ];
  expect(suggestionLines(suggestions, { colour: false, runner: "npx" })).toBe(
    '    npx atomic approve calm-otter         # yes\n    run the program again with runId "r"\n',
  );
});
