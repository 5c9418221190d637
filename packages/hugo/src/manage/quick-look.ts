// Reads hugo.json and the configs with the parser of the runtime, and gives up on whatever is unusual: comments, links,
// old state, an interrupted change, a value of another type. The full reader then says what is wrong, and where.
import * as fs from "node:fs";
import { join } from "node:path";
import { configFiles } from "../opencode-config/config-files.ts";
import type { Place } from "../place.ts";
import { isUnfinished } from "../workspace/recover-if-needed.ts";
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
  if (isUnfinished(stateFolder)) throw new Unusual();
}

function stampOf(file: string): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return "absent";
  if (!stat.isFile()) throw new Unusual();
  return `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function textOf(file: string): string | undefined {
  try {
    // Most configs that OpenCode would read are not there; to hear that from an error takes many times as long.
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    // To read from a FIFO would wait without end.
    if (!stat.isFile()) throw new Unusual();
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

/** Only one that is exactly as Hugo prints it: then nothing stands twice and nothing is unknown. */
function readLock(file: string): Map<string, InstalledWorkflow> {
  const text = textOf(file);
  if (text === undefined) return new Map();
  const root = objectIn(parsed(text));
  if (root.version !== 1 || `${JSON.stringify(root, null, 2)}\n` !== text) throw new Unusual();
  if (!/^version,(?:configs,)?workflows$/.test(Object.keys(root).join())) throw new Unusual();
  return workflowsIn(objectIn(root.workflows));
}

const NAME = /^[a-z\d][a-z\d._-]*$/i;
/** Whether it is one the full reader says. */
const VERSION = /^\d[\w.+-]*$|^[\da-f]{40}$/;
/** In the order in which Hugo prints them. */
const KEYS =
  /^package,source,version(,integrity)?(,tree)?,delivery,agents,commands,skills(,workflows)?(,selection)?(,disabled)?(,parked)?(,files)?$/;

/**
 * One loop, as there may be hundreds: what is called for each of them a runtime begins to compile, and that takes several
 * times as long as the work itself.
 */
function workflowsIn(stored: Json): Map<string, InstalledWorkflow> {
  const workflows = new Map<string, InstalledWorkflow>();
  for (const name in stored) {
    const value = stored[name] as Json | null;
    if (typeof value !== "object" || value === null || !NAME.test(name)) throw new Unusual();
    if (!KEYS.test(Object.keys(value).join())) throw new Unusual();
    const { package: packageName, source, version, delivery, parked, files = {} } = value;
    const { agents, commands, skills, workflows: graphs = [], selection = [] } = value;
    if (typeof packageName !== "string" || typeof source !== "string" || typeof version !== "string")
      throw new Unusual();
    if (!VERSION.test(version)) throw new Unusual();
    if (delivery !== "plugin" && delivery !== "copy") throw new Unusual();
    if (typeof files !== "object" || files === null || Array.isArray(files)) throw new Unusual();
    for (const list of [agents, commands, skills, graphs, selection]) {
      if (!Array.isArray(list)) throw new Unusual();
      for (const item of list) if (typeof item !== "string") throw new Unusual();
    }
    const workflow = {
      package: packageName,
      source,
      version,
      delivery,
      parked: parked === true,
      files: Object.keys(files).length,
      agents: agents as string[],
      commands: commands as string[],
      skills: skills as string[],
    } as const;
    const withGraphs = value.workflows === undefined ? workflow : { ...workflow, workflows: graphs as string[] };
    const isSelected = value.selection !== undefined;
    workflows.set(name, isSelected ? { ...withGraphs, selection: selection as string[] } : withGraphs);
  }
  return workflows;
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
  const entries: Entry[] = [];
  for (const entry of plugin as readonly unknown[]) {
    const [spec, options, ...more] = Array.isArray(entry) ? (entry as readonly unknown[]) : [entry];
    if (typeof spec !== "string" || more.length > 0) throw new Unusual();
    if (options !== undefined) objectIn(options);
    entries.push({ file, spec });
  }
  return entries;
}

/** `name` and `name@1.2.3`. Whose an address or an alias is takes longer to find out. */
const NAMED = /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:@[\w.+^~-]*)?$/;
const PLAIN_PATH = /^(?:\.{0,2}\/|file:\/\/\/)(?!.*(?:\.\.|%|\\))/;
/** The innermost, as with the folders of packages. */
const WITHIN_PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/;

function entriesByPackage(entries: readonly Entry[]): Map<string, Entry[]> {
  const byPackage = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = NAMED.exec(entry.spec)?.[1] ?? packageOfPath(entry.spec);
    if (name === undefined) continue;
    const known = byPackage.get(name);
    if (known === undefined) byPackage.set(name, [entry]);
    else known.push(entry);
  }
  return byPackage;
}

/** Undefined if it is a path that cannot be of a package. */
function packageOfPath(spec: string): string | undefined {
  if (!PLAIN_PATH.test(spec)) throw new Unusual();
  return WITHIN_PACKAGE.exec(spec)?.[1];
}
