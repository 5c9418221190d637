import type { Hash } from "@atomic/durable-files/files/hash";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import type { Permission } from "../permission/rules.ts";
import { type Registers, registerKinds } from "./registers.ts";

/** The format that this Hugo reads and writes. */
export const LOCK_VERSION = 1;

/** The content of `.opencode/hugo.json`: exactly what is installed, and what Hugo did for it. */
export interface Lock {
  readonly workflows: ReadonlyMap<string, LockedWorkflow>;
  /** What Hugo created in config files, by path. */
  readonly configs: ReadonlyMap<string, MadeByHugo>;
  /** The content of `plugins/hugo-check.js` as Hugo wrote it; missing if the project has no plugins. */
  readonly check?: Hash | undefined;
}

export interface LockedWorkflow {
  /** The package's name. */
  readonly package: string;
  /** What the user asked for, as `printPackageSpec` writes it. */
  readonly source: string;
  /** The registry's version, or a git source's commit. */
  readonly version: string;
  /** The tarball's integrity, as the registry states it; git and local sources have none. */
  readonly integrity?: string;
  /** Hash of all the package's files; missing only after a migration, until the next install or update. */
  readonly tree?: Hash;
  /** What a plugin's code needs, by path below `node_modules`; missing if it needs nothing. */
  readonly dependencies?: LockedDependencies;
  readonly delivery: LockedDelivery;
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  /** Graphs that Atomic runs; missing if there are none. */
  readonly workflows?: readonly string[];
  /** What a plugin without a manifest adds to OpenCode; missing if OpenCode has not been asked. */
  readonly registers?: Registers;
  /** The parts that the user wants, such as `agents/reviewer`; missing if all. */
  readonly selection?: readonly string[];
}

/** By path below `node_modules`: `zod`, or `glob/node_modules/minimatch`. */
export type LockedDependencies = ReadonlyMap<string, LockedDependency>;

/** One package that a plugin's code needs. */
export interface LockedDependency {
  /** The package's name if its folder has another. */
  readonly name?: string;
  readonly version: string;
  /** The tarball's integrity: `sha512-…`. */
  readonly integrity: string;
  /** Hash of all its files; missing if it is only for other systems than the one that wrote the lock. */
  readonly tree?: Hash;
  /** The systems it is for, as in package.json; missing if all. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** In this order after the hashes: `os=darwin,linux cpu=arm64`. */
export const SYSTEM_KEYS = ["os", "cpu", "libc"] as const;

/** One line for each dependency: `4.1.8 sha512-… sha256:…`. */
function printDependency(dependency: LockedDependency): string {
  const { name, version, integrity, tree } = dependency;
  const systems = SYSTEM_KEYS.flatMap((key) =>
    dependency[key] === undefined ? [] : `${key}=${dependency[key].join()}`,
  );
  const first = name === undefined ? version : `${name}@${version}`;
  return [first, integrity, ...(tree === undefined ? [] : [tree]), ...systems].join(" ");
}

/** The name of a workflow's folder in the store: the same code always has the same path. */
export function storeEntry(name: string, tree: Hash, dependencies: LockedDependencies | undefined): string {
  const digits = (hash: string): string => hash.slice(0, 16);
  if (dependencies === undefined || dependencies.size === 0) return `${name}-${digits(tree.slice("sha256:".length))}`;
  const lines = [...dependencies].map(([path, dependency]) => `${path} ${printDependency(dependency)}\n`).sort();
  // Loaded here, because most commands need no hash.
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  return `${name}-${digits(hash.update([tree, "\n", ...lines].join("")).digest("hex"))}`;
}

/** What loads a plugin: OpenCode's server, by opencode.json, or its terminal, by tui.json. */
export type PluginPart = "server" | "tui";

export type LockedDelivery =
  | {
      readonly kind: "plugin";
      /** Only the server if missing, as for nearly all plugins. */
      readonly parts?: readonly PluginPart[];
      /**
       * Its entries in the configs when it was disabled, in OpenCode's order; never empty. Only the configs say whether it is
       * enabled.
       */
      readonly disabled?: readonly RememberedPlugin[];
    }
  | {
      readonly kind: "copy";
      /** Its files are parked, so OpenCode does not see them. */
      readonly parked: boolean;
      /**
       * The user's permissions that limited the agents when they were translated. With them, the same package gives the same
       * bytes on every machine. Missing if they changed nothing.
       */
      readonly permission?: Permission;
      /** Its agents, commands and skills have names in OpenCode that start with this and a hyphen. */
      readonly prefix?: string;
      /** The user's replacements for Claude's models, as far as its files name them. */
      readonly models?: ReadonlyMap<string, string>;
      /** By destination below `.opencode`. */
      readonly files: ReadonlyMap<string, LockedFile>;
    };

/** What Hugo created in a config file: the whole file, or the plugin array in it. */
export type MadeByHugo = "file" | "array";

/** What it takes to put a plugin back where it was. */
export interface RememberedPlugin {
  readonly file: string;
  readonly index: number;
  readonly spec: string;
  readonly options?: JsonValue;
}

/** One of a package's files. */
export type LockedFile =
  | {
      readonly kind: "installed";
      /** Path in the package. */
      readonly source: string;
      /** The package's content: the base of the next merge. */
      readonly base: Hash;
      /** Newer content that could not be merged and waits beside the file. */
      readonly pending?: Hash;
      /** It existed before, with exactly this content: removing the workflow leaves it. */
      readonly adopted?: true;
      /** The user deleted it, and an update kept it deleted: it stays away, in clones too. */
      readonly deleted?: true;
      /** The base is not in the locked version but in an earlier one, so its content is committed with the project. */
      readonly older?: true;
    }
  /** Left out because another file was there; recorded so an incomplete install can be seen. */
  | { readonly kind: "skipped"; readonly source: string };

export const emptyLock: Lock = { workflows: new Map(), configs: new Map() };

/** The workflows that use a copied file; a disabled workflow has its own copy. */
export function ownersOf({ workflows }: Pick<Lock, "workflows">, destination: string): string[] {
  const owners = [...workflows].filter(
    ([, { delivery }]) =>
      delivery.kind === "copy" && !delivery.parked && delivery.files.get(destination)?.kind === "installed",
  );
  return owners.map(([name]) => name);
}

/** Whether the file existed before one of its owners was installed. */
export function wasThere(lock: Pick<Lock, "workflows">, destination: string): boolean {
  return ownersOf(lock, destination).some((name) => {
    const delivery = lock.workflows.get(name)?.delivery;
    const file = delivery?.kind === "copy" ? delivery.files.get(destination) : undefined;
    return file?.kind === "installed" && file.adopted === true;
  });
}

/** The same text for the same lock, on every machine and in every run: sorted, without times, easy to merge by line. */
export function printLock({ workflows, configs, check }: Lock): string {
  const lock = {
    version: LOCK_VERSION,
    ...(check !== undefined && { check }),
    ...(configs.size > 0 && { configs: sorted(configs, (made) => made) }),
    workflows: sorted(workflows, (workflow) => ({
      package: workflow.package,
      source: workflow.source,
      version: workflow.version,
      ...(workflow.integrity !== undefined && { integrity: workflow.integrity }),
      ...(workflow.tree !== undefined && { tree: workflow.tree }),
      ...(workflow.dependencies !== undefined && { dependencies: sorted(workflow.dependencies, printDependency) }),
      delivery: workflow.delivery.kind,
      agents: workflow.agents.toSorted(),
      commands: workflow.commands.toSorted(),
      skills: workflow.skills.toSorted(),
      ...(workflow.workflows !== undefined && { workflows: workflow.workflows.toSorted() }),
      ...(workflow.registers !== undefined && { registers: printRegisters(workflow.registers) }),
      ...(workflow.selection !== undefined && { selection: workflow.selection.toSorted() }),
      ...printDelivery(workflow.delivery),
    })),
  };
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Kinds in their order, names sorted. */
function printRegisters(registers: Registers): Record<string, JsonValue> {
  const known = registerKinds.filter((kind) => (registers[kind]?.length ?? 0) > 0);
  return Object.fromEntries(known.map((kind) => [kind, (registers[kind] ?? []).toSorted()]));
}

function printDelivery(delivery: LockedDelivery): Record<string, JsonValue> {
  if (delivery.kind === "plugin") {
    const parts = delivery.parts === undefined ? {} : { parts: delivery.parts };
    if (delivery.disabled === undefined) return parts;
    const disabled = delivery.disabled.map(({ file, index, spec, options }) => {
      return { file, index, spec, ...(options !== undefined && { options }) };
    });
    const [only = null] = disabled;
    return { ...parts, disabled: disabled.length === 1 ? only : disabled };
  }
  const { parked, permission, prefix, models } = delivery;
  const files = sorted(delivery.files, (file) => {
    if (file.kind === "skipped") return { source: file.source, skipped: true };
    const { source, base, pending, adopted, deleted, older } = file;
    const marks = { ...(adopted && { adopted }), ...(deleted && { deleted }), ...(older && { older }) };
    return { source, base, ...(pending !== undefined && { pending }), ...marks };
  });
  // The permissions' order counts.
  return {
    ...(parked && { parked }),
    ...(permission && { permission }),
    ...(prefix !== undefined && { prefix }),
    ...(models !== undefined && { models: sorted(models, (model) => model) }),
    files,
  };
}

/** Returns an object without a prototype, so `constructor` and `__proto__` are keys like any other. */
function sorted<Value>(map: ReadonlyMap<string, Value>, print: (value: Value) => JsonValue): Record<string, JsonValue> {
  const object: Record<string, JsonValue> = Object.create(null);
  for (const key of [...map.keys()].sort()) object[key] = print(map.get(key)!);
  return object;
}
