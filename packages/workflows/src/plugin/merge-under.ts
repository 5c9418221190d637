import type { Diagnostic } from "../entities/diagnostic.ts";
import { capPermission, layerPermission } from "../permission/layers.ts";
import { type Permission, readPermission } from "../permission/rules.ts";
import type { Values } from "./entry-file.ts";
import type { OpencodeConfig } from "./opencode-config.ts";
import type { Workflow } from "./read-workflow.ts";

export interface MergeOptions {
  /** Names of skills that the user has: of two with one name OpenCode takes either, so that ours must go. */
  readonly userSkills?: ReadonlySet<string>;
  /** What other workflows have put into the config already: `agent reviewer` by `review`. */
  readonly owners?: ReadonlyMap<string, string>;
}

export interface Merged {
  /** What to put in the place of the user's. */
  readonly config: Pick<OpencodeConfig, "agent" | "command" | "mcp" | "skills" | "permission">;
  /** What the workflow now has in it: `agent reviewer`. */
  readonly owned: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

type Entries = Readonly<Record<string, Values>>;
type Named = Readonly<Record<string, object>>;
type MergeEntry = (mine: Values, user: Values | undefined) => Values;

/**
 * The workflow under the user's config: field by field, what the user has said stays said. Changes neither.
 *
 * @example
 * const { config } = mergeUnder({ agent: { reviewer: { model: "a/b" } } }, readWorkflow(root));
 * // config.agent.reviewer has the workflow's prompt and the user's model
 */
export function mergeUnder(user: OpencodeConfig, workflow: Workflow, options: MergeOptions = {}): Merged {
  const merging = new Merging(options);
  const general = layerPermission(workflow.permission, readPermission(user.permission));
  const agent = merging.entries("agent", workflow.agents, user.agent, (mine, own) => mergeAgent(mine, own, general));
  const command = merging.entries("command", workflow.commands, user.command, mergeCommand);
  const mcp = merging.entries("mcp", workflow.mcp, user.mcp, mergeMcp);
  const skills = merging.skills(workflow.skills, user.skills);
  return {
    config: {
      agent: { ...agent, ...merging.closed(workflow.leftOut, user.agent) },
      command,
      mcp,
      ...(skills && { skills }),
      ...(Object.keys(workflow.permission).length > 0 && { permission: general }),
    },
    owned: merging.owned,
    diagnostics: merging.diagnostics,
  };
}

/** Collects on the way what belongs to whom. */
class Merging {
  readonly owned: string[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #options: MergeOptions;

  constructor(options: MergeOptions) {
    this.#options = options;
  }

  entries(kind: string, mine: Named, user: Entries = {}, merge: MergeEntry): Entries {
    const free = Object.entries(mine).filter(([name]) => this.#isFree(kind, name));
    const merged = free.map(([name, entry]) => [name, merge(entry as Values, own(user, name))] as const);
    return { ...user, ...Object.fromEntries(merged) };
  }

  skills(mine: Workflow["skills"], user: OpencodeConfig["skills"]): OpencodeConfig["skills"] {
    const free = mine.filter(({ name }) => this.#isFree("skill", name));
    if (free.length === 0) return undefined;
    return { ...user, paths: [...new Set([...(user?.paths ?? []), ...free.map(({ folder }) => folder)])] };
  }

  /** An override without a prompt would become an agent of its own, with every permission. */
  closed(leftOut: readonly string[], user: Entries = {}): Entries {
    const overrides = leftOut.flatMap((name) => {
      const entry = own(user, name);
      const stands = entry === undefined || !isBlank(entry.prompt) || this.#options.owners?.has(`agent ${name}`);
      return stands ? [] : [[name, { ...entry, disable: true }] as const];
    });
    this.diagnostics.push(...overrides.map(([name]) => switchedOff(name)));
    return Object.fromEntries(overrides);
  }

  /** Two halves of two agents make no agent: the one that came first has the name. */
  #isFree(kind: string, name: string): boolean {
    const { owners, userSkills } = this.#options;
    const owner = owners?.get(`${kind} ${name}`);
    const isTheUsers = kind === "skill" && userSkills?.has(name) === true;
    if (owner !== undefined) this.diagnostics.push(taken(kind, name, `the workflow "${owner}"`));
    else if (isTheUsers) this.diagnostics.push(taken(kind, name, "the user"));
    else this.owned.push(`${kind} ${name}`);
    return owner === undefined && !isTheUsers;
  }
}

function taken(kind: string, name: string, by: string): Diagnostic {
  const message = `The ${kind} "${name}" of this workflow is not used, since ${by} has one of that name.`;
  return { severity: "warning", code: "name-taken", message, hint: "Rename one of them to have both." };
}

function own(entries: Entries, name: string): Values | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function switchedOff(name: string): Diagnostic {
  const message = `The agent "${name}" is switched off: the workflow's is left out, and what you set would stand alone.`;
  const hint = "Give it a prompt of its own, or mend the file of the workflow.";
  return { severity: "warning", code: "override-alone", message, hint };
}

function mergeAgent(mine: Values, user: Values = {}, general: Permission): Values {
  const rules = capPermission((mine.permission ?? {}) as Permission, general);
  const permission = layerPermission(rules, readPermission(user.permission));
  return {
    ...overlay(mine, user, "prompt"),
    ...((mine.options ?? user.options) !== undefined && {
      options: { ...asMap(mine.options), ...asMap(user.options) },
    }),
    ...((mine.permission ?? user.permission) !== undefined && { permission }),
  };
}

function mergeCommand(mine: Values, user: Values = {}): Values {
  return overlay(mine, user, "template");
}

/** Half a local server and half a remote one make no server. */
function mergeMcp(mine: Values, user: Values = {}): Values {
  if (user.type !== undefined && user.type !== mine.type) return user;
  const deeper = ["environment", "headers"].flatMap((key) =>
    mine[key] === undefined || user[key] === undefined ? [] : [[key, { ...asMap(mine[key]), ...asMap(user[key]) }]],
  );
  return { ...overlay(mine, user), ...Object.fromEntries(deeper) };
}

/** A Markdown file of the user's that only sets a key or two has an empty body, which is no wish for an empty prompt. */
function overlay(mine: Values, user: Values, body?: string): Values {
  const said = Object.entries(user).filter(([key, value]) => value !== undefined && (key !== body || !isBlank(value)));
  return { ...mine, ...Object.fromEntries(said) };
}

function isBlank(text: unknown): boolean {
  return text === undefined || (typeof text === "string" && text.trim() === "");
}

function asMap(value: unknown): Values {
  return typeof value === "object" && value !== null ? (value as Values) : {};
}
