// `session-meta.json`: what a person, or another program, may want to know of a session without its journal. It is made
// from the run's state and never read back as truth about the run.
import * as z from "zod/mini";

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
