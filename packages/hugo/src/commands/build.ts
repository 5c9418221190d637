import { resolve } from "node:path";
import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { HugoError } from "../errors.ts";
import type { ContentEntity, WorkflowContent } from "../packages/manifest/content.ts";
import { type PluginEntries, readEntries, readPackageFacts } from "../packages/manifest/package-json.ts";
import type { Manifest } from "../packages/manifest.ts";
import { pathsBelow, textOf } from "../packages/tree.ts";
import { errorInFolder, folderFrom, placeInFolder } from "../workspace/error-in-folder.ts";
import { checkLoad, type LoadCheck } from "./author/check-load.ts";
import { checkContent, checkEntryText, checkPackageJson, checkWorkflowJson } from "./author/check-package.ts";
import { allFiles, missingFromPackage, type Packed, packedFiles } from "./author/packing.ts";
import { hasErrors, type PackageProblem, problemsOf, readSource, type SourcePackage } from "./author/read-source.ts";
import { holdsExactly, printManifest, writeIfChanged } from "./author/write-files.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { formatPairs, type Pair } from "./shared/pairs.ts";

const args = { folder: { count: "maybe", summary: "The package folder (default: this one)" } } as const;

const options = {
  check: { kind: "flag", summary: "Also load it in the real OpenCode; exit with code 6 if OpenCode is missing" },
} as const;

export interface Built {
  /** Absolute. */
  readonly folder: string;
  readonly name?: string;
  readonly delivery: "plugin" | "copy";
  readonly content: WorkflowContent;
  /** What happened to workflow.json. It is not written if the package has an error. */
  readonly manifest: "written" | "unchanged" | "withheld";
  readonly problems: readonly PackageProblem[];
  readonly packed: Packed;
  /** Only with `--check`. */
  readonly check?: LoadCheck;
  readonly dryRun: boolean;
}

export const build: HugoCommand<typeof args, typeof options, Built> = {
  name: "build",
  summary: "Check a workflow package and write its workflow.json",
  arguments: args,
  options,
  examples: [
    { command: "hugo build", shows: "every problem in the package and its location" },
    { command: "hugo build --check", shows: "whether OpenCode loads everything that workflow.json lists" },
    { command: "hugo build ./review --dry-run", shows: "the same without writing workflow.json" },
  ],
  mutates: true,
  without: ["global"],
  run: async (context, input) => {
    const folder = resolve(context.cwd, input.folder ?? ".");
    const label = folderFrom(context.cwd, folder);
    let source: SourcePackage;
    try {
      source = readSource(folder);
    } catch (error) {
      throw errorInFolder(error, label);
    }
    const entry = entryOf(source);
    const { content, problems: inContent } = checkContent(source, entry.delivery);
    const inPackage = [...checkPackageJson(source.json), ...entry.problems, ...inContent];
    // A workflow.json that is about to be written again needs no repair.
    const found = hasErrors(inPackage) ? [...inPackage, ...checkWorkflowJson(folder)] : inPackage;
    const text = printManifest(content);
    let manifest: Built["manifest"] = "withheld";
    if (!hasErrors(found)) {
      if (!input.dryRun) manifest = await writeIfChanged(folder, "workflow.json", text);
      else manifest = holdsExactly(folder, new Map([["workflow.json", text]])) ? "unchanged" : "written";
    }

    context.user.progress("Asking npm what it would pack");
    // npm packs nothing without them, and their absence is reported separately.
    const lacking = ["name", "version"].filter((key) => source.json.get(key).isMissing);
    const unpackable = lacking.length === 0 ? undefined : `package.json has no ${lacking.join(" and no ")}`;
    const because = manifest === "withheld" ? "the package has errors" : unpackable;
    const packed: Packed = because !== undefined ? { kind: "unknown", because } : await packedFiles(folder, context);
    const { agents, commands, skills, workflows = [] } = content;
    const folders = [...skills.map(({ path }) => path), ...(workflows.length > 0 ? ["workflows"] : [])];
    const needed = [
      ...[entry.files?.entry, entry.files?.tui].filter((file) => file !== undefined),
      ...[...agents, ...commands].map(({ path }) => path),
      ...folders.flatMap((path) => pathsBelow(source.tree, path)),
      ...(input.dryRun ? [] : ["workflow.json"]),
    ];
    const inPacking =
      packed.kind === "failed"
        ? [packed.problem]
        : packed.kind === "known"
          ? missingFromPackage(needed, packed.files)
          : [];
    const problems = [...found, ...inPacking];
    const described: Manifest = {
      ...content,
      from: "workflow.json",
      delivery: entry.files === undefined ? { kind: "copy" } : { kind: "plugin", ...entry.files },
      package: readPackageFacts(source.tree),
    };
    const files = packed.kind === "known" ? packed.files : allFiles(folder);
    const check =
      input.check && !hasErrors(found) ? await checkLoad(context, source, { manifest: described, files }) : undefined;
    const placed = (list: readonly PackageProblem[]): PackageProblem[] =>
      list.map((problem) =>
        problem.at === undefined ? problem : { ...problem, at: placeInFolder(label, problem.at) },
      );
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
  },
  report: {
    text: (built, page) => {
      const { content, delivery, manifest, dryRun, check } = built;
      const paint = painter(page.colour);
      const name = built.name ?? "The package";
      const pairs = listsOf(content).map(([key, list]): Pair => {
        return { lead: "  ", subject: key, text: safeLine(list.map((entity) => entity.name).join(", ")) || "none" };
      });
      const how = delivery === "plugin" ? "OpenCode loads it as a plugin" : "Hugo copies its files";
      return [
        paragraph(safe`${name}: ${how}`, page, { indent: "  " }),
        formatPairs(pairs, page),
        paragraph(manifestLines[manifest === "written" && dryRun ? "would-be-written" : manifest], page, below),
        check?.kind !== "asked"
          ? ""
          : hasErrors(check.problems)
            ? paragraph(paint("red", "OpenCode did not load everything"), page, below)
            : paragraph(paint("green", "OpenCode loaded everything"), page, below),
      ].join("");
    },
    notes: (built, page) => {
      const all = allProblems(built);
      const errors = all.filter(({ severity }) => severity === "error").length;
      const warnings = all.length - errors;
      const total = [
        ...(errors > 0 ? [count(errors, "error")] : []),
        ...(warnings > 0 ? [count(warnings, "warning")] : []),
      ];
      // What was not checked, and why.
      return [
        ...all.map(({ severity, message, at, hint }) => {
          const paint = painter(page.colour);
          const lead = `${severity === "error" ? paint("red", "error") : paint("yellow", "warning")}: `;
          const place = at === undefined ? "" : `${at} `;
          return [
            paragraph(safeLine(`${place}${message}`), page, { lead, indent: "  " }),
            hint === "" ? "" : paragraph(safeLine(hint), page, { lead: "  ", indent: "  " }),
          ].join("");
        }),
        total.length === 0 ? "" : `${total.join(", ")}\n`,
        ...[
          ...(built.packed.kind === "unknown" && built.manifest !== "withheld"
            ? [`Could not check what npm would pack: ${built.packed.because}.`]
            : []),
          ...(built.check?.kind === "impossible"
            ? [`Not checked in OpenCode: ${built.check.because}. ${INSTALL_OPENCODE}`]
            : []),
        ].map((line) => paragraph(safeLine(line), page, { indent: "" })),
      ].join("");
    },
    json: (built) => {
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
    },
    exitCode: (built) => {
      if (hasErrors(allProblems(built))) return 1;
      return built.check?.kind === "impossible" ? 6 : 0;
    },
    error: (built) => {
      const errors = allProblems(built).filter(({ severity }) => severity === "error");
      const [first, ...others] = errors;
      if (first === undefined) {
        const because = built.check?.kind === "impossible" ? built.check.because : "";
        return { code: "opencode-missing", message: `Not checked in OpenCode: ${because}`, hint: INSTALL_OPENCODE };
      }
      const { message, at, hint } = first;
      if (others.length === 0) return { code: "package-invalid", message, at, hint };
      const all = `the package has ${count(errors.length, "error")}`;
      return { code: "package-invalid", message: all, at, hint: "See `problems` for the full list." };
    },
  },
};

interface PackageEntry {
  readonly delivery: "plugin" | "copy";
  readonly files?: PluginEntries;
  readonly problems: readonly PackageProblem[];
}

function entryOf({ tree, json }: SourcePackage): PackageEntry {
  try {
    const files = readEntries(tree);
    const { entry, tui } = files;
    if (entry === undefined && tui === undefined) return { delivery: "copy", problems: [] };
    const problems = entry === undefined ? [] : checkEntryText(entry, textOf(tree, entry) ?? "", json);
    return { delivery: "plugin", files, problems };
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    return { delivery: "plugin", problems: problemsOf(error) };
  }
}

function listsOf({ agents, commands, skills, workflows = [] }: WorkflowContent): [string, readonly ContentEntity[]][] {
  return Object.entries({ agents, commands, skills, ...(workflows.length > 0 && { workflows }) });
}

const manifestLines = {
  withheld: "workflow.json was not written because of the errors",
  unchanged: "workflow.json is up to date",
  "would-be-written": "workflow.json would be written",
  written: "workflow.json was written",
} as const;

const below = { lead: "  ", indent: "    " } as const;

const INSTALL_OPENCODE = "Install it with `npm install -g opencode-ai`, or set HUGO_OPENCODE to its path.";

function allProblems({ problems, check }: Built): PackageProblem[] {
  return [...problems, ...(check?.kind === "asked" ? check.problems : [])];
}
