// Moves the state of Hugo's two earlier designs into hugo.json, together with the first change.
import { join } from "node:path";
import { isHash } from "@atomic/durable-files/files/hash";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import type { Lock, LockedFile, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import {
  destination,
  entityNames,
  packageName,
  plainPath,
  versionOf,
  workflowName,
} from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../errors.ts";
import { readConfigToFillIn } from "../opencode/read-config.ts";
import { readJsonObject } from "../packages/json-part.ts";
import { parsePackageSpec, printPackageSpec } from "../sources/spec.ts";
import { portablePath, type WorkspacePlace } from "./place.ts";
import { type SeenFiles, textIn } from "./seen-files.ts";

export interface Migrated {
  readonly lock: Lock;
  /** Config texts without the old state, by absolute path. */
  readonly configs: ReadonlyMap<string, string>;
  /** Files to delete. */
  readonly obsolete: readonly string[];
  /** What was found, such as `The "hugo" key of opencode.json`. */
  readonly found: readonly string[];
}

/** @param configs Paths of the configs that may hold state of this place. */
export function migrate(place: WorkspacePlace, lock: Lock, configs: readonly string[], reads: SeenFiles): Migrated {
  const workflows = new Map<string, LockedWorkflow>();
  const edited = new Map<string, string>();
  const found: string[] = [];
  for (const file of configs) {
    const text = textIn(reads, file);
    // Almost no config has it, and parsing costs time.
    if (text === undefined || !text.includes('"hugo"')) continue;
    const old = readHugoKey(text, file);
    if (old?.edits === undefined) continue;
    for (const [name, workflow] of old.workflows) workflows.set(name, workflow);
    edited.set(file, editJsonc(text, old.edits, { file }));
    found.push(`The "hugo" key in ${portablePath(place, file)}`);
  }
  const stateFile = join(place.folder, "state.json");
  const state = textIn(reads, stateFile);
  if (state !== undefined) {
    for (const [name, workflow] of readStateJson(state, stateFile).workflows) workflows.set(name, workflow);
    found.push(portablePath(place, stateFile));
  }
  return {
    // What hugo.json says is newer.
    lock: found.length === 0 ? lock : { ...lock, workflows: new Map([...workflows, ...lock.workflows]) },
    configs: edited,
    obsolete: state === undefined ? [] : [stateFile],
    found,
  };
}

export interface Migration {
  readonly workflows: ReadonlyMap<string, LockedWorkflow>;
  /** Take the old state out of the file it was read from; without edits, the file is deleted. */
  readonly edits?: readonly Edit[];
}

const HINT = "Fix or remove it by hand, then install the workflows again.";

/** The `hugo` key of an opencode.json, which stops every OpenCode before 1.18.12 from starting. */
export function readHugoKey(text: string, file: string): Migration | undefined {
  const key = readConfigToFillIn(text, { file, code: "legacy-invalid", hint: HINT }).get("hugo");
  if (key.isMissing) return undefined;
  const entries = key.get("workflows").entries();
  const workflows = entries.map(([name, part]): [string, LockedWorkflow] => {
    const written = part.get("package");
    const workflow = workflowName(name, part);
    const locked = packageName(written);
    const source = canonical(written, written.string());
    return [
      workflow,
      {
        package: locked,
        source,
        version: versionOf(part.get("version"), source),
        delivery: { kind: "plugin" },
        agents: entityNames(part.get("agents")),
        commands: entityNames(part.get("commands")),
        skills: entityNames(part.get("skills")),
      },
    ];
  });
  return { workflows: new Map(workflows), edits: [{ op: "remove", path: ["hugo"] }] };
}

/** `.opencode/state.json`, the list of copied files. */
export function readStateJson(text: string, file: string): Migration {
  const root = readJsonObject(text, { file, code: "legacy-invalid", hint: HINT });
  const workflows = root
    .get("workflows")
    .items()
    .map((part): [string, LockedWorkflow] => {
      const name = workflowName(part.get("name").string(), part);
      const listed = part.get("files").items();
      const files = new Map(
        listed.map((each): [string, LockedFile] => {
          const [place, source, hash] = [each.get("destination"), plainPath(each.get("source")), each.get("hash")];
          // It was written as bare digits.
          const digits = hash.string().toLowerCase();
          const base = digits.replace(/^(?:sha256[:-])?/, "sha256:");
          if (!isHash(base)) throw hash.refuse("is not a SHA-256 hash");
          return [destination(place.string(), place), { kind: "installed", source, base }];
        }),
      );
      const from = part.get("source");
      const isOfRegistry = from.get("type").oneOf(["registry", "git"]) === "registry";
      const ref = isOfRegistry ? undefined : from.get("ref").optionalString();
      const written = from.get(isOfRegistry ? "name" : "url");
      const source = canonical(written, ref === undefined ? written.string() : `${written.string()}#${ref}`);
      const parsed = parsePackageSpec(source);
      const [agents = [], commands = [], skills = []] = ["agents/", "commands/", "skills/"].map((folder) =>
        [...files.keys()].filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length)),
      );
      const workflow: LockedWorkflow = {
        package: parsed.kind === "registry" ? parsed.name : packageName(part.get("name")),
        source,
        version: versionOf(part.get("version"), source),
        delivery: { kind: "copy", parked: false, files },
        agents: agents.map((path) => path.replace(/\.md$/, "")).sort(),
        commands: commands.map((path) => path.replace(/\.md$/, "")).sort(),
        skills: [...new Set(skills.map((path) => path.split("/")[0] ?? ""))].sort(),
      };
      return [name, workflow];
    });
  return { workflows: new Map(workflows) };
}

function canonical(part: JsonPart, spec: string): string {
  try {
    return printPackageSpec(parsePackageSpec(spec));
  } catch (error) {
    if (!(error instanceof HugoError)) throw error;
    throw part.refuse(`cannot be installed. ${error.message}`, error.hint);
  }
}
