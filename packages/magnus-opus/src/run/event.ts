// Everything that can happen to a run, in the order of its journal. State is a fold of these (reduce.ts).
// One schema gives the types and checks what is read from disk, since a journal is only a file.
import * as z from "zod/mini";
import { limits } from "./budget.ts";
import { testEvidence } from "./evidence.ts";
import { flows, phaseNames, waivable, workflowTypes } from "./phase-name.ts";
import { submission } from "./review.ts";
import { runOptions } from "./run-options.ts";

/**
 * The version of the journals that this plugin writes. Raise it when an event that older plugins know gets another meaning or
 * other fields; they recognize a new type of event by themselves.
 */
export const journalVersion = 2;

const text = z.string();
const reason = z.string().check(z.regex(/\S/));
const count = z.number().check(z.gte(0));
const phase = z.enum(phaseNames);
/** Of the process that writes from here on; 1 if it is missing. */
const version = z.optional(count);

const person = z.object({
  kind: z.literal("person"),
  how: z.enum(["command", "permission", "shell"]),
  name: z.optional(text),
});
const plugin = z.object({ kind: z.literal("plugin") });
const agent = z.object({ kind: z.literal("agent"), agent: text, session: text });

export type PersonIdentity = z.infer<typeof person>;

const by = <By extends z.core.$ZodType, const Name extends string, Shape extends z.core.$ZodShape>(
  who: By,
  type: Name,
  shape: Shape,
) => z.object({ type: z.literal(type), at: z.number(), by: who, ...shape });

/** What the plugin saw or did itself. */
const pluginEvents = [
  /** A feature is started. */
  by(plugin, "run-started", {
    version,
    run: text,
    flow: z.enum(flows),
    description: text,
    workflow: z.enum(workflowTypes),
    /** The root session. */
    session: text,
    /** Absolute. */
    worktree: text,
    /** The session folder, relative to the worktree, with `/`. */
    folder: text,
    options: runOptions,
  }),
  /** A process opened the run (again): no one worked on it since the last event. */
  by(plugin, "run-opened", { version }),
  /** Our agents and commands that have another name in OpenCode from here on, because the user has some with the same names. */
  by(plugin, "agents-named", { names: z.record(text, text), commands: z.optional(z.record(text, text)) }),
  /** An agent's session became part of the run. */
  by(plugin, "session-joined", { session: text, parent: text, agent: text, depth: count, model: z.optional(text) }),
  /** A session of the run has stopped working. */
  by(plugin, "session-ended", { session: text, outcome: z.enum(["idle", "error", "lost"]) }),
  /** A file of the session folder has new content. `path` is relative to that folder; no bytes: it is empty or gone. */
  by(plugin, "artifact-seen", { path: text, hash: text, bytes: count }),
  /** The first agent that writes a report of a review owns it. */
  by(plugin, "report-claimed", { path: text, session: text, agent: text }),
  /** All reviewers of a phase have been asked; `report` says who said what. The verdict that counts follows from their votes. */
  by(plugin, "review-concluded", {
    ...{ phase, report: text, verdict: z.enum(["approved", "blocked", "open"]), because: text, label: text },
    agreement: z.optional(text),
  }),
  /** The project's files have changed; `tree` is their hash. */
  by(plugin, "tree-seen", { tree: text }),
  /** The plugin ran the project's tests. */
  by(plugin, "tests-ran", { evidence: testEvidence }),
  /** The cost of one message. A later event about the same message replaces it. */
  by(plugin, "usage-seen", { message: text, session: text, usd: count, tokens: count }),
  /** A gate refused an agent's tool call. */
  by(plugin, "call-refused", { session: text, agent: text, tool: text, gate: text, missing: text }),
  /** The run does nothing until you resume it. */
  by(plugin, "paused", { reason: z.enum(["abort", "journal-changed", "command", "error", "stuck"]), detail: text }),
] as const;

const agentEvents = [
  /** The orchestrator says that a phase is ready; the gate decides. */
  by(agent, "phase-ready", { phase }),
  /** A reviewer has voted. */
  by(agent, "review-submitted", { submission, model: z.optional(text) }),
] as const;

/** What a person decides about a run. Only person-actions.ts creates these. */
const decisions = [
  /** You approved a phase's result. `subject` is the hash of what you saw, so later changes are not covered. */
  by(person, "approved", { phase, subject: text }),
  /** You sent the work back to the phase `to`. */
  by(person, "rejected", { phase, to: phase, notes: text }),
  /** You let the run pass a gate that is not met. */
  by(person, "waived", { phase, gate: z.enum(waivable), why: reason }),
  /** You said what kind of feature it is. */
  by(person, "type-chosen", { workflow: z.enum(["UI_FOCUSED", "API_FOCUSED", "MIXED"]) }),
  /** You resumed a paused run. */
  by(person, "resumed", {}),
  /** You ended the run. */
  by(person, "cancelled", { why: text }),
  /** You raised the limits of the run or of its phase. */
  by(person, "budget-raised", { run: limits, phase: limits, maxIterations: z.optional(count) }),
] as const;
const decision = z.discriminatedUnion("type", decisions);

/**
 * A decision that an agent may have made: `from` says who made it, `why` what makes it doubtful. It counts once you confirm
 * it. A version that does not know these three events drops them all, so there the decision never counts.
 */
const held = by(plugin, "held", { decision, from: text, why: text });
/** `held` is the decision's number, from 1. */
const answers = [
  /** You confirmed a held decision, so it counts. */
  by(person, "confirmed", { held: count }),
  /** You dropped a held decision. */
  by(person, "dismissed", { held: count }),
] as const;

const magnusEvent = z.discriminatedUnion("type", [...pluginEvents, held, ...agentEvents, ...decisions, ...answers]);

export type MagnusEvent = z.infer<typeof magnusEvent>;
export type PersonDecision = z.infer<typeof decision>;
export type PersonEvent = PersonDecision | EventOf<"confirmed" | "dismissed">;
export type EventOf<Type extends MagnusEvent["type"]> = Extract<MagnusEvent, { type: Type }>;

/** Parses an event from any source; undefined if it is invalid or claims the wrong author. */
export function readEvent(value: unknown): MagnusEvent | undefined {
  return magnusEvent.safeParse(value).data;
}

const knownTypes: ReadonlySet<unknown> = new Set(
  magnusEvent.def.options.map((event) => event.shape.type.def.values[0]),
);

/** What shows that a newer version of Magnus Opus wrote this event or those after it. */
export function signOfNewer(value: unknown): string | undefined {
  const event = (value ?? {}) as Partial<Readonly<Record<"type" | "at" | "by" | "version", unknown>>>;
  const { type, at, by } = event;
  if (typeof type !== "string" || typeof at !== "number" || typeof by !== "object" || by === null) return undefined;
  if (!knownTypes.has(type)) return `an event "${type.slice(0, 40)}"`;
  const isOpening = type === "run-started" || type === "run-opened";
  const isNewer = isOpening && typeof event.version === "number" && event.version > journalVersion;
  return isNewer ? `version ${event.version} of the journal` : undefined;
}

export function isDecision(event: MagnusEvent): event is PersonDecision {
  return event.by.kind === "person" && event.type !== "confirmed" && event.type !== "dismissed";
}

export function isPersonEvent(event: MagnusEvent): event is PersonEvent {
  return event.by.kind === "person";
}
