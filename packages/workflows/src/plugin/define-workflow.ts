import type { Diagnostic } from "../entities/diagnostic.ts";
import type { Permission } from "../permission/rules.ts";
import { type Merged, mergeUnder } from "./merge-under.ts";
import type { Hooks, McpConfig, OpencodeConfig, PluginClient, PluginContext } from "./opencode-config.ts";
import { readWorkflow, rootPath, type Workflow } from "./read-workflow.ts";
import { type InstanceClient, repairInstance } from "./reload-instance.ts";
import { logDiagnostics, showErrors } from "./report.ts";
import { findUserSkills } from "./user-skills.ts";

export interface WorkflowOptions {
  /** Who speaks in OpenCode's log and toasts; OpenCode wants one for a plugin that it loads from a path. */
  readonly id: string;
  /** The folder that holds `agents`, `commands` and `skills`. */
  readonly root: URL | string;
  /** MCP servers in OpenCode's shape. They are started unless they say `enabled: false`. */
  readonly mcp?: Readonly<Record<string, McpConfig>>;
  /** Permissions for the tools that `hooks` brings. The user's come on top. */
  readonly permission?: Permission;
  /** Changes what was read before it goes under the user's config: for workflows with settings of their own. */
  readonly adapt?: (workflow: Workflow, context: PluginContext) => Workflow;
  /** More hooks, such as `tool` or `event`. A `config` hook among them sees the merged config. */
  readonly hooks?: (context: PluginContext, options?: PluginOptions) => Hooks | Promise<Hooks>;
}

/** What stands beside the plugin in the user's `plugin` array. */
type PluginOptions = Readonly<Record<string, unknown>>;

/** What OpenCode loads: the default export of a plugin's entry, and its only one. */
export interface WorkflowPlugin {
  readonly id: string;
  readonly server: (context: PluginContext, options?: PluginOptions) => Promise<Hooks>;
  /** What was found when OpenCode last asked for the workflow. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Workflows come from packages with their own copies of this module, so that they meet in the config itself. */
const OWNERS: unique symbol = Symbol.for("@atomic/workflows owners") as never;

/**
 * Makes an OpenCode plugin of a folder of Markdown. What the user has set wins field by field; a file that is not as
 * OpenCode needs it is left out and reported, and never stops OpenCode.
 *
 * @example
 * export default defineWorkflow({ id: "review", root: new URL("..", import.meta.url) });
 */
export function defineWorkflow(options: WorkflowOptions): WorkflowPlugin {
  let diagnostics: readonly Diagnostic[] = [];
  return {
    id: options.id,
    get diagnostics() {
      return diagnostics;
    },
    async server(context, pluginOptions) {
      const more = await attempt("hooks", () => options.hooks?.(context, pluginOptions) ?? {});
      const hooks = "value" in more ? more.value : {};
      const tell = (how: typeof logDiagnostics): void => {
        // Not awaited: OpenCode answers its plugins only after it has started. Nobody is left to tell of a failure.
        void attempt("report", () =>
          how(context.client, { id: options.id, root: rootPath(options.root) }, diagnostics),
        );
      };
      let isShown = false;
      let isChecked = !isRestart(context.directory);
      return {
        ...hooks,
        async config(config): Promise<void> {
          const read = () => ("value" in more ? workflowOf(options, context) : withheld(workflowOf(options, context)));
          const merged = await attempt("config", () => addTo(config, read(), options.id, context));
          const own = await attempt("config hook", () => hooks.config?.(config));
          diagnostics = [more, merged, own].flatMap((done) => ("failure" in done ? [done.failure] : []));
          if ("value" in merged) diagnostics = [...diagnostics, ...merged.value];
          tell(logDiagnostics);
        },
        async event(input): Promise<void> {
          // While OpenCode starts, no screen is there to show anything.
          if (!isShown && input.event.type === "session.created") {
            isShown = true;
            tell(showErrors);
          }
          // Not before there are events: until then OpenCode may still be starting its plugins.
          if (!isChecked) {
            isChecked = true;
            void attempt("check of a reload", () => repair(context, options.id));
          }
          await hooks.event?.(input);
        },
      };
    },
  };
}

/** The folders in which OpenCode has started this package in the life of the process. */
const startedIn = new Set<string>();
const givenUp = new Set<string>();

function isRestart(directory: string): boolean {
  if (startedIn.has(directory)) return true;
  startedIn.add(directory);
  return false;
}

/** After a reload OpenCode may have lost what its plugins brought. */
async function repair({ client, directory }: PluginContext, id: string): Promise<void> {
  if (givenUp.has(directory)) return;
  const reloaded = await repairInstance({ directory, client: client as PluginClient & InstanceClient });
  if (reloaded.kind === "loaded") return;
  givenUp.add(directory);
  const lost = reloaded.kind === "failed" ? reloaded.why : reloaded.missing.join(", ");
  const message = `OpenCode lost a part of its plugins when it reloaded (${lost}). Restart OpenCode.`;
  await client.app.log({ body: { service: `workflow ${id}`, level: "error", message: `workflow ${id}: ${message}` } });
  await client.tui.showToast({ body: { title: `Workflow ${id}`, message, variant: "error" } });
}

function workflowOf({ root, adapt, ...extras }: WorkflowOptions, context: PluginContext): Workflow {
  const workflow = readWorkflow(root, extras);
  return adapt === undefined ? workflow : adapt(workflow, context);
}

/** Its hooks may be what keeps its agents in check, so that without them there is nothing to offer. */
function withheld(workflow: Workflow): Workflow {
  const leftOut = [...workflow.leftOut, ...Object.keys(workflow.agents)];
  return { ...workflow, agents: {}, commands: {}, skills: [], mcp: {}, leftOut };
}

function addTo(config: OpencodeConfig, workflow: Workflow, id: string, context: PluginContext): readonly Diagnostic[] {
  const owners = ownersIn(config);
  const userSkills = workflow.skills.length === 0 ? new Set<string>() : findUserSkills(context, config);
  const merged: Merged = mergeUnder(config, workflow, { userSkills, owners });
  Object.assign(config, merged.config);
  for (const entry of merged.owned) owners.set(entry, id);
  return [...workflow.diagnostics, ...merged.diagnostics];
}

function ownersIn(config: OpencodeConfig & { [OWNERS]?: Map<string, string> }): Map<string, string> {
  const owners = config[OWNERS] ?? new Map<string, string>();
  Object.defineProperty(config, OWNERS, { value: owners, configurable: true, enumerable: false });
  return owners;
}

type Attempt<Value> = { readonly value: Value } | { readonly failure: Diagnostic };

/** The code of a workflow's author may throw anything; OpenCode and the other workflows go on without it. */
async function attempt<Value>(what: string, act: () => Value | Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await act() };
  } catch (error) {
    const message = `The ${what} of this workflow failed: ${error instanceof Error ? error.message : String(error)}`;
    return { failure: { severity: "error", code: "workflow-failed", message, hint: "Tell the workflow's author." } };
  }
}
