// Every guide is run by a test, and those from installed packages say so; where that is not possible, the reason is here.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { readStack } from "../packages/magnus-opus/src/stacks/stack.ts";

const root = dirname(import.meta.dir);

interface Covered {
  readonly by: string;
  /** Why its commands do not come from installed packages. */
  readonly notInstalled?: string;
}

const guides: Readonly<Record<string, Covered>> = {
  "crash-and-resume": { by: "test/guide-runs.test.ts" },
  "decide-in-a-shell": { by: "test/guide-magnus.test.ts" },
  entities: {
    by: "packages/workflows/test/examples.test.ts",
    notInstalled:
      "its programs share one project with those of the package's README, which the package's own tests run",
  },
  "first-graph": { by: "test/guide-runs.test.ts" },
  "first-run": { by: "test/guide-installed.test.ts" },
  "from-one-machine-to-many": { by: "test/guide-fleet.test.ts" },
  hosts: { by: "test/guide-runs.test.ts" },
  "how-it-compares": { by: "test/readme.test.ts", notInstalled: "it has no commands; its links are followed" },
  "inside-opencode": {
    by: "test/terminal/guide-screens.ts",
    notInstalled: "its screens are OpenCode's, key by key, with the plugin's bundle; `npm run journeys` compares them",
  },
  "install-and-trust": { by: "test/guide-hugo.test.ts" },
  "local-edits": { by: "test/guide-hugo.test.ts" },
  loops: { by: "test/guide-runs.test.ts" },
  "magnus-opus": { by: "test/guide-magnus.test.ts" },
  "magnus-stacks": {
    by: "test/guides-covered.test.ts",
    notInstalled: "it has no commands; its stack is read below, and the report of `doctor` is an example",
  },
  maps: { by: "test/guide-runs.test.ts" },
  providers: {
    by: "test/guide-providers.test.ts",
    notInstalled: "its commands are OpenCode's; its configs are loaded by it",
  },
  "publish-a-workflow": { by: "test/guide-hugo.test.ts" },
  "the-prompt-line": { by: "test/guide-prompt-line.test.ts" },
  tour: { by: "test/readme.test.ts", notInstalled: "the tour is for a clone" },
  troubleshooting: { by: "test/guide-troubleshooting.test.ts" },
  "watch-in-a-browser": { by: "test/guide-runs.test.ts" },
  "who-reads-what": {
    by: "packages/workflows/test/oracle/guide.test.ts",
    notInstalled: "it has no commands; its table is compared with the real tools",
  },
  "workflows-of-your-own": { by: "test/guide-runs.test.ts" },
  "write-a-workflow": {
    by: "packages/workflows/test/plugin/guide.test.ts",
    notInstalled:
      "its files are loaded by the real OpenCode with this repository's library; it has no commands of ours",
  },
};

test("every guide is covered", () => {
  const files = readdirSync(join(root, "docs/guide")).map((file) => file.replace(/\.md$/, ""));
  expect(files.filter((name) => name !== "README").toSorted()).toEqual(Object.keys(guides).toSorted());
});

test("every guide is in the index", () => {
  const index = readFileSync(join(root, "docs/guide/README.md"), "utf8");
  expect(Object.keys(guides).filter((name) => !index.includes(`](${name}.md)`))).toEqual([]);
});

test("the index names exactly the guides that do not come from installed packages", () => {
  const [before = ""] = readFileSync(join(root, "docs/guide/README.md"), "utf8").split("| you want to");
  const named = Array.from(before.matchAll(/\]\(([\w-]+)\.md\)/g), ([, name = ""]) => name);
  const exceptions = Object.entries(guides).filter(([, { notInstalled }]) => notInstalled !== undefined);
  expect(named.toSorted()).toEqual(exceptions.map(([name]) => name).toSorted());
});

test.each(Object.entries(guides))("%s is named by the test that covers it", (name, { by, notInstalled }) => {
  const path = join(root, by);
  expect(existsSync(path)).toBe(true);
  const text = readFileSync(path, "utf8");
  if (name !== "how-it-compares") expect(text).toContain(name);
  if (notInstalled === undefined) expect(text).toMatch(/installPrograms|from installed packages/);
});

test("the stack in the guide to stacks is one", async () => {
  const guide = readFileSync(join(root, "docs/guide/magnus-stacks.md"), "utf8");
  const [, stack = ""] = /^```markdown\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  await using folder = await temporaryFolder("stack-");
  for (const [path, text] of [
    ["stack.md", stack],
    ["skills/otp/SKILL.md", "---\nname: otp\ndescription: How processes are supervised\n---\n\nText.\n"],
  ] as const) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  expect(readStack(folder.path)).toMatchObject({ stack: { title: "Elixir" } });
});
