// Reads hugo.json and the configs with the parser of the runtime, and gives up on whatever is unusual: comments, links,
// old state, an interrupted change, a value of another type. The full reader then says what is wrong, and where.
import * as fs from "node:fs";
import { join } from "node:path";
import { configFiles } from "../opencode-config/config-files.ts";
import type { Place } from "../place.ts";
import type { Installed, InstalledWorkflow } from "./installed.ts";

class Unusual extends Error {}

export function quickLook(place: Place): Installed | undefined {
  try {
    return look(place);
  } catch (error) {
    if (error instanceof Unusual) return undefined;
    throw error;
  }
}

function look(place: Place): Installed {
  refuseUnsettled(place);
  const before = stampOf(place.lockFile);
  const workflows = readLock(place.lockFile);
  const files = configFiles(place.configs).filter(({ scope }) => place.scope === "project" || scope === "global");
  const entries = entriesByPackage(files.flatMap(({ path }) => readPlugins(path)));
  // Hugo replaces hugo.json in every change, so that one in between shows.
  refuseUnsettled(place);
  if (stampOf(place.lockFile) !== before) throw new Unusual();
  return {
    workflows,
    notices: [],
    entriesOf: (name) => entries.get(workflows.get(name)?.package ?? "") ?? [],
  };
}

function refuseUnsettled({ folder, stateFolder }: Place): void {
  for (const path of [folder, stateFolder]) {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) throw new Unusual();
  }
  if (fs.existsSync(join(folder, "state.json"))) throw new Unusual();
  if (!fs.existsSync(stateFolder)) return;
  if (fs.readdirSync(stateFolder).some((name) => name.startsWith("transaction."))) throw new Unusual();
}

function stampOf(file: string): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return "absent";
  if (!stat.isFile()) throw new Unusual();
  return `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function textOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new Unusual();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Unusual();
    throw error;
  }
}

type Json = Readonly<Record<string, unknown>>;

function objectIn(value: unknown): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Unusual();
  return value as Json;
}

function stringIn(value: unknown): string {
  if (typeof value !== "string") throw new Unusual();
  return value;
}

function stringsIn(value: unknown): string[] {
  if (!Array.isArray(value)) throw new Unusual();
  return value.map(stringIn);
}

/** Only one that is exactly as Hugo prints it: then nothing stands twice and nothing is unknown. */
function readLock(file: string): Map<string, InstalledWorkflow> {
  const text = textOf(file);
  if (text === undefined) return new Map();
  const root = objectIn(parsed(text));
  if (root.version !== 1 || `${JSON.stringify(root, null, 2)}\n` !== text) throw new Unusual();
  if (Object.keys(root).some((key) => !["version", "configs", "workflows"].includes(key))) throw new Unusual();
  const entries = Object.entries(objectIn(root.workflows));
  return new Map(entries.map(([name, value]) => [nameIn(name), workflowIn(objectIn(value))]));
}

function nameIn(name: string): string {
  if (!/^[a-z\d][a-z\d._-]*$/i.test(name)) throw new Unusual();
  return name;
}

const KEYS = new Set(
  "package source version integrity tree delivery agents commands skills selection disabled parked files".split(" "),
);

function workflowIn(value: Json): InstalledWorkflow {
  if (Object.keys(value).some((key) => !KEYS.has(key))) throw new Unusual();
  const { delivery, parked, files, selection } = value;
  if (delivery !== "plugin" && delivery !== "copy") throw new Unusual();
  return {
    package: stringIn(value.package),
    source: stringIn(value.source),
    version: stringIn(value.version),
    delivery,
    parked: parked === true,
    files: files === undefined ? 0 : Object.keys(objectIn(files)).length,
    agents: stringsIn(value.agents),
    commands: stringsIn(value.commands),
    skills: stringsIn(value.skills),
    ...(selection !== undefined && { selection: stringsIn(selection) }),
  };
}

interface Entry {
  readonly file: string;
  readonly spec: string;
}

function readPlugins(file: string): Entry[] {
  const text = textOf(file);
  if (text === undefined) return [];
  // Old state, or a key that stands twice.
  if (text.includes('"hugo"') || text.split('"plugin"').length > 2) throw new Unusual();
  const { plugin = [] } = objectIn(parsed(text));
  if (!Array.isArray(plugin)) throw new Unusual();
  return plugin.map((entry: unknown) => {
    if (typeof entry === "string") return { file, spec: entry };
    if (!Array.isArray(entry) || entry.length > 2) throw new Unusual();
    const [spec, options] = entry as readonly unknown[];
    if (options !== undefined) objectIn(options);
    return { file, spec: stringIn(spec) };
  });
}

/** `name` and `name@1.2.3`. Whose an address or an alias is takes longer to find out. */
const NAMED = /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:@[\w.+^~-]*)?$/;
const PLAIN_PATH = /^(?:\.{0,2}\/|file:\/\/\/)(?!.*(?:\.\.|%|\\))/;
/** The innermost, as with the folders of packages. */
const WITHIN_PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/;

/** Undefined if it is a path that cannot be of a package. */
function packageOf(spec: string): string | undefined {
  const name = NAMED.exec(spec)?.[1];
  if (name !== undefined) return name;
  if (!PLAIN_PATH.test(spec)) throw new Unusual();
  return WITHIN_PACKAGE.exec(spec)?.[1];
}

function entriesByPackage(entries: readonly Entry[]): Map<string, Entry[]> {
  const byPackage = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = packageOf(entry.spec);
    if (name !== undefined) byPackage.set(name, [...(byPackage.get(name) ?? []), entry]);
  }
  return byPackage;
}
