// What a user can configure. One schema gives the type, the checks and the published JSON Schema.
import * as z from "zod/mini";

const permission = z.enum(["allow", "ask", "deny"]);
const fraction = z.number().check(z.gte(0), z.lte(1));
const temperature = z.number().check(z.gte(0), z.lte(2));
const amount = z.number().check(z.gt(0));
const count = z.int().check(z.gte(1));
/** OpenCode accepts a model without a slash, and fails when it is used. */
const model = z.string().check(z.regex(/^[^/\s]+\/\S+$/, { error: "is not a model in the form provider/model" }));
/** A field that may be left out. What it means reaches editors through the JSON Schema, and people through docs/reference. */
function setting<Schema extends z.core.$ZodType>(description: string, schema: Schema): z.ZodMiniOptional<Schema> {
  const field = z.optional(schema);
  z.globalRegistry.add(field, { description });
  return field;
}

const names = z.array(z.string());
const onOrOff = z.enum(["enabled", "disabled"]);
z.globalRegistry.add(onOrOff, { description: "Whether the model thinks before it answers" });
const thinking = z.strictObject({ type: onOrOff, budgetTokens: setting("How many tokens that may take", count) });

const agent = z.strictObject({
  model: setting("The model, as provider/model. Default: the category's, the preset's, or the session's", model),
  variant: setting("A variant of the model", z.string()),
  category: setting("A category in `categories` that fills in what the agent leaves out", z.string()),
  skills: setting("The skills in its prompt, instead of the default ones", names),
  temperature: setting("The temperature of its requests", temperature),
  top_p: setting("The top_p of its requests", fraction),
  maxTokens: setting("How many tokens a reply may have", count),
  prompt: setting("Text that replaces its prompt", z.string()),
  prompt_append: setting("Text that is added to its prompt", z.string()),
  description: setting("As in OpenCode", z.string()),
  mode: setting("As in OpenCode", z.enum(["subagent", "primary", "all"])),
  color: setting(
    "As in OpenCode",
    z.string().check(z.regex(/^#[0-9A-Fa-f]{6}$/, { error: "is not a color such as #9333ea" })),
  ),
  permission: setting(
    "OpenCode permissions, which override the agent's own. The gates stay",
    z.record(z.string(), z.union([permission, z.record(z.string(), permission)])),
  ),
  disable: setting(
    "Disables the agent. A phase that only this agent works in is skipped, but never one that you approve",
    z.boolean(),
  ),
});

const category = z.strictObject({
  model: setting("The model of the agents and tasks in this category, as provider/model", model),
  agent: setting("The agent that does a task which is delegated to this category", z.string()),
  skills: setting("The skills that such a task gets", names),
  variant: setting("A variant of the model", z.string()),
  temperature: setting("The temperature of their requests", temperature),
  top_p: setting("The top_p of their requests", fraction),
  maxTokens: setting("How many tokens a reply may have", count),
  thinking: setting("How the model thinks before it answers", thinking),
  reasoningEffort: setting("How much the model thinks before it answers", z.enum(["low", "medium", "high"])),
  prompt_append: setting("Text that is added to their prompts", z.string()),
});

/** 0 is a limit like any other. */
const most = z.number().check(z.gte(0));
const mostWhole = z.int().check(z.gte(0));
const limits = {
  usd: setting("Dollars. 0 is a limit, too: then only free models work", most),
  tokens: setting("Tokens", mostWhole),
  minutes: setting("Minutes of work", most),
  sessions: setting("Sessions that may be started. Default: 60 in a run", mostWhole),
  depth: setting(
    "How deep sessions may be nested. Default: 1. More also needs OpenCode's own `subagent_depth`",
    mostWhole,
  ),
};

export const configSchema = z.strictObject({
  $schema: setting("The JSON Schema, for your editor", z.string()),
  stack: setting(
    "Your stack: `sveltekit-convex`, `node`, `python`, `go`, `generic` or one of your own. Default: detected",
    z.string(),
  ),
  agents: setting("Changes to agents, by name", z.record(z.string(), agent)),
  categories: setting(
    "Kinds of work, by name. `visual` and `business-logic` always exist",
    z.record(z.string(), category),
  ),
  model_preset: setting(
    "`inherit` (default): the session's model. `classic`: a model for each agent, used if it is connected",
    z.enum(["inherit", "classic"]),
  ),
  disabled_agents: setting(
    "By name. A phase whose only agent is disabled is skipped, except planning and building: there you see which agent is disabled, and do its work by hand or waive it",
    names,
  ),
  disabled_mcps: setting("MCP servers that stay off, by name", names),
  disabled_skills: setting("Skills that are not offered, by name", names),
  disabled_hooks: setting("`models`, `parameters` and the optional hooks. The others enforce the gates", names),
  enabled_mcps: setting(
    "MCP servers to start: `websearch`, `context7`, `figma`, `chrome-devtools`, `playwright`, `grep_app`",
    names,
  ),
  claim_builtin_commands: setting("Magnus Opus takes over `/review` and `/help`. Default: false", z.boolean()),
  reviewModels: setting(
    "Reviews by several models",
    z.strictObject({
      planReview: setting("Models for plan reviews, as provider/model", z.array(model)),
      codeReview: setting("Models for code reviews and `/magnus-review`", z.array(model)),
      autoUse: setting("The review phases use these models, too: one reviewer for each of them", z.boolean()),
      minutes: setting("How long a reviewer may take before its vote is an abstention. Default: 10", amount),
    }),
  ),
  sessionSettings: setting(
    "Session folders",
    z.strictObject({
      includeDescriptor: setting("Include the feature's description in the session id. Default: true", z.boolean()),
      autoCleanup: setting("Remove old ended sessions when a run starts. Default: false", z.boolean()),
      retentionDays: setting("How old they must be. Default: 30", amount),
    }),
  ),
  tests: setting(
    "How the plugin runs your tests",
    z.strictObject({
      command: setting(
        'A list of words, not a shell command line: `["npm", "test"]`. Default: the stack\'s',
        names.check(z.minLength(1)),
      ),
      timeoutMinutes: setting("How long they may take. Default: 10", amount),
      skipped: setting("Whether tests pass if some are skipped. Default: allow", z.enum(["allow", "refuse"])),
      redProof: setting("A test must fail before the change, even for UI features", z.boolean()),
    }),
  ),
  gates: setting(
    "The gates",
    z.strictObject({
      quorum: setting(
        "How many models must vote in a review that has several. Default: all of them in a phase, more than half in `/magnus-review`",
        count,
      ),
      maxIterations: setting("How often a check sends the work back before you are asked. Default: 3", count),
      approvalPrompt: setting(
        "Ask in OpenCode's permission prompt when a run waits for you. Default: false",
        z.boolean(),
      ),
    }),
  ),
  background: setting(
    "Background agents",
    z.strictObject({
      agents: setting(
        "Your own agents, such as `build`, that get the tools for background agents. Default: none",
        names,
      ),
      perModel: setting("How many tasks may work at once on one model. Default: 5", count),
      perSession: setting("How many tasks may work at once below one session. Default: 10", count),
      slots: setting(
        'The same for a provider or a model: `{ "anthropic": 3, "openai/gpt-5.2": 1 }`',
        z.record(z.string(), count),
      ),
      open: setting("How many tasks below one session may be queued or working. Default: 50", count),
      depth: setting("How deep they may be nested. Default: 1", count),
      silenceMinutes: setting("How long a task may be silent before it is given up. Default: 15", amount),
      wake: setting(
        "`each` (default): results reach an idle session at once. `all`: when none of its tasks is open any more",
        z.enum(["each", "all"]),
      ),
    }),
  ),
  todoContinuation: setting(
    "The hook that continues with open todos",
    z.strictObject({
      seconds: setting("The countdown. Default: 5", most),
      skipAgents: setting("Agents that do not continue. Default: `plan`", names),
    }),
  ),
  commentChecker: setting(
    "The hook against too many comments",
    z.strictObject({ custom_prompt: setting("The warning for an agent that writes too many", z.string()) }),
  ),
  truncateAllToolOutputs: setting("Shorten the output of every tool. Default: false", z.boolean()),
  toolOutputLimits: setting("How many tokens a tool may return, by its name", z.record(z.string(), count)),
  budget: setting(
    "What a run may use",
    z.strictObject({
      ...limits,
      phases: setting("The same for one phase, by its name", z.record(z.string(), z.strictObject(limits))),
    }),
  ),
});

export type Config = z.infer<typeof configSchema>;
export type Category = z.infer<typeof category>;
