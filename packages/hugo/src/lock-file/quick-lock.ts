// Reads a hugo.json that is exactly as Hugo writes it, many times as fast as the parser that keeps every position. It is
// stricter than that one: whatever is unusual, right or wrong, is left to it.
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { type Hash, isHash } from "../hash.ts";
import type { MadeByHugo, RememberedPlugin } from "../opencode-config/plugin-edits.ts";
import { isPlainPath } from "../plain-path.ts";
import type { Lock, LockedDelivery, LockedFile, LockedWorkflow } from "./lock.ts";
import { isPackageName } from "./lock-parts.ts";
import { isPlainOrigin } from "./origin.ts";
import { LOCK_VERSION } from "./print-lock.ts";

/** Undefined if the careful parser has to look at it. */
export function quickLock(text: string): Lock | undefined {
  try {
    const root: unknown = JSON.parse(text);
    // Then no key stands twice: one of them would be missing here.
    return `${JSON.stringify(root, null, 2)}\n` === text ? lockOf(root) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Unusual) return undefined;
    throw error;
  }
}

class Unusual extends Error {}

type Fields = Readonly<Record<string, unknown>>;

function lockOf(root: unknown): Lock {
  const { version, configs = {}, workflows } = fields(root, /^version,(?:configs,)?workflows$/);
  expect(version === LOCK_VERSION);
  return {
    configs: new Map(Object.entries(fields(configs)).map(([path, made]) => [path, madeByHugo(made)])),
    workflows: new Map(Object.entries(fields(workflows)).map(([name, value]) => [nameOf(name, NAME), workflow(value)])),
  };
}

const WORKFLOW_KEYS =
  /^package,source,version(?:,integrity)?(?:,tree)?,delivery,agents,commands,skills(?:,workflows)?(?:,selection)?(?:,disabled|(?:,parked)?,files)?$/;

function workflow(value: unknown): LockedWorkflow {
  const { package: name, source, version, integrity, tree, selection, ...more } = fields(value, WORKFLOW_KEYS);
  const { agents, commands, skills, workflows } = more;
  const locked = {
    package: packageOf(name),
    source: string(source),
    version: string(version),
    delivery: delivery(more),
    agents: names(agents),
    commands: names(commands),
    skills: names(skills),
    ...(workflows !== undefined && { workflows: names(workflows) }),
    ...(selection !== undefined && { selection: list(selection).map(plainPath) }),
  };
  expect(isPlainOrigin(locked.package, locked.source, locked.version));
  if (integrity !== undefined) Object.assign(locked, { integrity: string(integrity) });
  if (tree !== undefined) Object.assign(locked, { tree: hash(tree) });
  return locked;
}

function delivery({ delivery: kind, disabled, parked, files }: Fields): LockedDelivery {
  if (kind === "plugin") {
    expect(files === undefined);
    return disabled === undefined ? { kind } : { kind, disabled: rememberedIn(disabled) };
  }
  expect(kind === "copy" && files !== undefined && (parked === undefined || parked === true));
  const entries = Object.entries(fields(files));
  return {
    kind: "copy",
    parked: parked === true,
    files: new Map(entries.map(([path, file]) => [destination(path), lockedFile(file)])),
  };
}

function lockedFile(value: unknown): LockedFile {
  const keys = /^source,(?:skipped|base(?:,pending)?(?:,adopted)?(?:,deleted)?)$/;
  const { source, base, pending, adopted, deleted, skipped } = fields(value, keys);
  if (skipped !== undefined) {
    expect(skipped === true);
    return { kind: "skipped", source: plainPath(source) };
  }
  expect((adopted ?? true) === true && (deleted ?? true) === true);
  const installed = { kind: "installed", source: plainPath(source), base: hash(base) } as const;
  const waiting = pending === undefined ? installed : { ...installed, pending: hash(pending) };
  if (adopted === undefined && deleted === undefined) return waiting;
  return { ...waiting, ...(adopted === true && { adopted }), ...(deleted === true && { deleted }) };
}

function rememberedIn(value: unknown): RememberedPlugin[] {
  if (!Array.isArray(value)) return [remembered(value)];
  expect(value.length > 1);
  return value.map(remembered);
}

function remembered(value: unknown): RememberedPlugin {
  const { file, index, spec, options } = fields(value, /^file,index,spec(?:,options)?$/);
  if (!Number.isSafeInteger(index) || (index as number) < 0) throw new Unusual();
  const plugin = { file: string(file), index: index as number, spec: string(spec) };
  return options === undefined ? plugin : { ...plugin, options: bare(options as JsonValue) };
}

/** Without a prototype, as everywhere: `__proto__` is a key like any other. */
function bare(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(bare);
  const object: Record<string, JsonValue> = Object.create(null);
  for (const [key, item] of Object.entries(value)) object[key] = bare(item);
  return object;
}

const NAME = /^(?!constructor$|(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][a-z0-9_-]{0,63}$/;
/** Agents and commands may lie in folders. */
const ENTITY =
  /^(?!.*\bconstructor\b|(?:.*\/)?(?:con|prn|aux|nul|com\d|lpt\d)(?:\/|$))(?=.{1,64}$)[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*)*$/;

function nameOf(value: unknown, form: RegExp): string {
  const name = string(value);
  expect(form.test(name));
  return name;
}

function names(value: unknown): string[] {
  return list(value).map((name) => nameOf(name, ENTITY));
}

function packageOf(value: unknown): string {
  const name = string(value);
  expect(isPackageName(name));
  return name;
}

function destination(path: string): string {
  expect(/^(?:agents|commands|skills|workflows)\//.test(path) && isPlainPath(path));
  return path;
}

function plainPath(value: unknown): string {
  const path = string(value);
  expect(isPlainPath(path));
  return path;
}

function hash(value: unknown): Hash {
  const text = string(value);
  if (!isHash(text)) throw new Unusual();
  return text;
}

function madeByHugo(value: unknown): MadeByHugo {
  if (value !== "file" && value !== "array") throw new Unusual();
  return value;
}

function string(value: unknown): string {
  if (typeof value !== "string") throw new Unusual();
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Unusual();
  return value;
}

/** @param keys Of the object, in the order in which they are printed. */
function fields(value: unknown, keys?: RegExp): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Unusual();
  expect(keys === undefined || keys.test(Object.keys(value).join()));
  return value as Fields;
}

function expect(holds: boolean): void {
  if (!holds) throw new Unusual();
}
