import type { Diagnostic } from "../entities/diagnostic.ts";
import { capPermission, layerPermission } from "../permission/layers.ts";
import { type Permission, readPermission } from "../permission/rules.ts";
import type { Fields } from "./entry-file.ts";
import type { OpencodeConfig } from "./opencode-config.ts";
import type { Workflow } from "./read-workflow.ts";

export interface MergeOptions {
  /** Names of the user's skills. Of two skills with one name OpenCode takes either, so ours must go. */
  readonly userSkills?: ReadonlySet<string>;
  /** What other workflows have already put into the config: `agent reviewer` by `review`. */
  readonly owners?: ReadonlyMap<string, string>;
}

export interface MergedConfig {
  /** What replaces the user's keys. */
  readonly config: Pick<OpencodeConfig, "agent" | "command" | "mcp" | "skills" | "permission">;
  /** What the workflow has added: `agent reviewer`. */
  readonly owned: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

type Entries = Readonly<Record<string, Fields>>;

/** Merges the workflow under the user's config: field by field, the user's settings win. Changes neither of them. */
export function mergeUnder(user: OpencodeConfig, workflow: Workflow, options: MergeOptions = {}): MergedConfig {
  const { owners, userSkills } = options;
  const owned: string[] = [];
  const diagnostics: Diagnostic[] = [];
  /** Two halves of two agents do not make an agent, so the first one gets the name. */
  const isFree = (kind: string, name: string): boolean => {
    const owner = owners?.get(`${kind} ${name}`);
    const isUsers = kind === "skill" && userSkills?.has(name) === true;
    if (owner === undefined && !isUsers) return owned.push(`${kind} ${name}`) > 0;
    const by = owner === undefined ? "you have" : `the workflow "${owner}" has`;
    const message = `This workflow's ${kind} "${name}" is not used because ${by} one with that name.`;
    const hint = "Rename one of them to keep both.";
    diagnostics.push({ severity: "warning", code: "name-taken", message, hint });
    return false;
  };
  const entries = (
    kind: string,
    mine: Readonly<Record<string, object>>,
    users: Entries = {},
    merge: (mine: Fields, user: Fields) => Fields,
  ): Entries => {
    const free = Object.entries(mine).filter(([name]) => isFree(kind, name));
    const merged = free.map(([name, entry]) => {
      return [name, merge(entry as Fields, (Object.hasOwn(users, name) ? users[name] : undefined) ?? {})] as const;
    });
    return { ...users, ...Object.fromEntries(merged) };
  };

  const general = layerPermission(workflow.permission, readPermission(user.permission));
  const agent = entries("agent", workflow.agents, user.agent, (mine, theirs) => {
    const rules = capPermission((mine.permission ?? {}) as Permission, general);
    const permission = layerPermission(rules, readPermission(theirs.permission));
    return {
      ...overlay(mine, theirs, "prompt"),
      ...((mine.options ?? theirs.options) !== undefined && {
        options: { ...asMap(mine.options), ...asMap(theirs.options) },
      }),
      ...((mine.permission ?? theirs.permission) !== undefined && { permission }),
    };
  });
  const command = entries("command", workflow.commands, user.command, (mine, theirs) =>
    overlay(mine, theirs, "template"),
  );
  const mcp = entries("mcp", workflow.mcp, user.mcp, (mine, theirs) => {
    // Half a local server and half a remote one do not make a server.
    if (theirs.type !== undefined && theirs.type !== mine.type) return theirs;
    const deeper = ["environment", "headers"].filter((key) => mine[key] !== undefined && theirs[key] !== undefined);
    const both = deeper.map((key) => [key, { ...asMap(mine[key]), ...asMap(theirs[key]) }]);
    return { ...overlay(mine, theirs), ...Object.fromEntries(both) };
  });
  const folders = workflow.skills.filter(({ name }) => isFree("skill", name)).map(({ folder }) => folder);
  const skills = { ...user.skills, paths: [...new Set([...(user.skills?.paths ?? []), ...folders])] };
  // An override without a prompt would become a separate agent with every permission.
  const disabled = workflow.leftOut.flatMap((name) => {
    const entry = Object.hasOwn(user.agent ?? {}, name) ? user.agent?.[name] : undefined;
    if (entry === undefined || !isBlank(entry.prompt) || owners?.has(`agent ${name}`)) return [];
    const message = `The agent "${name}" is turned off: the workflow's agent cannot be used, so only your own settings would remain.`;
    const hint = "Add a prompt to your settings for it, or fix the workflow's file.";
    diagnostics.push({ severity: "warning", code: "override-alone", message, hint });
    return [[name, { ...entry, disable: true }] as const];
  });
  return {
    config: {
      agent: { ...agent, ...Object.fromEntries(disabled) },
      command,
      mcp,
      ...(folders.length > 0 && { skills }),
      ...(Object.keys(workflow.permission).length > 0 && { permission: general }),
    },
    owned,
    diagnostics,
  };
}

/** A user's Markdown file that only sets a key or two has an empty body, which does not mean that the prompt should be empty. */
function overlay(mine: Fields, user: Fields, body?: string): Fields {
  const said = Object.entries(user).filter(([key, value]) => value !== undefined && (key !== body || !isBlank(value)));
  return { ...mine, ...Object.fromEntries(said) };
}

function isBlank(text: unknown): boolean {
  return text === undefined || (typeof text === "string" && text.trim() === "");
}

function asMap(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
