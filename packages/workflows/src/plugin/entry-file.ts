import { basename, dirname } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { checkName } from "@atomic/durable-files/safety/names";
import type { Diagnostic } from "../entities/diagnostic.ts";
import { parseFrontmatter } from "../entities/frontmatter/parse.ts";
import { recoverLikeOpenCode } from "../entities/frontmatter/recover.ts";
import { looksRestricting } from "../entities/lint/known-keys.ts";
import { canonicalToolNames, deadPermissions, editTools } from "../entities/normalize/tool-names.ts";
import { readTextFile } from "../entities/read-file.ts";
import { acceptedForm, unacceptedKey } from "../entities/tools/opencode-frontmatter.ts";
import { present } from "../graph/json-value.ts";
import { layerPermission } from "../permission/layers.ts";
import { readPermission, readPermissionRules } from "../permission/rules.ts";
import type { AgentConfig, CommandConfig } from "./opencode-config.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** One Markdown file of a workflow, with all problems found so far. */
interface EntryFile {
  readonly values: Fields;
  /** Without surrounding white space, as in OpenCode. */
  readonly body: string;
  readonly diagnostics: readonly Diagnostic[];
  /** A problem with a key, and where the key is. */
  at(key: string, problem: EntryProblem): Diagnostic;
}

export type EntryProblem = Omit<Diagnostic, "path" | "line" | "column">;

/** One entry for OpenCode's config. Without a `config`, the file is left out. */
export interface CheckedEntry<Config> {
  readonly config?: Config;
  readonly diagnostics: readonly Diagnostic[];
}

function readEntryFile(path: string): EntryFile {
  const file = readTextFile(path);
  if (file.kind === "unreadable") {
    return { values: {}, body: "", diagnostics: [file.diagnostic], at: (_key, problem) => ({ ...problem, path }) };
  }
  const matter = parseFrontmatter(file.text, { path, recover: recoverLikeOpenCode });
  const diagnostics = [...matter.diagnostics];
  // What cannot be read may be a restriction, so all of it must be readable.
  if (!matter.complete && isUsable(diagnostics)) {
    const message = "The frontmatter cannot be read completely, so its restrictions are unknown.";
    diagnostics.push({ severity: "error", code: "frontmatter-incomplete", message, path, hint: "Fix it." });
  }
  return {
    values: matter.values,
    body: file.text.slice(matter.bodyStart).trim(),
    diagnostics,
    at: (key, problem) => ({ ...problem, path, ...matter.positionOf([key]) }),
  };
}

export function isUsable(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.every(({ severity }) => severity !== "error");
}

/** What OpenCode would refuse in a user's own file, and what would get lost on the way into its config. */
function checkKeys(file: EntryFile, type: "agent" | "command", name: string, known: ReadonlySet<string>): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const key of Object.keys(file.values).filter((each) => !known.has(each))) {
    const shown = JSON.stringify(key);
    // The author relies on the restriction.
    if (looksRestricting(key)) {
      const message = `${shown} restricts nothing in OpenCode, so this ${type} could do more than the file says.`;
      const hint = 'Use "permission" instead.';
      found.push(file.at(key, { severity: "error", code: "restriction-unknown", message, hint }));
    } else {
      const message = `${shown} is not a key that an OpenCode ${type} supports; it is not passed on.`;
      const hint = type === "agent" ? 'Put provider settings under "options", or remove the key.' : "Remove it.";
      found.push(file.at(key, { severity: "warning", code: "key-unknown", message, hint }));
    }
  }
  const error = (key: string, code: string, message: string, hint: string): void => {
    found.push(file.at(key, { severity: "error", code, message, hint }));
  };
  const key = unacceptedKey(type, file.values);
  if (key !== undefined) {
    const hint = `It must be ${acceptedForm(type, key)}.`;
    error(key, "value-unaccepted", `OpenCode does not accept this value for "${key}".`, hint);
  }
  const { name: given, model } = file.values;
  if (given !== undefined && given !== name) {
    const message = `"name" does not match the file's path, which gives the name ${JSON.stringify(name)}.`;
    error("name", "name-mismatch", message, "Remove the key or rename the file.");
  }
  if (typeof model === "string" && !/^[^\s/]+\/\S+$/.test(model)) {
    const message = `"model" does not have the form "provider/model".`;
    error("model", "model-unknown", message, "Leave it out to use the session's model.");
  }
  return found;
}

/** The problem with a name that becomes a config key, if any. A path is checked folder by folder. */
export function nameProblem(name: string): EntryProblem | undefined {
  try {
    for (const part of name.split("/")) checkName(part);
    return undefined;
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "unsafe-path") throw error;
    return { severity: "error", code: "name-unsafe", message: `${error.message}.`, hint: error.hint ?? "Rename it." };
  }
}

const agentKeys = ["description", "mode", "model", "variant", "temperature", "top_p", "color", "hidden", "disable"];
const knownAgentKeys = new Set([...agentKeys, "name", "steps", "maxSteps", "options", "permission", "tools"]);

/** An agent in OpenCode's own format, as OpenCode would read it from `.opencode/agents`. */
export function readAgent(path: string, name: string): CheckedEntry<AgentConfig> {
  const file = readEntryFile(path);
  const { values, body } = file;
  const diagnostics = [
    ...file.diagnostics,
    ...checkKeys(file, "agent", name, knownAgentKeys),
    ...ignoredPermissions(file),
  ];
  if (!isUsable(diagnostics)) return { diagnostics };
  // From a config hook, OpenCode ignores `tools` and `permission: deny`, and only reads a map of permissions. The tools are
  // translated as OpenCode does, but a tool that is switched off stays off, whatever it shares its permission with.
  const switches = new Map<string, "allow" | "deny">();
  for (const [tool, isOn] of Object.entries(values.tools ?? {})) {
    const [canonical = tool] = canonicalToolNames(tool, "opencode");
    const key = editTools.includes(canonical) ? "edit" : canonical;
    const isOff = !isOn || (key === "edit" && switches.get(key) === "deny");
    switches.delete(key);
    switches.set(key, isOff ? "deny" : "allow");
  }
  const permission = layerPermission(Object.fromEntries(switches), readPermission(values.permission));
  const steps = values.steps ?? values.maxSteps;
  const config = {
    ...present(Object.fromEntries(agentKeys.map((key) => [key, values[key]]))),
    ...(steps !== undefined && { steps: Number(steps) }),
    ...(values.options !== undefined && { options: structuredClone(values.options) as Fields }),
    ...(Object.keys(permission).length > 0 && { permission }),
    ...(body !== "" && { prompt: body }),
  };
  return { config, diagnostics };
}

/** OpenCode accepts `write: deny`, for example, but it forbids nothing. */
function ignoredPermissions(file: EntryFile): Diagnostic[] {
  const rules = file.values.permission === undefined ? [] : readPermissionRules(file.values.permission);
  if (typeof rules === "string") return [];
  const ignored = rules.filter(({ permission }) => {
    if (permission === "edit") return false;
    return deadPermissions.has(permission) || !canonicalToolNames(permission, "opencode").includes(permission);
  });
  return [...new Set(ignored.map(({ permission }) => permission))].map((permission) => {
    const isRestriction = ignored.some((rule) => rule.permission === permission && rule.action !== "allow");
    return file.at("permission", {
      severity: isRestriction ? "error" : "warning",
      code: isRestriction ? "restriction-unknown" : "permission-ignored",
      message: `"permission" sets ${JSON.stringify(permission)}, which OpenCode ignores.`,
      hint: `Use "${editTools.includes(permission) ? "edit" : canonicalToolNames(permission, "opencode")[0]}".`,
    });
  });
}

const commandKeys = ["description", "agent", "model", "variant", "subtask"];
// OpenCode does not use the hint, but other readers of the same file do.
const knownCommandKeys = new Set([...commandKeys, "name", "argument-hint"]);

/** A command in OpenCode's own format. */
export function readCommand(path: string, name: string): CheckedEntry<CommandConfig> {
  const file = readEntryFile(path);
  const diagnostics = [...file.diagnostics, ...checkKeys(file, "command", name, knownCommandKeys)];
  if (file.body === "" && isUsable(diagnostics)) {
    const message = "The command has no text, so there is nothing to send to the model.";
    const hint = "Write the prompt below the frontmatter.";
    diagnostics.push({ severity: "error", code: "template-empty", message, path, hint });
  }
  if (!isUsable(diagnostics)) return { diagnostics };
  const fields = Object.fromEntries(commandKeys.map((key) => [key, file.values[key]]));
  return { config: { template: file.body, ...present(fields) }, diagnostics };
}

export interface WorkflowSkill {
  readonly name: string;
  readonly description?: string;
  /** The folder that holds its SKILL.md. */
  readonly folder: string;
}

/** OpenCode reads the file itself, and names the skill after the `name` in it. */
export function readSkill(path: string): CheckedEntry<WorkflowSkill> {
  const file = readEntryFile(path);
  const diagnostics = [...file.diagnostics];
  if (!isUsable(diagnostics)) return { diagnostics };
  const folder = dirname(path);
  const { name, description } = file.values;
  if (typeof name !== "string") {
    const message = 'A skill needs a "name" that is a string; OpenCode silently skips this one.';
    const finding = { severity: "error", code: "name-missing", message, hint: "Add it to the frontmatter." } as const;
    return { diagnostics: [...diagnostics, file.at("name", finding)] };
  }
  const problem = nameProblem(name);
  if (problem !== undefined) diagnostics.push(file.at("name", problem));
  if (description !== undefined && typeof description !== "string") {
    const message = 'The "description" is not a string.';
    diagnostics.push(
      file.at("description", { severity: "error", code: "value-unaccepted", message, hint: "Quote it." }),
    );
  }
  if (!isUsable(diagnostics)) return { diagnostics };
  if (description === undefined || description === "") {
    const message = 'Without a "description", OpenCode does not show this skill to the model.';
    const hint = "Say when to use it.";
    diagnostics.push(file.at("description", { severity: "warning", code: "description-missing", message, hint }));
  }
  if (basename(folder) !== name) {
    const message = `The skill is named "${name}", but its folder is not.`;
    diagnostics.push(file.at("name", { severity: "warning", code: "name-mismatch", message, hint: "Rename one." }));
  }
  return { config: { name, ...(typeof description === "string" && { description }), folder }, diagnostics };
}
