// What any process needs to continue a run besides its graph and input. Kept with the run.
import type { SourceFiles } from "@atomic/workflows/internal/modules/source-files";
import type { Action } from "@atomic/workflows/internal/permission/rules";
import type { Json } from "@atomic/workflows/internal/run/json";

/** By the name of the tool, which may have wildcards; `*` is for all that is not named. */
export type Permissions = Readonly<Record<string, Action>>;

export interface RunSetup {
  /** Qualified name of the workflow. */
  readonly workflow: string;
  readonly host: string;
  readonly model?: string;
  /** Path of the answers for the scripted host. */
  readonly script?: string;
  /** How many prompts run at a time. */
  readonly maxPrompts?: number;
  readonly permissions: Permissions;
  /** How long a host may be silent. Default: as the SDK has it. */
  readonly idleTimeoutMs?: number | undefined;
  /** The workflow's files when the run began, or when it last continued with changed ones. Older versions did not record them. */
  readonly source?: WorkflowSource;
  /** Where other machines get the project's files. */
  readonly repository?: RunRepository;
  /** What Hugo had installed in the project. Recorded for runs that other machines may execute. */
  readonly packages?: RunPackages;
}

/** By workflow: `magnus-opus@0.1.0 sha256:…`. */
export type RunPackages = Readonly<Record<string, string>>;

export interface RunRepository {
  readonly url: string;
  readonly commit: string;
  /** The project's folder in it; empty for the whole repository. */
  readonly path: string;
}

/** The ref that has the run's files as its last recorded step left them. */
export function refOf(runId: string): string {
  return `refs/atomic/${runId}`;
}

export interface WorkflowSource {
  readonly files: SourceFiles;
  /** The hash of the graph that the files described. */
  readonly graph: string;
}

export function setupToJson(setup: RunSetup): Json {
  const { workflow, host, model, script, maxPrompts, permissions, idleTimeoutMs, source, repository, packages } = setup;
  const more = {
    ...(model !== undefined && { model }),
    ...(script !== undefined && { script }),
    ...(maxPrompts !== undefined && { maxPrompts }),
  };
  const limit = idleTimeoutMs === undefined ? {} : { idleTimeoutMs };
  return {
    workflow,
    host,
    ...more,
    permissions: { ...permissions },
    ...limit,
    ...(source && { source: { files: { ...source.files }, graph: source.graph } }),
    ...(repository && { repository: { ...repository } }),
    ...(packages && { packages: { ...packages } }),
  };
}

/** Undefined for a run that `atomic run` has not started. */
export function setupOf(workspace: Json | undefined): RunSetup | undefined {
  if (typeof workspace !== "object" || workspace === null || Array.isArray(workspace)) return undefined;
  const known = workspace as { readonly [key: string]: Json };
  const { workflow, host, model, script, maxPrompts, permissions, idleTimeoutMs, source, repository, packages } = known;
  if (typeof workflow !== "string" || typeof host !== "string") return undefined;
  return {
    workflow,
    host,
    ...(typeof model === "string" && { model }),
    ...(typeof script === "string" && { script }),
    ...(typeof idleTimeoutMs === "number" && { idleTimeoutMs }),
    ...(typeof maxPrompts === "number" && { maxPrompts }),
    ...(isSource(source) && { source }),
    ...(isRepository(repository) && { repository }),
    ...(isPackages(packages) && { packages }),
    permissions:
      typeof permissions === "object" && permissions !== null && !Array.isArray(permissions)
        ? (permissions as Permissions)
        : {},
  };
}

function isSource(value: unknown): value is WorkflowSource {
  const { files, graph } = (value ?? {}) as Partial<Record<keyof WorkflowSource, unknown>>;
  return typeof files === "object" && files !== null && typeof graph === "string";
}

function isRepository(value: unknown): value is RunRepository {
  const { url, commit, path } = (value ?? {}) as Partial<Record<keyof RunRepository, unknown>>;
  return [url, commit, path].every((each) => typeof each === "string");
}

function isPackages(value: unknown): value is RunPackages {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => typeof each === "string");
}

/** Whether `run()` in a program has started it. Only that program has its graph. */
export function isFromProgram(workspace: Json | undefined): boolean {
  return typeof workspace === "object" && workspace !== null && "program" in workspace && workspace.program === true;
}
