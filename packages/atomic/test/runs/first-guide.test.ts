// The workflow of the first guide, answered with many words, wherever it can be answered: only a yes publishes.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { type Graph, run } from "@atomic/workflows";
import { scriptedHost } from "@atomic/workflows/internal/hosts/scripted";
import { atomic } from "../atomic.ts";
import { build, runtimes } from "../program.ts";

setDefaultTimeout(180_000);
beforeAll(build);

/** Ten that are neither yes nor no, and all of which published before. */
const unclear = [
  ...["cancel", "nein", "stop", "later", "maybe", "yes, but not today"],
  ...["please wait, I found a bug", "1", '{"approved":false}', "yes?"],
];
const published = "NEWS.md is written.";
const longWait = { deadline: 30_000 };

async function guideProject(): Promise<Project> {
  const root = join(import.meta.dirname, "../../../..");
  const guide = readFileSync(join(root, "docs/guide/first-graph.md"), "utf8");
  const files = Array.from(guide.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm), ([, path = "", text = ""]) => [
    path,
    text,
  ]);
  const project = await tmpProject({ git: false, files: Object.fromEntries(files) });
  mkdirSync(project.path("node_modules/@atomic"), { recursive: true });
  symlinkSync(join(root, "packages/workflows"), project.path("node_modules/@atomic/workflows"));
  return project;
}

const started = ["run", "release", "1.4.0", "--host", "scripted", "--script", "answers.json"];

test.each([
  ["nope", false],
  ["yes", true],
] as const)("on a terminal, unclear words are asked about again, and %j counts", async (word, publishes) => {
  await using project = await guideProject();
  const [node] = runtimes;
  const options = { cols: 80, rows: 60, cwd: project.dir, env: project.env };
  await using term = await terminal([...(node?.command ?? []), ...started], options);
  await term.waitFor("yes or no:", longWait);
  for (const each of unclear) {
    term.type(`${each}\r`);
    const refused = `"${each}" is neither yes nor no.\n  yes or no:`;
    await term.waitFor(new RegExp(refused.replace(/[.?{}]/g, "\\$&")), longWait);
  }
  term.type(`${word}\r`);
  expect((await term.exit).exitCode).toBe(0);
  const { stdout } = await atomic(project, ["show"]);
  expect(stdout).toContain(`answered: ${publishes}`);
  expect(stdout.includes("/write ")).toBe(publishes);
});

test.each([
  ["nope", false],
  ["yes", true],
] as const)("`atomic approve` refuses unclear words, and %j counts", async (word, publishes) => {
  await using project = await guideProject();
  expect((await atomic(project, [...started, "--no-wait"])).code).toBe(4);
  const [run = ""] = JSON.parse((await atomic(project, ["runs", "--json"])).stdout).runs.map(
    (each: { runId: string }) => each.runId,
  );
  for (const each of unclear) {
    const { code, stderr } = await atomic(project, ["approve", run, each]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("is neither yes nor no.") });
  }
  expect((await atomic(project, ["approve", run, word])).code).toBe(0);
  const ended = await atomic(project, ["resume", run, "--json"]);
  expect([ended.code, ended.stdout.includes(published)]).toEqual([0, publishes]);
});

test("a program that answers with an unclear word is refused, and the run waits for another answer", async () => {
  await using project = await guideProject();
  const { default: release } = (await import(project.path(".atomic/workflows/release.ts"))) as { default: Graph };
  const host = scriptedHost({ script: ({ prompt }) => (prompt.startsWith("Write") ? published : "news") });
  const answered = (runId: string, word: string): Promise<unknown> =>
    run(release, { host, folder: project.dir, input: { version: "1.4.0" }, runId, answer: () => word }).then(
      ({ outputs }) => outputs.write ?? outputs.leave,
      (error: Error) => error.message.replace(/.* is not valid: ".*" is/, "refused: it is"),
    );
  for (const [runId, word, outcome] of [
    ["no", "nope", "Nothing was written."],
    ["yes", "yes", published],
  ] as const) {
    for (const each of unclear) expect(await answered(runId, each)).toBe("refused: it is neither yes nor no.");
    expect(await answered(runId, word)).toBe(outcome);
  }
});
