// The guide to Magnus Opus is true: its commands are run on the real OpenCode, with a scripted model, from a package that Hugo
// has installed. `UPDATE=1 bun test test/guide-magnus.test.ts` writes into it what is really printed.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { checkConfig } from "../packages/magnus-opus/src/config/check.ts";
import { expectBuild, expectEnd, expectPlan } from "../scripts/tour/magnus-script.ts";
import { offerAtomic } from "./guides/atomic.ts";
import { installPrograms, offer, removePrograms } from "./guides/installed-programs.ts";
import { parseGuide, withShown } from "./guides/parse-guide.ts";
import { profiles } from "./guides/profiles.ts";
import { typed } from "./guides/reader.ts";

setDefaultTimeout(300_000);

const root = dirname(import.meta.dir);
const magnus = join(root, "packages/magnus-opus");
const file = join(root, "docs/guide/magnus-opus.md");
const guide = readFileSync(file, "utf8");

beforeAll(installPrograms, 180_000);
afterAll(removePrograms);

const meanwhile: Readonly<Record<string, (model: ModelServer) => void>> = {
  "the agents plan, and one of them is early": (model: ModelServer) => expectPlan(model, profiles),
  "the agents build": (model: ModelServer) => expectBuild(model, profiles),
  "the agents tidy up": expectEnd,
};

test("the guide shows what really happens", async () => {
  await using registry = await npmRegistry();
  await using model = await modelServer();
  await using project = await tmpProject({ registry });
  await prepare(project);
  await publishFolder(registry, project, magnus);
  await project.write("~/.npmrc", `${registry.npmrc}audit=false\nfund=false\nloglevel=error\n`);
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model));
  const really = new Map<number, string>();
  for (const step of parseGuide(guide)) {
    if (step.kind === "file") await project.write(step.path, step.text);
    else if (step.kind === "meanwhile") meanwhile[step.what]!(model);
    else {
      await project.skipPluginInstall();
      const shown = normalized(await typed(project, step.typed, { cwd: project.dir, answer: "y" }), project);
      really.set(step.line, shown);
      if (!process.env.UPDATE) expect(`$ ${step.typed}\n${loose(shown)}`).toBe(`$ ${step.typed}\n${loose(step.shown)}`);
    }
  }
  expect(really.size).toBeGreaterThan(8);
  if (process.env.UPDATE) writeFileSync(file, withShown(guide, really));
});

async function prepare(project: Project): Promise<void> {
  await offer(project, "hugo");
  await offerAtomic(project);
  await offer(project, "magnus-opus");
}

/** Replaces what differs between runs with a fixed example of the same length. */
function normalized(text: string, project: Project): string {
  return text
    .replaceAll(project.dir, "/home/me/shop")
    .replaceAll(/impl-\d{8}-\d{6}-[0-9a-f]{6}/g, "impl-20310504-093000-a1b2c3")
    .replaceAll(/ +$/gm, "");
}

/** Times differ, and lines are broken where a name of another length ends. */
function loose(text: string): string {
  return text
    .replaceAll(/, [\w. ]+ of work/g, ", … of work")
    .replaceAll(/\([\d.]+m?s, (?=\d+ steps)/g, "(…, ")
    .replaceAll(/\s+/g, " ");
}

describe("the guide has, and names nothing else:", () => {
  const rows = (heading: string): string =>
    guide
      .split(`\n## ${heading}\n`)[1]!
      .split("\n## ")[0]!
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .join("\n");

  test("every command", () => {
    const { commands } = JSON.parse(readFileSync(join(magnus, "workflow.json"), "utf8"));
    const named = [...rows("Every command").matchAll(/^\| `\/([a-z-]+)/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(commands);
  });

  test("every phase that is entered by itself", () => {
    const [, table = ""] = guide.split("## Phases\n");
    const named = [...table.split("\n## ")[0]!.matchAll(/^\| (?!phase )([a-z-]+) \| /gm)].map(([, name = ""]) => name);
    const names = ["requirements", "architecture", "plan-review", "implementation", "design-validation", "code-review"];
    expect(named).toEqual([...names, "testing", "acceptance", "cleanup"]);
  });
});

test("every setting that the guide shows is one", () => {
  const files = parseGuide(guide).filter((step) => step.kind === "file" && step.path.endsWith("magnus-opus.jsonc"));
  expect(files.length).toBeGreaterThan(1);
  for (const step of files) {
    if (step.kind === "file") expect(checkConfig(parseJsonc(step.text, { file: step.path })).problems).toEqual([]);
  }
});

test("every command of the guide to decisions is one that the program has, with that many words", async () => {
  const text = readFileSync(join(root, "docs/guide/decide-in-a-shell.md"), "utf8");
  const lines = [...text.matchAll(/^\$ magnus-opus (.+)$/gm)].map(([, words = ""]) => words);
  expect(lines.length).toBeGreaterThan(4);
  await using project = await tmpProject();
  await prepare(project);
  for (const words of lines) {
    // No run is there, which is said with 1; a wrong command line would be 2.
    const { code, stderr } = await project.run(["sh", "-c", `"$HOME/bin/magnus-opus" ${words}`]);
    expect({ words, code, stderr }).toEqual({ words, code: words === "list" ? 0 : 1, stderr: expect.any(String) });
  }
});
