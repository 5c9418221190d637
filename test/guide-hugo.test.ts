// The guides about Hugo are true: every file in them is written, every command is run, and what it prints is compared.
// `UPDATE=1 bun test test/guide-hugo.test.ts` writes into them what is really printed.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { groups } from "../packages/hugo/src/commands/shared/capability-summary.ts";
import { installPrograms, offer, removePrograms } from "./guides/installed-programs.ts";
import * as packages from "./guides/packages.ts";
import { parseGuide, withShown } from "./guides/parse-guide.ts";
import { typed } from "./guides/reader.ts";

setDefaultTimeout(180_000);
beforeAll(installPrograms, 180_000);
afterAll(removePrograms);

const root = dirname(import.meta.dir);

interface GuideProject {
  readonly project: Project;
  readonly registry: NpmRegistry;
}

/** What happens in a guide without its reader, by the guide's words. */
const meanwhile: Readonly<Record<string, (scene: GuideProject) => unknown>> = {
  "@acme/code-review 1.0.0 is published": ({ registry }) => registry.publish(packages.codeReview100),
  "@acme/code-review 1.1.0 is published": ({ registry }) => registry.publish(packages.codeReview110),
  "@acme/code-review 1.2.0 is published": ({ registry }) => registry.publish(packages.codeReview120),
  "@acme/code-review 1.2.1 is published": ({ registry }) => registry.publish(packages.codeReview121),
  "@acme/notes 1.0.0 is published": ({ registry }) => registry.publish(packages.notes100),
  "@acme/notes 1.1.0 is published": ({ registry }) => registry.publish(packages.notes110),
  "@acme/notes 1.2.0 is published": ({ registry }) => registry.publish(packages.notes120),
  "@globex/notes 1.0.0 is published": ({ registry }) => registry.publish(packages.othersNotes100),
  "@atomic/workflows is published": publishOurs,
};

/** The packages that a workflow with code needs, as npm packs them. */
async function publishOurs({ project, registry }: GuideProject): Promise<void> {
  for (const folder of [".build/packages/workflows", "node_modules/@swc/wasm-typescript", "node_modules/yaml"]) {
    const packing = ["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", project.home];
    const packed = await project.run(packing, { cwd: join(root, folder) });
    if (packed.code !== 0) throw new Error(packed.stderr);
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    registry.publishTarball({ ...manifest, manifest, tarball: readFileSync(join(project.home, filename)) });
  }
}

async function checkGuide(guide: string): Promise<void> {
  const file = join(root, "docs/guide", guide);
  const text = readFileSync(file, "utf8");
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry });
  await offer(project, "hugo");
  await project.write("~/.npmrc", `${registry.npmrc}audit=false\nfund=false\nloglevel=error\n`);
  const really = new Map<number, string>();
  let cwd = project.dir;
  for (const step of parseGuide(text)) {
    if (step.kind === "file") await project.write(resolve(cwd, step.path), real(step.text, registry));
    else if (step.kind === "meanwhile") await runMeanwhile(step.what, { project, registry });
    else if (step.typed.startsWith("cd ")) cwd = resolve(cwd, step.typed.slice(3));
    else {
      const answer = /\[y\/N[^\]]*\] (\w)/.exec(step.shown)?.[1] ?? "y";
      const shown = normalized(await typed(project, step.typed, { cwd, answer }), { project, registry });
      really.set(step.line, shown);
      if (!process.env.UPDATE) expect(`$ ${step.typed}\n${shown}`).toBe(`$ ${step.typed}\n${step.shown}`);
    }
  }
  expect(really.size).toBeGreaterThan(5);
  if (process.env.UPDATE) writeFileSync(file, withShown(text, really));
}

async function runMeanwhile(what: string, scene: GuideProject): Promise<void> {
  const event = meanwhile[what];
  if (event === undefined) throw new Error(`Unknown event: ${what}`);
  await event(scene);
}

const registryShown = "https://npm.acme.example/";
/** The same one by another name. */
const elsewhereShown = "https://npm.elsewhere.example/";
const elsewhere = ({ url }: NpmRegistry): string => url.replace("127.0.0.1", "localhost");

function real(text: string, registry: NpmRegistry): string {
  return text.replaceAll(elsewhereShown, elsewhere(registry));
}

/** Replaces what differs between runs and machines with a fixed example. */
function normalized(text: string, { project, registry }: GuideProject): string {
  return text
    .replaceAll(registry.url, registryShown)
    .replaceAll(elsewhere(registry), elsewhereShown)
    .replaceAll(project.dir, "/home/me/shop")
    .replace(/^(added \d+ packages) in .*$/gm, "$1")
    .replace(/(sha256:)[0-9a-f]{64}|(sha512-)[\w+/]{86}==/g, "$1$2…")
    .replace(/(--yes=)[0-9a-f]{64}(?:-[0-9a-f]{4}){4}/g, "$1…")
    .replace(/-[0-9a-f]{16}(?=\/node_modules)/g, "-0123456789abcdef")
    .replace(/20\d\d-\d\d-\d\d \d\d:\d\d UTC/g, "2031-05-04 09:30 UTC");
}

describe("the guide shows what really happens:", () => {
  test("install and trust", () => checkGuide("install-and-trust.md"));
  test("local edits", () => checkGuide("local-edits.md"));
  test("publish a workflow", () => checkGuide("publish-a-workflow.md"));
});

/** The words that a report begins its lines with: the strings behind each key of a table in its source. */
function labelsIn(source: string, table: RegExp): string[] {
  const [text = ""] = table.exec(readFileSync(join(root, "packages/hugo/src/commands/shared", source), "utf8")) ?? [];
  return Array.from(text.matchAll(/^ {2}[\w"-]+: \[?"([^"]+)"/gm), ([, label = ""]) => label);
}

/** The words in the first column of the tables of a guide. */
function explainedIn(guide: string): string[] {
  const text = readFileSync(join(root, "docs/guide", guide), "utf8");
  const cells = Array.from(text.matchAll(/^\| (?!line|group)([^|]+) \|/gm), ([, cell = ""]) => cell.split(", "));
  return cells.flat();
}

test("every line of a capability report is explained", () => {
  const labels = labelsIn("capabilities.ts", /const labels.*?\n};/s);
  expect(labels.length).toBeGreaterThan(10);
  expect(explainedIn("install-and-trust.md").toSorted()).toEqual([...groups, ...labels].toSorted());
});

test("everything that can happen to a file in an update is explained", () => {
  // Of unchanged files nothing is said, and parking is what `disable` and `enable` do.
  const unsaid = ["Unchanged", "Parked", "Restored"];
  const labels = labelsIn("file-outcomes.ts", /const labels.*?\n};/s).filter((label) => !unsaid.includes(label));
  expect(labels.length).toBeGreaterThan(5);
  expect(explainedIn("local-edits.md").toSorted()).toEqual(labels.toSorted());
});
