import type { ReportedWorkflow } from "../shared/workflow-status.ts";

/** A problem with an installed workflow, or something worth a look. The codes are stable. */
export interface HealthFinding {
  /** A problem keeps the workflow from working; a warning is for the user to decide; a note is already decided. */
  readonly severity: "problem" | "warning" | "note";
  readonly code: FindingCode;
  readonly message: string;
  readonly hint: string;
}

type FindingCode =
  /** Listed, but OpenCode does not have it. */
  | "not-registered"
  /** hugo.json and the config say different things. */
  | "drift"
  /** OpenCode keeps a copy of another version. */
  | "stale-cache"
  /** The config lists it more than once. */
  | "duplicate-entry"
  /** Not the bytes that were installed. */
  | "tampered"
  /** Files that were installed are gone, or never arrived. */
  | "missing-files"
  /** Its author's restriction cannot be kept in OpenCode, so it was not installed. */
  | "left-out"
  /** It was translated under different permissions, and may do more than the current ones allow. */
  | "wider-than-yours"
  /** A newer version of a file waits to be merged by hand. */
  | "conflict"
  /** Something else has the same name. */
  | "collision";

/** Whether OpenCode runs it. */
export type LoadState =
  /** `version` is the one that OpenCode really loaded. */
  | { readonly kind: "loaded"; readonly version?: string }
  | { readonly kind: "not-loaded"; readonly because: string }
  | { readonly kind: "disabled" }
  /** OpenCode could not be asked. */
  | { readonly kind: "unknown" };

export interface WorkflowHealth extends Pick<ReportedWorkflow, "package" | "version" | "delivery"> {
  readonly workflow: string;
  readonly state: LoadState;
  readonly findings: readonly HealthFinding[];
}

export function problem(code: FindingCode, message: string, hint: string): HealthFinding {
  return { severity: "problem", code, message, hint };
}

export function warning(code: FindingCode, message: string, hint: string): HealthFinding {
  return { severity: "warning", code, message, hint };
}

export function note(code: FindingCode, message: string, hint: string): HealthFinding {
  return { severity: "note", code, message, hint };
}

/** Undefined if nothing wrong was found, but OpenCode was not asked. */
export function isHealthy({ state, findings }: WorkflowHealth): boolean | undefined {
  if (state.kind === "not-loaded" || findings.some(({ severity }) => severity === "problem")) return false;
  return state.kind === "unknown" ? undefined : true;
}
