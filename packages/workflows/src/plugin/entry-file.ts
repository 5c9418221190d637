import { DurableError } from "@atomic/durable-files/errors";
import { checkName } from "@atomic/durable-files/safety/names";
import type { Diagnostic } from "../entities/diagnostic.ts";
import { type Frontmatter, parseFrontmatter } from "../entities/frontmatter/parse.ts";
import { recoverLikeOpenCode } from "../entities/frontmatter/recover.ts";
import { looksRestricting } from "../entities/lint/known-keys.ts";
import { readTextFile } from "../entities/read-file.ts";
import { acceptedForm, unacceptedKey } from "../entities/tools/opencode-frontmatter.ts";

export type Values = Readonly<Record<string, unknown>>;

/** One Markdown file of a workflow, with everything that was found wrong with it so far. */
export interface EntryFile {
  readonly values: Values;
  /** Without blank lines around it, as OpenCode has it. */
  readonly body: string;
  readonly diagnostics: readonly Diagnostic[];
  /** A finding about a key, with its place. */
  at(key: string, finding: Finding): Diagnostic;
}

export type Finding = Omit<Diagnostic, "path" | "line" | "column">;

/** One entry as it goes into OpenCode's config; without a `config` the file is left out. */
export interface Entry<Config> {
  readonly config?: Config;
  readonly diagnostics: readonly Diagnostic[];
}

export function readEntryFile(path: string): EntryFile {
  const file = readTextFile(path);
  if (file.kind === "unreadable") return entryFile(path, "", [file.diagnostic]);
  const matter = parseFrontmatter(file.text, { path, recover: recoverLikeOpenCode });
  const body = file.text.slice(matter.bodyStart).trim();
  return entryFile(path, body, incomplete(path, matter), matter);
}

function entryFile(path: string, body: string, diagnostics: readonly Diagnostic[], matter?: Frontmatter): EntryFile {
  return {
    values: matter?.values ?? {},
    body,
    diagnostics,
    at: (key, finding) => ({ ...finding, path, ...matter?.positionOf([key]) }),
  };
}

/** What cannot be read may be a restriction, so that nothing less than all of it is enough. */
function incomplete(path: string, { complete, diagnostics }: Frontmatter): readonly Diagnostic[] {
  if (complete || diagnostics.some(({ severity }) => severity === "error")) return diagnostics;
  const message = "The frontmatter cannot be read to its end, so its restrictions are unknown.";
  return [...diagnostics, { severity: "error", code: "frontmatter-incomplete", message, path, hint: "Mend it." }];
}

export function isUsable(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.every(({ severity }) => severity !== "error");
}

export interface KeyRules {
  readonly type: "agent" | "command";
  readonly name: string;
  readonly known: ReadonlySet<string>;
}

/** What OpenCode would refuse in a file of the user's, and what would get lost on the way into its config. */
export function checkKeys(file: EntryFile, { type, name, known }: KeyRules): Diagnostic[] {
  const found = Object.keys(file.values)
    .filter((key) => !known.has(key))
    .map((key) => file.at(key, unknownKey(type, key)));
  const unaccepted = unacceptedKey(type, file.values);
  if (unaccepted !== undefined) found.push(file.at(unaccepted, unacceptedValue(type, unaccepted)));
  const { name: given, model } = file.values;
  if (given !== undefined && given !== name) found.push(file.at("name", otherName(name)));
  if (typeof model === "string" && !/^[^\s/]+\/\S+$/.test(model)) found.push(file.at("model", noProvider()));
  return found;
}

function unknownKey(type: string, key: string): Finding {
  const shown = JSON.stringify(key);
  // Whoever writes it counts on being held to it.
  if (looksRestricting(key)) {
    const message = `${shown} restricts nothing in OpenCode, so this ${type} would be wider than it says.`;
    return { severity: "error", code: "restriction-unknown", message, hint: 'Say it with "permission".' };
  }
  const message = `${shown} is no key of an OpenCode ${type}; it is not passed on.`;
  const hint = type === "agent" ? 'Put settings for the provider below "options", or remove it.' : "Remove it.";
  return { severity: "warning", code: "key-unknown", message, hint };
}

function unacceptedValue(type: KeyRules["type"], key: string): Finding {
  const message = `OpenCode does not accept this value of "${key}".`;
  return { severity: "error", code: "value-unaccepted", message, hint: `It may be ${acceptedForm(type, key)}.` };
}

function otherName(name: string): Finding {
  const message = `"name" differs from the path, by which it is called ${JSON.stringify(name)}.`;
  return { severity: "error", code: "name-mismatch", message, hint: "Remove the key or rename the file." };
}

function noProvider(): Finding {
  const message = `"model" is not of the form "provider/model".`;
  return { severity: "error", code: "model-unknown", message, hint: "Leave it out to use the model of the session." };
}

/** What is wrong with a name that becomes a key of the config; a path is checked folder by folder. */
export function nameProblem(name: string): Finding | undefined {
  try {
    for (const part of name.split("/")) checkName(part);
    return undefined;
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "unsafe-path") throw error;
    return { severity: "error", code: "name-unsafe", message: `${error.message}.`, hint: error.hint ?? "Rename it." };
  }
}

/** The given keys of `values`, without those that are not there. */
export function pick(values: Values, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])));
}
