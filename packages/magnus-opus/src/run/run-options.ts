// Options that are fixed when a run starts.
import * as z from "zod/mini";
import { limits } from "./budget.ts";
import { settledCommand } from "./evidence.ts";
import { phaseNames, roles } from "./phase-name.ts";

const count = z.number().check(z.gte(0));

export const runOptions = z.object({
  skipPlanReview: z.boolean(),
  figmaUrl: z.optional(z.string()),
  /** Phases left out because their agent is disabled. Never one that a person has to approve. */
  skip: z.array(z.enum(phaseNames)),
  /** How many reviewers have to vote, in each phase or (in older journals) in all of them; 1 unless it says otherwise. */
  quorum: z.union([count, z.partialRecord(z.enum(phaseNames), count)]),
  /** The models that review the code, as `provider/model`, if the command or its settings name some; otherwise one per agent. */
  reviewModels: z.optional(z.array(z.string())),
  /** How often a check may send the work back before a person decides. */
  maxIterations: count,
  /** The test command; undefined if the project had no tests. */
  testCommand: z.optional(settledCommand),
  /** Globs of test files that the stack adds. */
  testFiles: z.optional(z.array(z.string())),
  skippedTests: z.enum(["allow", "refuse"]),
  /** Whether a test must fail before the change; always the case for API_FOCUSED. */
  redProof: z.boolean(),
  budget: z.object({ run: limits, phases: z.partialRecord(z.enum(phaseNames), limits) }),
  /** Roles of agents that are not called like their role: `{ "reviewer-2": "reviewer" }`. */
  roles: z.record(z.string(), z.enum(roles)),
  /** Read-only tools of MCP servers, as `name` or `prefix*`. */
  readOnlyTools: z.array(z.string()),
});
export type MagnusRunOptions = z.infer<typeof runOptions>;

export const defaultRunOptions: MagnusRunOptions = {
  skipPlanReview: false,
  skip: [],
  quorum: {},
  maxIterations: 3,
  skippedTests: "allow",
  redProof: false,
  budget: { run: { sessions: 60, depth: 1 }, phases: {} },
  roles: {},
  readOnlyTools: ["context7_*", "grep_app_*", "websearch_*", "figma_get_*"],
};
