import { resolve } from "node:path";
import type { AnswerError } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import type { ContentEntity, WorkflowContent } from "../packages/manifest/content.ts";
import { readEntry, readPackageFacts } from "../packages/manifest/package-json.ts";
import type { Manifest } from "../packages/manifest.ts";
import { pathsBelow, textOf } from "../packages/tree.ts";
import { errorInFolder, folderFrom, placeInFolder } from "../workspace/error-in-folder.ts";
import { checkContent } from "./author/check-content.ts";
import { checkEntryText } from "./author/check-entry.ts";
import { checkLoad, type LoadCheck } from "./author/check-load.ts";
import { checkPackageJson } from "./author/check-package.ts";
import { allFiles, missingFromPackage, type Packed, packedFiles } from "./author/packing.ts";
import { printManifest } from "./author/print-manifest.ts";
import { hasErrors, type Problem, problemsOf } from "./author/problem.ts";
import { readSource, type SourcePackage } from "./author/read-source.ts";
import { isWritten, writeIfChanged } from "./author/write-files.ts";
import { formatPairs, type Pair } from "./report/pairs.ts";
import type { InputOf, Operation } from "./shared/operation.ts";

type Arguments = { readonly folder: { readonly count: "maybe"; readonly summary: string } };

type Options = { readonly check: { readonly kind: "flag"; readonly summary: string } };

export interface Built {
  /** Absolute. */
  readonly folder: string;
  readonly name?: string;
  readonly delivery: "plugin" | "copy";
  readonly content: WorkflowContent;
  /** What became of workflow.json. It is not written with an error in the package. */
  readonly manifest: "written" | "unchanged" | "withheld";
  readonly problems: readonly Problem[];
  readonly packed: Packed;
  /** Only with `--check`. */
  readonly check?: LoadCheck;
  readonly dryRun: boolean;
}

export const build: Operation<Arguments, Options, Built> = {
  name: "build",
  summary: "Check a workflow package and write its workflow.json",
  arguments: { folder: { count: "maybe", summary: "The package folder (default: this one)" } },
  options: {
    check: { kind: "flag", summary: "Also load it in the real OpenCode; exits with 6 if OpenCode is missing" },
  },
  examples: [
    { command: "hugo build", shows: "every problem in the package, and where it is" },
    { command: "hugo build --check", shows: "whether OpenCode has what workflow.json lists" },
    { command: "hugo build ./review --dry-run", shows: "the same without writing workflow.json" },
  ],
  mutates: true,
  run: runBuild,
  report: { text, notes, json, exitCode, error },
};

async function runBuild(context: Context, input: InputOf<Arguments, Options>): Promise<Built> {
  const folder = resolve(context.cwd, input.folder ?? ".");
  const label = folderFrom(context.cwd, folder);
  const source = sourceIn(folder, label);
  const entry = entryOf(source);
  const { content, problems: inContent } = checkContent(source, entry.delivery);
  const found = [...checkPackageJson(source.json), ...entry.problems, ...inContent];
  const text = printManifest(content);
  const manifest = hasErrors(found) ? "withheld" : await write(folder, text, input.dryRun);

  context.person.progress("Asking npm what it would pack");
  const because = manifest === "withheld" ? "there are errors" : whyUnpackable(source);
  const packed: Packed = because !== undefined ? { kind: "unknown", because } : await packedFiles(folder, context);
  const needed = [...entry.files, ...entityFiles(source, content), ...(input.dryRun ? [] : ["workflow.json"])];
  const problems = [...found, ...problemsOfPacking(packed, needed)];
  const described: Manifest = {
    ...content,
    from: "workflow.json",
    delivery: entry.file === undefined ? { kind: "copy" } : { kind: "plugin", entry: entry.file },
    package: readPackageFacts(source.tree),
  };
  const files = packed.kind === "known" ? packed.files : allFiles(folder);
  const check =
    input.check && !hasErrors(found) ? await checkLoad(context, source, { manifest: described, files }) : undefined;
  const placed = (list: readonly Problem[]): Problem[] =>
    list.map((problem) => (problem.at === undefined ? problem : { ...problem, at: placeInFolder(label, problem.at) }));
  return {
    folder,
    ...(described.package.name !== undefined && { name: described.package.name }),
    delivery: entry.delivery,
    content,
    manifest,
    problems: placed(problems),
    packed,
    ...(check !== undefined && {
      check: check.kind === "asked" ? { ...check, problems: placed(check.problems) } : check,
    }),
    dryRun: input.dryRun,
  };
}

function sourceIn(folder: string, label: string): SourcePackage {
  try {
    return readSource(folder);
  } catch (error) {
    throw errorInFolder(error, label);
  }
}

/** npm packs nothing without them, and that they are missing has been told. */
function whyUnpackable({ json }: SourcePackage): string | undefined {
  const lacking = ["name", "version"].filter((key) => json.get(key).isMissing);
  return lacking.length === 0 ? undefined : `package.json has no ${lacking.join(" and no ")}`;
}

function problemsOfPacking(packed: Packed, needed: readonly string[]): Problem[] {
  if (packed.kind === "failed") return [packed.problem];
  return packed.kind === "known" ? missingFromPackage(needed, packed.files) : [];
}

async function write(folder: string, text: string, dryRun: boolean): Promise<"written" | "unchanged"> {
  if (!dryRun) return await writeIfChanged(folder, "workflow.json", text);
  return isWritten(folder, "workflow.json", text) ? "unchanged" : "written";
}

interface EntryOf {
  readonly delivery: "plugin" | "copy";
  readonly file?: string;
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

function entryOf({ tree, json }: SourcePackage): EntryOf {
  try {
    const file = readEntry(tree);
    if (file === undefined) return { delivery: "copy", files: [], problems: [] };
    return { delivery: "plugin", file, files: [file], problems: checkEntryText(file, textOf(tree, file) ?? "", json) };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    return { delivery: "plugin", files: [], problems: problemsOf(error) };
  }
}

function entityFiles({ tree }: SourcePackage, { agents, commands, skills, workflows = [] }: WorkflowContent): string[] {
  const folders = [...skills.map(({ path }) => path), ...(workflows.length > 0 ? ["workflows"] : [])];
  return [...agents, ...commands].map(({ path }) => path).concat(folders.flatMap((path) => pathsBelow(tree, path)));
}

function text(built: Built, page: Page): string {
  const { content, delivery } = built;
  const name = built.name ?? "The package";
  const pairs = listsOf(content).map(([key, list]): Pair => {
    return { lead: "  ", subject: key, text: safeLine(list.map((entity) => entity.name).join(", ")) || "none" };
  });
  const how = delivery === "plugin" ? "OpenCode loads it as a plugin" : "Hugo copies its files";
  return [
    paragraph(safe`${name}: ${how}`, page, { indent: "  " }),
    formatPairs(pairs, page),
    paragraph(manifestLine(built), page, { lead: "  ", indent: "    " }),
    checkLine(built, page),
  ].join("");
}

function listsOf({ agents, commands, skills, workflows = [] }: WorkflowContent): [string, readonly ContentEntity[]][] {
  return Object.entries({ agents, commands, skills, ...(workflows.length > 0 && { workflows }) });
}

function manifestLine({ manifest, dryRun }: Built): string {
  if (manifest === "withheld") return "workflow.json is not written, because of the errors";
  if (manifest === "unchanged") return "workflow.json is up to date";
  return dryRun ? "workflow.json would be written" : "workflow.json is written";
}

function checkLine({ check }: Built, page: Page): string {
  if (check?.kind !== "asked") return "";
  const paint = painter(page.colour);
  const verdict = hasErrors(check.problems)
    ? paint("red", "OpenCode does not have all of it")
    : paint("green", "OpenCode has all of it");
  return paragraph(verdict, page, { lead: "  ", indent: "    " });
}

function notes(built: Built, page: Page): string {
  const all = allProblems(built);
  const errors = all.filter(({ severity }) => severity === "error").length;
  const warnings = all.length - errors;
  const total = [
    ...(errors > 0 ? [count(errors, "error")] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
  return [
    ...all.map((problem) => problemLines(problem, page)),
    total.length === 0 ? "" : `${total.join(", ")}\n`,
    ...unknown(built).map((line) => paragraph(safeLine(line), page, { indent: "" })),
  ].join("");
}

function problemLines({ severity, message, at, hint }: Problem, page: Page): string {
  const paint = painter(page.colour);
  const lead = `${severity === "error" ? paint("red", "error") : paint("yellow", "warning")}: `;
  const place = at === undefined ? "" : `${at} `;
  return [
    paragraph(safeLine(`${place}${message}`), page, { lead, indent: "  " }),
    hint === "" ? "" : paragraph(safeLine(hint), page, { lead: "  ", indent: "  " }),
  ].join("");
}

const INSTALL_OPENCODE = "`npm install -g opencode-ai` installs it; HUGO_OPENCODE can name its path.";

/** What was not checked, and why. */
function unknown({ packed, check, manifest }: Built): string[] {
  return [
    ...(packed.kind === "unknown" && manifest !== "withheld"
      ? [`Not checked what would be packed: ${packed.because}.`]
      : []),
    ...(check?.kind === "impossible" ? [`Not checked in OpenCode: ${check.because}. ${INSTALL_OPENCODE}`] : []),
  ];
}

function json(built: Built): object {
  const { folder, name, delivery, content, manifest, packed, check, dryRun } = built;
  const names = Object.fromEntries(listsOf(content).map(([key, list]) => [key, list.map((entity) => entity.name)]));
  return {
    folder,
    package: name ?? null,
    delivery,
    ...names,
    manifest,
    dryRun,
    problems: allProblems(built),
    packed: packed.kind === "known" ? [...packed.files].sort() : null,
    opencode: check === undefined ? "not asked" : check.kind === "asked" ? "asked" : check.because,
  };
}

function allProblems({ problems, check }: Built): Problem[] {
  return [...problems, ...(check?.kind === "asked" ? check.problems : [])];
}

function exitCode(built: Built): ExitCode {
  if (hasErrors(allProblems(built))) return 1;
  return built.check?.kind === "impossible" ? 6 : 0;
}

function error(built: Built): AnswerError {
  const errors = allProblems(built).filter(({ severity }) => severity === "error");
  const [first, ...others] = errors;
  if (first === undefined) {
    const because = built.check?.kind === "impossible" ? built.check.because : "";
    return { code: "opencode-missing", message: `Not checked in OpenCode: ${because}`, hint: INSTALL_OPENCODE };
  }
  if (others.length === 0) return { code: "package-invalid", message: first.message, at: first.at, hint: first.hint };
  const message = `the package has ${count(errors.length, "error")}`;
  return { code: "package-invalid", message, at: first.at, hint: "`problems` lists them all." };
}
