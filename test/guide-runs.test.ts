// The guides about graphs and runs are true: every file in them is written, every command is run, and what it prints is
// compared. `UPDATE=1 bun test test/guide-runs.test.ts` writes into them what is really printed.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { offerAtomic } from "./guides/atomic.ts";
import { installPrograms, removePrograms } from "./guides/installed-programs.ts";
import { parseGuide, withShown } from "./guides/parse-guide.ts";
import { typed } from "./guides/reader.ts";
import { buildAtomic } from "./journeys/atomic.ts";

setDefaultTimeout(120_000);
beforeAll(async () => {
  // The types of the guides' files are checked against a build.
  await Promise.all([installPrograms(), buildAtomic()]);
}, 180_000);
afterAll(removePrograms);

const root = dirname(import.meta.dir);
const guides = [
  "first-graph",
  "workflows-of-your-own",
  "hosts",
  "loops",
  "maps",
  "crash-and-resume",
  "watch-in-a-browser",
];

async function checkGuide(guide: string): Promise<void> {
  const file = join(root, "docs/guide", `${guide}.md`);
  const text = readFileSync(file, "utf8");
  await using project = await tmpProject();
  await offerAtomic(project);
  const really = new Map<number, string>();
  for (const step of parseGuide(text)) {
    if (step.kind === "file") await project.write(step.path, step.text);
    else if (step.kind === "meanwhile") await runMeanwhile(step.what, project);
    else {
      const [, answer = "y"] = /^ {2}(?:yes|numbers?|keep)\b.*: (.+)$/m.exec(step.shown) ?? [];
      const shown = normalized(await typed(project, step.typed, { cwd: project.dir, answer }), project);
      really.set(step.line, shown);
      if (!process.env.UPDATE) expect(`$ ${step.typed}\n${loose(shown)}`).toBe(`$ ${step.typed}\n${loose(step.shown)}`);
    }
  }
  expect(really.size).toBeGreaterThan(2);
  if (process.env.UPDATE) writeFileSync(file, withShown(text, really));
}

async function runMeanwhile(what: string, project: Project): Promise<void> {
  if (what !== "npm install @atomic/workflows") throw new Error(`Unknown event: ${what}`);
  await installWorkflows(project);
}

async function installWorkflows(project: Project): Promise<void> {
  mkdirSync(project.path("node_modules/@atomic"), { recursive: true });
  symlinkSync(join(root, "packages/workflows"), project.path("node_modules/@atomic/workflows"));
}

/** Replaces what differs between machines with a fixed example. */
function normalized(text: string, project: Project): string {
  return text
    .replaceAll(project.dir, "/home/me/shop")
    .replaceAll(/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d/g, "2031-05-04 09:30:00")
    .replaceAll(/(?<=\bprocess )\d+/g, "4711")
    .replaceAll(/127\.0\.0\.1:\d+\/[\w-]+\/\?token=[\w-]+/g, "127.0.0.1:4711/x9Qa…/?token=3vGk…")
    .replaceAll("^C", "")
    .replaceAll(/ +$/gm, "")
    .trimEnd();
}

/** Times and sizes differ, and with them where lines are cut, broken and aligned; so do the words of shells about a kill. */
function loose(text: string): string {
  return text
    .replaceAll(/[^:\n]*…(?= {2}|$)/gm, "…")
    .replaceAll(/\n {2}(?=[\w(·@])/g, " ")
    .replaceAll(/^.*\bKilled\b.*$/gm, "Killed")
    .replaceAll(/\b(?:\d+m )?\d+(?:\.\d+)?m?s\b/g, "…s")
    .replaceAll(/\b\d+(?:\.\d+)? k?B\b/g, "… kB")
    .replaceAll(/^\+\d+:\d\d/gm, "+0:00")
    .replaceAll("…s ago", "just now")
    .replaceAll(/ {2,}/g, "  ");
}

describe("the guide shows what really happens:", () => {
  for (const guide of guides) test(guide, () => checkGuide(guide));
});

test("the TypeScript of the guides has no type errors", async () => {
  await using project = await tmpProject({ git: false });
  await installWorkflows(project);
  symlinkSync(join(root, "node_modules/@types"), project.path("node_modules/@types"));
  await project.write("package.json", { type: "module" });
  for (const guide of guides) {
    const steps = parseGuide(readFileSync(join(root, "docs/guide", `${guide}.md`), "utf8"));
    for (const step of steps) {
      if (step.kind === "file" && step.path.endsWith(".ts")) await project.write(`${guide}/${step.path}`, step.text);
    }
  }
  await project.write("tsconfig.json", {
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: "nodenext",
      target: "es2022",
      types: ["node"],
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    },
    include: ["*/.atomic/**/*.ts"],
  });
  const { code, stdout } = await project.run([join(root, "node_modules/.bin/tsc"), "-p", "."]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});
