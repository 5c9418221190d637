import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { painter } from "@atomic/terminal/paint";
import { Refusal } from "@atomic/terminal/refusal";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { type AtomicCommand, commandOf } from "../command.ts";
import type { AtomicContext } from "../context.ts";
import { findProject, marksOfProjects } from "../entities/load-entities.ts";
import { packageFolder } from "../package-folder.ts";
import { compareNames, hasAllNames } from "../project/names-file.ts";
import { type ProjectFile, planFiles, projectPaths } from "../project/plan-files.ts";
import { type ProjectReading, readProject } from "../project/read-project.ts";
import { type ProjectChange, recoverFiles, refuseOddPaths, writeFiles } from "../project/write-files.ts";
import { documentOf, type Where } from "../report/path.ts";
import { userOption } from "./types.ts";

interface InitResult {
  readonly where: Where;
  readonly files: readonly ProjectFile[];
  /** Commands for the user, one after the other. */
  readonly next: readonly string[];
  readonly recovered: string | undefined;
  readonly dryRun: boolean;
}

export const init: AtomicCommand = commandOf({
  name: "init",
  summary: "Set up a project: a first workflow, and types in your editor",
  arguments: { folder: { count: "maybe", summary: "The project's folder (default: the project around this folder)" } },
  options: {
    user: userOption,
    "dry-run": { kind: "flag", summary: "Show what would be written, without writing it" },
  },
  details: [
    `In a new or an existing project, it creates a first workflow (${projectPaths.firstWorkflow}), the names of your agents, skills and commands as types (${projectPaths.names}), what TypeScript needs to check them, and three dev dependencies in package.json: @atomic/cli, which is this command, @atomic/workflows, which has the types, and @types/node, for workflows that use Node.`,
    "A tsconfig.json that only checks types gets `.atomic` in its `include`. One that also compiles stays as it is, because it would compile the workflows, too; the workflows then have a tsconfig.json of their own.",
    "Your files keep their comments and formatting, and none is overwritten. Run it as often as you like: it adds only what is missing.",
  ],
  examples: [
    { command: "atomic init", shows: "Set up the project around this folder." },
    { command: "atomic init packages/app", shows: "Set up one package of a monorepo, or a new folder." },
    { command: "atomic init --dry-run", shows: "Show what would be written." },
  ],
  run: async (context, input): Promise<InitResult> => {
    const project = await folderFor(context, input.folder);
    const where = { cwd: context.cwd, home: context.home, project };
    const dryRun = input["dry-run"];
    if (dryRun) refuseOddPaths(project, [".atomic"]);
    const recovered = dryRun ? undefined : await recoverFiles(project);
    const reading = untouched(() => readProject(project, context.env));
    const content = await contentFor(context, project, { user: input.user, isFirst: !reading.found.hasWorkflows });
    const difference = compareNames(project, content.names);
    const files = planFiles({ ...reading.found, hasNames: hasAllNames(difference) }, content);
    const reads = new Map([...reading.reads, [projectPaths.names, difference.read]]);
    const changes = files.flatMap(({ path, text }): ProjectChange[] =>
      text === undefined ? [] : [{ path, content: text, expect: reads.get(path)?.hash ?? "absent" }],
    );
    if (dryRun)
      refuseOddPaths(
        project,
        changes.map(({ path }) => path),
      );
    else if (changes.length > 0) await writeFiles(project, changes, "atomic init");
    const shown = files.map((file) =>
      file.path === projectPaths.names && file.did === "created" && difference.isThere
        ? ({ ...file, did: "changed" } as const)
        : file,
    );
    return { where, files: shown, next: nextCommands(where, reading, shown), recovered, dryRun };
  },
  report: {
    text: ({ where, files, dryRun }, page) => {
      const paint = painter(page.colour);
      const marks = { created: paint("green", "+"), changed: paint("yellow", "~"), kept: paint("dim", "=") };
      const isDone = files.every(({ did }) => did === "kept");
      const folder = relative(where.cwd, where.project) || "this folder";
      let title = safe`Set up ${folder}:`;
      if (dryRun) title = safe`Would set up ${folder}:`;
      if (isDone)
        title = safe`${folder.replace(/^this folder$/, "This folder")} is set up; nothing ${dryRun ? "would be" : "was"} changed:`;
      const width = Math.max(...files.map(({ path }) => path.length));
      const lines = files.map(({ path, did, remark }) => {
        const lead = `  ${marks[did]} ${safeLine(path).padEnd(width)}  `;
        return paragraph(paint("dim", safeLine(remark)), page, { lead, indent: " ".repeat(width + 6) });
      });
      return `${title}\n${lines.join("")}`;
    },
    notes: ({ next, recovered, dryRun }, page) => {
      const before = recovered === undefined ? "" : paragraph(recovered, page, { indent: "  " });
      if (dryRun) return "Nothing was written.\n";
      // Never wrapped, so each line can be pasted.
      return `${before}\nNext:\n${next.map((command) => `  ${command}\n`).join("")}`;
    },
    json: ({ where, files, next, recovered, dryRun }) => {
      const listed = files.map(({ path, did, remark }) => ({ path, did, remark }));
      return documentOf(where, { files: listed, next, ...(recovered !== undefined && { recovered }), dryRun });
    },
    exitCode: () => 0,
  },
});

/** A file that cannot be read is reported before anything is written, and the error says so. */
function untouched<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DurableError && error.code === "syntax")) throw error;
    const { code, message, at, hint = "" } = error;
    throw new DurableError(code, { message, at, hint: `${hint} Nothing was changed.`.trim(), cause: error });
  }
}

/** The folder that was named, or the nearest one around the current folder that looks like a project. */
async function folderFor({ cwd, home }: AtomicContext, named: string | undefined): Promise<string> {
  const marks = [...(await marksOfProjects()), projectPaths.packageJson];
  const folder = named === undefined ? findProject(cwd, { home, marks }) : resolve(cwd, named);
  const stats = statSync(folder, { throwIfNoEntry: false });
  const problem = folder === home ? "is your home folder" : "is not a folder";
  if (folder !== home && (stats === undefined || stats.isDirectory())) return folder;
  throw new Refusal("not-a-project", {
    exitCode: 3,
    message: safe`${named ?? folder} ${problem}`,
    hint: "Name a folder for the project: `atomic init my-project`. Nothing was changed.",
  });
}

async function contentFor(
  context: AtomicContext,
  project: string,
  { user, isFirst }: { readonly user: boolean; readonly isFirst: boolean },
) {
  const [{ initializeWorkflowsSDK }, { readWorkflowFile }, { entityNames }, { isReadByNone }] = await Promise.all([
    import("@atomic/workflows/internal/entities/initialize"),
    import("@atomic/workflows/internal/entities/formats/atomic"),
    import("@atomic/workflows/internal/graph/entity-names-file"),
    import("@atomic/workflows/internal/entities/tools/read-by-none"),
  ]);
  const own = packageFolder();
  const template = (name: string): string => readFileSync(join(own, "templates", name), "utf8");
  const firstWorkflow = template("release.ts");
  const registry = await initializeWorkflowsSDK({ projectPath: project, userPath: context.home, env: context.env });
  if (isFirst) {
    // It is not on disk yet, and its name has to be in the file of names.
    const file = { path: join(project, projectPaths.firstWorkflow), relative: "release.ts", text: firstWorkflow };
    const place = { location: "project", place: projectPaths.workflows } as const;
    for (const entity of readWorkflowFile("atomic")({ ...file, ...place }).entities) registry.register(entity);
  }
  const { version, dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  const packages = {
    "@atomic/cli": `^${version}`,
    "@atomic/workflows": `^${dependencies["@atomic/workflows"]}`,
    // Of the oldest Node that Atomic runs on.
    "@types/node": "^20.19.0",
  };
  return {
    names: entityNames(registry, isReadByNone, { user }),
    firstWorkflow,
    tsconfig: template("tsconfig.json"),
    packages,
  };
}

/** Each works as it is, in the current folder. */
function nextCommands(
  { cwd, project }: Where,
  { packageManager: { install, run } }: ProjectReading,
  files: readonly ProjectFile[],
): readonly string[] {
  const isInside = relative(project, cwd).split("/")[0] !== "..";
  const go = isInside ? [] : [`cd ${quoted(relative(cwd, project))}`];
  const isListed = files.some(({ path, did }) => path === projectPaths.packageJson && did === "kept");
  const isInstalled =
    isListed && findUp(project, "node_modules/@atomic/cli") && findUp(project, "node_modules/@atomic/workflows");
  const hasFirst = files.some(({ path }) => path === projectPaths.firstWorkflow);
  const runs =
    hasFirst || existsSync(join(project, projectPaths.firstWorkflow))
      ? [`${run} atomic graph release`, `${run} atomic run release 1.4.0 --host scripted`]
      : [`${run} atomic entities --type workflow`];
  return [...go, ...(isInstalled ? [] : [install]), ...runs];
}

function findUp(folder: string, path: string): boolean {
  if (existsSync(join(folder, path))) return true;
  return dirname(folder) !== folder && findUp(dirname(folder), path);
}

/** A path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
