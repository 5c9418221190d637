// `session-meta.json` describes a session for people and other programs. It is written from the run's state; the plugin never
// trusts it.
import * as z from "zod/mini";
import type { MagnusState, Status } from "../run/state.ts";

export const sessionMeta = z.object({
  id: z.string(),
  command: z.string(),
  description: z.string(),
  workflowType: z.string(),
  status: z.enum(["active", "paused", "completed", "failed", "cancelled"]),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  currentPhase: z.optional(z.string()),
  completedPhases: z.array(z.string()),
  artifacts: z.array(z.string()),
  figmaUrl: z.optional(z.string()),
});

export type SessionMeta = z.infer<typeof sessionMeta>;

export const sessionMetaFile = "session-meta.json";

const statuses: Readonly<Record<Status["kind"], SessionMeta["status"]>> = {
  running: "active",
  paused: "paused",
  done: "completed",
  cancelled: "cancelled",
};

/** A run's `session-meta.json`. */
export function metaOf(state: MagnusState): SessionMeta {
  const { run, flow, description, workflow, options, status, phase, visits, artifacts } = state;
  const passed = visits.filter(({ left }) => left === "passed" || left === "waived");
  return {
    id: run,
    command: flow,
    description,
    workflowType: workflow,
    // An error stops a run until a person looks at it.
    status: status.kind === "paused" && status.reason === "error" ? "failed" : statuses[status.kind],
    createdAt: new Date(state.startedAt).toISOString(),
    updatedAt: new Date(state.at).toISOString(),
    currentPhase: phase,
    completedPhases: [...new Set(passed.map((visit) => visit.phase))],
    artifacts: Object.keys(artifacts).toSorted(),
    ...(options.figmaUrl !== undefined && { figmaUrl: options.figmaUrl }),
  };
}
