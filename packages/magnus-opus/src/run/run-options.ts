// What is settled when a run starts, and stays with it.
import * as z from "zod/mini";
import { limits } from "./budget.ts";
import { settledCommand } from "./evidence.ts";
import { phaseNames, roles } from "./phase-name.ts";

const count = z.number().check(z.gte(0));

export const runOptions = z.object({
  skipPlanReview: z.boolean(),
  figmaUrl: z.optional(z.string()),
  /** Phases that the settings leave out, because their agent is disabled. Never one that a person has to approve. */
  skip: z.array(z.enum(phaseNames)),
  /** How many reviewers have to vote. */
  quorum: count,
  /** How often a check may send the work back before a person decides. */
  maxIterations: count,
  /** What runs as the tests. Left out: the project had none. */
  testCommand: z.optional(settledCommand),
  skippedTests: z.enum(["allow", "refuse"]),
  /** A test has to fail before the change; API_FOCUSED always wants that. */
  redProof: z.boolean(),
  budget: z.object({ run: limits, phases: z.partialRecord(z.enum(phaseNames), limits) }),
  /** Names of agents that stand for a role under another name: `{ "reviewer-2": "reviewer" }`. */
  roles: z.record(z.string(), z.enum(roles)),
  /** Tools of MCP servers that only read, as `name` or `prefix*`. */
  readOnlyTools: z.array(z.string()),
});
export type MagnusRunOptions = z.infer<typeof runOptions>;

export const defaultRunOptions: MagnusRunOptions = {
  skipPlanReview: false,
  skip: [],
  quorum: 1,
  maxIterations: 3,
  skippedTests: "allow",
  redProof: false,
  budget: { run: { sessions: 60, depth: 1 }, phases: {} },
  roles: {},
  readOnlyTools: ["context7_*", "grep_app_*", "websearch_*", "figma_get_*"],
};
