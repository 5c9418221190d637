// What `atomic init` does: reads the project, decides what is missing, and writes it in one change.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import type { AtomicContext } from "../context.ts";
import { findProject, marksOfProjects } from "../entities/load-entities.ts";
import { packageFolder } from "../package-folder.ts";
import { compareNames, hasAllNames } from "../project/names-file.ts";
import { type ProjectFile, planFiles, projectPaths } from "../project/plan-files.ts";
import { type ProjectReading, readProject } from "../project/read-project.ts";
import {
  type ProjectChange,
  recoverFiles,
  refuseOddPaths,
  refuseUnwritable,
  stateFolder,
  writeFiles,
} from "../project/write-files.ts";
import type { Where } from "../report/path.ts";

export interface ProjectSetup {
  readonly where: Where;
  readonly files: readonly ProjectFile[];
  /** The files that were written, as they were before; undefined if there was none. */
  readonly before: ReadonlyMap<string, string | undefined>;
  /** Commands for the user, one after the other. */
  readonly next: readonly string[];
  readonly recovered: string | undefined;
  readonly dryRun: boolean;
}

interface ProjectSetupOptions {
  /** With the names in the user's home. */
  readonly user: boolean;
  readonly dryRun: boolean;
  /** What else is written in the same change. */
  readonly beside?: (setup: Pick<ProjectSetup, "files" | "before">) => readonly ProjectChange[];
}

export async function setUpProject(
  context: AtomicContext,
  project: string,
  { user, dryRun, beside = () => [] }: ProjectSetupOptions,
): Promise<ProjectSetup> {
  const where = { cwd: context.cwd, home: context.home, project };
  if (dryRun) refuseOddPaths(project, [".atomic"]);
  const recovered = dryRun ? undefined : await recoverFiles(project);
  const reading = untouched(() => readProject(project, context.env));
  const content = await contentFor(context, project, { user, isFirst: !reading.found.hasWorkflows });
  const difference = compareNames(project, content.names);
  const files = planFiles({ ...reading.found, hasNames: hasAllNames(difference) }, content);
  const reads = new Map([...reading.reads, [projectPaths.names, difference.read]]);
  const before = new Map<string, string | undefined>();
  const changes = files.flatMap(({ path, text }): ProjectChange[] => {
    if (text === undefined) return [];
    const read = reads.get(path);
    before.set(path, read === undefined || read.hash === "absent" ? undefined : read.text);
    return [{ path, content: text, expect: read?.hash ?? "absent" }];
  });
  const paths = changes.map(({ path }) => path);
  if (dryRun) {
    refuseOddPaths(project, paths);
    if (paths.length > 0) refuseUnwritable(project, [stateFolder, ...paths.map(dirname)]);
  } else if (changes.length > 0) await writeFiles(project, [...changes, ...beside({ files, before })], "atomic init");
  const shown = files.map((file) =>
    file.path === projectPaths.names && file.did === "created" && difference.isThere
      ? ({ ...file, did: "changed" } as const)
      : file,
  );
  return { where, files: shown, before, next: nextCommands(where, reading, shown), recovered, dryRun };
}

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
export async function projectFolder(
  { cwd, home }: AtomicContext,
  command: "atomic init" | "atomic setup",
  named?: string,
): Promise<string> {
  const marks = [...(await marksOfProjects()), projectPaths.packageJson];
  const folder = named === undefined ? findProject(cwd, { home, marks }) : resolve(cwd, named);
  const stats = statSync(folder, { throwIfNoEntry: false });
  const problem = folder === home ? "is your home folder" : "is not a folder";
  if (folder !== home && (stats === undefined || stats.isDirectory())) return folder;
  const hint =
    command === "atomic init"
      ? "Change to the project's folder, or name one: `atomic init my-project`. Nothing was changed."
      : "Change to the project's folder, then run `atomic setup`. Nothing was changed.";
  throw new Refusal("not-a-project", { exitCode: 3, message: safe`${named ?? folder} ${problem}`, hint });
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
