import type { RunState, Status } from "../run/state.ts";
import type { SessionMeta } from "./session-meta.ts";

const statuses: Readonly<Record<Status["kind"], SessionMeta["status"]>> = {
  running: "active",
  paused: "paused",
  done: "completed",
  cancelled: "cancelled",
};

/** What `session-meta.json` says of a run. */
export function metaOf(state: RunState): SessionMeta {
  const { run, flow, description, workflow, options, status, phase, visits, artifacts } = state;
  const passed = visits.filter(({ left }) => left === "passed" || left === "waived");
  return {
    id: run,
    command: flow,
    description,
    workflowType: workflow,
    status: statuses[status.kind],
    createdAt: new Date(state.startedAt).toISOString(),
    updatedAt: new Date(state.at).toISOString(),
    currentPhase: phase,
    completedPhases: [...new Set(passed.map((visit) => visit.phase))],
    artifacts: Object.keys(artifacts).toSorted(),
    ...(options.figmaUrl !== undefined && { figmaUrl: options.figmaUrl }),
  };
}
