// The first guide is true for a newcomer: an empty folder, an empty home, and our packages as npm packs and installs them.
// `UPDATE=1 bun test test/guide-installed.test.ts` writes into it what is really printed.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { languageServer } from "./guides/language-server.ts";
import { parseGuide, withShown } from "./guides/parse-guide.ts";
import { typed } from "./guides/reader.ts";

setDefaultTimeout(180_000);
beforeAll(() => bundlePackages("@atomic/cli", "@atomic/workflows"));

const root = dirname(import.meta.dir);
const guide = join(root, "docs/guide/first-run.md");
const compiler = `@typescript/typescript-${process.platform}-${process.arch}`;
const published = [
  ...["packages/atomic", ".build/packages/workflows"],
  ...["yaml", "@swc/wasm-typescript", "typescript", compiler, "@types/node", "undici-types"].map(
    (name) => `node_modules/${name}`,
  ),
];

test("the first guide, from installed packages: a run that asks and publishes, with types in the editor", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ git: false });
  await Promise.all(published.map((folder) => publishFolder(registry, project, join(root, folder))));
  await project.write("~/.npmrc", `${registry.npmrc}audit=false\nfund=false\nloglevel=error\nupdate-notifier=false\n`);
  const text = readFileSync(guide, "utf8");
  const really = new Map<number, string>();
  const begun = performance.now();
  for (const step of parseGuide(text)) {
    if (step.kind === "file") await project.write(step.path, step.text);
    if (step.kind !== "command") continue;
    // The compiler prints other reports to a terminal with colours than the guide shows.
    const hasColour = step.typed.includes("atomic run");
    const shown = normalized(await typed(project, step.typed, { cwd: project.dir, answer: "yes", hasColour }), project);
    really.set(step.line, shown);
    if (!process.env.UPDATE) expect(`$ ${step.typed}\n${loose(shown)}`).toBe(`$ ${step.typed}\n${loose(step.shown)}`);
  }
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  console.log(`docs/guide/first-run.md: ${really.size} commands on installed packages in ${seconds} s`);
  if (process.env.UPDATE) writeFileSync(guide, withShown(text, really));
  expect(really.size).toBeGreaterThan(8);
  expect(await project.read("NEWS.md")).toBe("- Dark mode\n- No more crash at night\n");
  const [, next = ""] =
    /\nNext:\n([\s\S]*)/.exec([...really.values()].find((each) => each.includes("Next:")) ?? "") ?? [];
  const commands = next.trim().split(/\n */);
  expect(commands).toHaveLength(3);
  for (const command of commands) {
    const screen = await typed(project, `${command} && echo 'it worked'`, { cwd: project.dir, answer: "no" });
    expect(`${command}: ${screen.split("\n").at(-1)}`).toBe(`${command}: it worked`);
  }
  // Nothing of this repository is left in what was installed.
  expect(readdirSync(project.path("node_modules/@atomic")).sort()).toEqual(["cli", "workflows"]);

  const file = project.path(".atomic/workflows/shorten.ts");
  await using editor = await languageServer(project, [project.path("node_modules/.bin/tsc"), "--lsp", "--stdio"]);
  const uri = await editor.open(file);
  const [problem, ...others] = await editor.diagnostics(uri);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ severity: 1, message: expect.stringContaining(`Did you mean '"editor"'?`) });
  const lines = readFileSync(file, "utf8").split("\n");
  const line = lines.findIndex((each) => each.includes('"edtor"'));
  const completed = await editor.completions(uri, { line, character: (lines[line] ?? "").indexOf('"edtor"') + 1 });
  expect(completed).toEqual(["editor"]);
  await editor.change(uri, readFileSync(file, "utf8").replace("edtor", "editor"));
  expect(await editor.diagnostics(uri)).toEqual([]);
  const first = await editor.open(project.path(".atomic/workflows/release.ts"));
  expect(await editor.diagnostics(first)).toEqual([]);
});

/** Replaces what differs between machines with a fixed example. */
function normalized(text: string, project: Project): string {
  const ids = /\b[a-z]+-[a-z]+\b(?= {2}(?:waiting|done))/g;
  return text.replaceAll(project.dir, "/home/me/shop").replaceAll(ids, "calm-otter").replaceAll(/ +$/gm, "");
}

/** Times differ, and with them where lines are aligned. */
function loose(text: string): string {
  return text.replaceAll(/\b(?:\d+m )?\d+(?:\.\d+)?m?s\b/g, "…s").replaceAll(/ {2,}/g, "  ");
}
