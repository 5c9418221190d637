// What a user can configure. One schema gives the type, the checks and the published JSON Schema.
import * as z from "zod/mini";

const permission = z.enum(["allow", "ask", "deny"]);
const fraction = z.number().check(z.gte(0), z.lte(1));
const temperature = z.number().check(z.gte(0), z.lte(2));
const amount = z.number().check(z.gt(0));
const count = z.int().check(z.gte(1));
/** OpenCode accepts a model without a slash, and fails when it is used. */
const model = z.string().check(z.regex(/^[^/\s]+\/\S+$/, { error: "is not a model in the form provider/model" }));
const thinking = z.strictObject({ type: z.enum(["enabled", "disabled"]), budgetTokens: z.optional(count) });

const agent = z.strictObject({
  model: z.optional(model),
  variant: z.optional(z.string()),
  category: z.optional(z.string()),
  skills: z.optional(z.array(z.string())),
  temperature: z.optional(temperature),
  top_p: z.optional(fraction),
  maxTokens: z.optional(count),
  prompt: z.optional(z.string()),
  prompt_append: z.optional(z.string()),
  description: z.optional(z.string()),
  mode: z.optional(z.enum(["subagent", "primary", "all"])),
  color: z.optional(z.string().check(z.regex(/^#[0-9A-Fa-f]{6}$/, { error: "is not a color such as #9333ea" }))),
  permission: z.optional(z.record(z.string(), z.union([permission, z.record(z.string(), permission)]))),
  disable: z.optional(z.boolean()),
});

const category = z.strictObject({
  model: z.optional(model),
  agent: z.optional(z.string()),
  skills: z.optional(z.array(z.string())),
  variant: z.optional(z.string()),
  temperature: z.optional(temperature),
  top_p: z.optional(fraction),
  maxTokens: z.optional(count),
  thinking: z.optional(thinking),
  reasoningEffort: z.optional(z.enum(["low", "medium", "high"])),
  prompt_append: z.optional(z.string()),
});

/** 0 is a limit like any other. */
const most = z.number().check(z.gte(0));
const mostWhole = z.int().check(z.gte(0));
const limits = {
  usd: z.optional(most),
  tokens: z.optional(mostWhole),
  minutes: z.optional(most),
  sessions: z.optional(mostWhole),
  depth: z.optional(mostWhole),
};

export const configSchema = z.strictObject({
  $schema: z.optional(z.string()),
  /** The name of a folder in `stacks/`; otherwise it is detected. */
  stack: z.optional(z.string()),
  agents: z.optional(z.record(z.string(), agent)),
  categories: z.optional(z.record(z.string(), category)),
  model_preset: z.optional(z.enum(["inherit", "classic"])),
  disabled_agents: z.optional(z.array(z.string())),
  disabled_mcps: z.optional(z.array(z.string())),
  disabled_skills: z.optional(z.array(z.string())),
  disabled_hooks: z.optional(z.array(z.string())),
  enabled_mcps: z.optional(z.array(z.string())),
  claim_builtin_commands: z.optional(z.boolean()),
  reviewModels: z.optional(
    z.strictObject({
      planReview: z.optional(z.array(model)),
      codeReview: z.optional(z.array(model)),
      autoUse: z.optional(z.boolean()),
      /** How long a reviewer may take. */
      minutes: z.optional(amount),
    }),
  ),
  sessionSettings: z.optional(
    z.strictObject({
      includeDescriptor: z.optional(z.boolean()),
      autoCleanup: z.optional(z.boolean()),
      retentionDays: z.optional(amount),
    }),
  ),
  tests: z.optional(
    z.strictObject({
      command: z.optional(z.array(z.string()).check(z.minLength(1))),
      timeoutMinutes: z.optional(amount),
      skipped: z.optional(z.enum(["allow", "refuse"])),
      redProof: z.optional(z.boolean()),
    }),
  ),
  gates: z.optional(
    z.strictObject({
      quorum: z.optional(count),
      maxIterations: z.optional(count),
      approvalPrompt: z.optional(z.boolean()),
    }),
  ),
  background: z.optional(
    z.strictObject({
      agents: z.optional(z.array(z.string())),
      perModel: z.optional(count),
      perSession: z.optional(count),
      slots: z.optional(z.record(z.string(), count)),
      open: z.optional(count),
      depth: z.optional(count),
      silenceMinutes: z.optional(amount),
      wake: z.optional(z.enum(["each", "all"])),
    }),
  ),
  todoContinuation: z.optional(
    z.strictObject({ seconds: z.optional(most), skipAgents: z.optional(z.array(z.string())) }),
  ),
  commentChecker: z.optional(z.strictObject({ custom_prompt: z.optional(z.string()) })),
  truncateAllToolOutputs: z.optional(z.boolean()),
  /** In tokens, by tool. */
  toolOutputLimits: z.optional(z.record(z.string(), count)),
  budget: z.optional(z.strictObject({ ...limits, phases: z.optional(z.record(z.string(), z.strictObject(limits))) })),
});

export type Config = z.infer<typeof configSchema>;
export type Category = z.infer<typeof category>;
