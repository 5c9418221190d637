import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import type { Diagnostic } from "../entities/diagnostic.ts";
import { listFiles } from "../entities/discover.ts";
import { parseFrontmatter } from "../entities/frontmatter/parse.ts";
import { recoverLikeOpenCode } from "../entities/frontmatter/recover.ts";
import { readTextFile } from "../entities/read-file.ts";
import type { Permission } from "../permission/rules.ts";
import { mergeUnder } from "./merge-under.ts";
import type { Hooks, LogLevel, McpConfig, OpencodeConfig, PluginClient, PluginContext } from "./opencode-config.ts";
import { readWorkflow, rootPath, type Workflow } from "./read-workflow.ts";
import { type InstanceClient, repairInstance } from "./reload-instance.ts";

export interface WorkflowOptions {
  /** The name in OpenCode's log and toasts. OpenCode requires one for a plugin that it loads from a path. */
  readonly id: string;
  /** The folder that holds `agents`, `commands` and `skills`. */
  readonly root: URL | string;
  /** MCP servers in OpenCode's format. OpenCode starts them unless they say `enabled: false`. */
  readonly mcp?: Readonly<Record<string, McpConfig>>;
  /** Permissions for the tools that `hooks` brings. The user's permissions override them. */
  readonly permission?: Permission;
  /**
   * Changes what was read before it is merged under the user's config, for workflows with their own settings. `config` is that
   * config, with what earlier plugins have added.
   */
  readonly adapt?: (workflow: Workflow, context: PluginContext, config: Readonly<OpencodeConfig>) => Workflow;
  /** More hooks, such as `tool` or `event`. A `config` hook among them sees the merged config. */
  readonly hooks?: (context: PluginContext, options?: PluginOptions) => Hooks | Promise<Hooks>;
}

/** The options beside the plugin in the user's `plugin` array. */
type PluginOptions = Readonly<Record<string, unknown>>;

/** What OpenCode loads: the default, and only, export of a plugin's entry file. */
export interface WorkflowPlugin {
  readonly id: string;
  readonly server: (context: PluginContext, options?: PluginOptions) => Promise<Hooks>;
  /** The findings from when OpenCode last asked for the workflow. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Workflows come from packages with their own copies of this module, so they share their owners in the config itself. */
const OWNERS: unique symbol = Symbol.for("@atomic/workflows owners") as never;

/**
 * Makes an OpenCode plugin from a folder of Markdown. The user's settings win field by field. A file that OpenCode could not
 * use is left out and reported, and never stops OpenCode.
 *
 * @example
 * export default defineWorkflow({ id: "review", root: new URL("..", import.meta.url) });
 */
export function defineWorkflow(options: WorkflowOptions): WorkflowPlugin {
  const { id, root, adapt, ...extras } = options;
  let diagnostics: readonly Diagnostic[] = [];
  return {
    id,
    get diagnostics() {
      return diagnostics;
    },
    async server(context, pluginOptions) {
      const { client, directory } = context;
      const more = await attempt("hooks", () => options.hooks?.(context, pluginOptions) ?? {});
      const hooks = "value" in more ? more.value : {};
      let isShown = false;
      let isChecked = !startedIn.has(directory);
      startedIn.add(directory);
      return {
        ...hooks,
        async config(config): Promise<void> {
          const merged = await attempt("config", () => {
            const read = readWorkflow(root, extras);
            const workflow = adapt === undefined ? read : adapt(read, context, config);
            // The hooks may be what restricts its agents, so without them it brings nothing.
            const leftOut = [...workflow.leftOut, ...Object.keys(workflow.agents)];
            const nothing = { ...workflow, agents: {}, commands: {}, skills: [], mcp: {}, leftOut };
            return addTo(config, "value" in more ? workflow : nothing, id, context);
          });
          const own = await attempt("config hook", () => hooks.config?.(config));
          diagnostics = [more, merged, own].flatMap((done) => ("failure" in done ? [done.failure] : []));
          if ("value" in merged) diagnostics = [...diagnostics, ...merged.value];
          // Not awaited: OpenCode answers its plugins only after it has started. A failure cannot be reported anywhere.
          void attempt("report", async () => {
            const service = `workflow ${id}`;
            for (const diagnostic of diagnostics) {
              const { severity, code, hint } = diagnostic;
              // OpenCode takes a service, but does not write it to the log.
              const message = `${service}: ${describe(diagnostic, rootPath(root))}`;
              await client.app.log({ body: { service, level: levels[severity], message, extra: { code, hint } } });
            }
          });
        },
        async event(input): Promise<void> {
          // Shows what is left out. While OpenCode starts, it has no screen to show anything on.
          if (!isShown && input.event.type === "session.created") {
            isShown = true;
            void attempt("report", async () => {
              const [first, ...others] = diagnostics.filter(({ severity }) => severity === "error");
              if (first === undefined) return;
              const more = others.length === 0 ? "" : ` (and ${others.length} more, see OpenCode's log)`;
              const message = `${describe(first, rootPath(root))}${more}`;
              await client.tui.showToast({ body: { title: `Workflow ${id}`, message, variant: "error" } });
            });
          }
          // Waits for the first event: until then OpenCode may still be starting its plugins.
          if (!isChecked) {
            isChecked = true;
            void attempt("reload check", () => repair(context, id));
          }
          await hooks.event?.(input);
        },
      };
    },
  };
}

/** The folders in which this process's OpenCode has started this package. */
const startedIn = new Set<string>();
const givenUp = new Set<string>();

/** After a reload, OpenCode may have lost what its plugins brought. */
async function repair({ client, directory }: PluginContext, id: string): Promise<void> {
  if (givenUp.has(directory)) return;
  const reloaded = await repairInstance({ directory, client: client as PluginClient & InstanceClient });
  if (reloaded.kind === "loaded") return;
  givenUp.add(directory);
  const lost = reloaded.kind === "failed" ? reloaded.why : reloaded.missing.join(", ");
  const message = `OpenCode lost some of its plugins when it reloaded (${lost}). Restart OpenCode.`;
  await client.app.log({ body: { service: `workflow ${id}`, level: "error", message: `workflow ${id}: ${message}` } });
  await client.tui.showToast({ body: { title: `Workflow ${id}`, message, variant: "error" } });
}

function addTo(
  config: OpencodeConfig & { [OWNERS]?: Map<string, string> },
  workflow: Workflow,
  id: string,
  context: PluginContext,
): readonly Diagnostic[] {
  const owners = config[OWNERS] ?? new Map<string, string>();
  Object.defineProperty(config, OWNERS, { value: owners, configurable: true, enumerable: false });
  const userSkills = workflow.skills.length === 0 ? new Set<string>() : findUserSkills(context, config);
  const merged = mergeUnder(config, workflow, { userSkills, owners });
  Object.assign(config, merged.config);
  for (const entry of merged.owned) owners.set(entry, id);
  return [...workflow.diagnostics, ...merged.diagnostics];
}

type Attempt<Value> = { readonly value: Value } | { readonly failure: Diagnostic };

/** A workflow author's code may throw anything. OpenCode and the other workflows continue without it. */
async function attempt<Value>(what: string, act: () => Value | Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await act() };
  } catch (error) {
    const message = `This workflow's ${what} failed: ${error instanceof Error ? error.message : String(error)}`;
    return {
      failure: { severity: "error", code: "workflow-failed", message, hint: "Report this to the workflow's author." },
    };
  }
}

const levels: Readonly<Record<Diagnostic["severity"], LogLevel>> = { error: "error", warning: "warn", info: "info" };

function describe({ path, line, column, message }: Diagnostic, root: string): string {
  if (path === undefined) return message;
  const place = [relative(root, path) || path, line, column].filter((part) => part !== undefined).join(":");
  return `${place} ${message}`;
}

/** The names of all skills that OpenCode finds besides the workflow's. */
function findUserSkills({ directory, worktree }: PluginContext, config: OpencodeConfig): Set<string> {
  const home = homedir();
  // From the folder up to the project's top. Outside a repository, OpenCode reports `/` as the top.
  const above = [directory];
  for (let folder = directory; folder !== worktree && dirname(folder) !== folder; folder = dirname(folder)) {
    above.push(dirname(folder));
  }
  const configs = [
    join(process.env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
    ...[...above, home].map((folder) => join(folder, ".opencode")),
    ...(process.env.OPENCODE_CONFIG_DIR ? [process.env.OPENCODE_CONFIG_DIR] : []),
  ];
  const others = [...above, home].flatMap((folder) => [join(folder, ".claude"), join(folder, ".agents")]);
  const paths = (config.skills?.paths ?? []).map((path) => {
    const full = path.startsWith("~/") ? join(home, path.slice(2)) : path;
    return isAbsolute(full) ? full : join(directory, full);
  });
  const folders = [
    ...configs.flatMap((folder) => [join(folder, "skills"), join(folder, "skill")]),
    ...others.map((folder) => join(folder, "skills")),
    ...paths,
  ];
  const files = folders.flatMap((folder) => listFiles(folder, { pattern: "**/SKILL.md" }).files);
  const names = [...new Set(files.map(({ path }) => path))].map((path) => {
    const file = readTextFile(path);
    if (file.kind === "unreadable") return undefined;
    return parseFrontmatter(file.text, { recover: recoverLikeOpenCode }).values.name;
  });
  return new Set(names.filter((name) => typeof name === "string"));
}
