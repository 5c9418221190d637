// Small workflows and what a command does with them, as far as these tests need it.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock, LockedFile, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../src/errors.ts";
import { addPlugin, editConfig } from "../../src/opencode/plugin-edits.ts";
import { hashOf } from "../../src/packages/hash.ts";
import type { FileChange } from "../../src/workspace/copied-files.ts";
import { placeFor, type WorkspacePlace } from "../../src/workspace/place.ts";
import type { ChangeSet, WorkspaceSnapshot } from "../../src/workspace/snapshot.ts";
import { type Generation, generationNumbers, readGeneration } from "../../src/workspace/store/generation.ts";
import type { PackageOnDisk } from "../../src/workspace/store/store.ts";

export function placeIn(project: { readonly dir: string; readonly home: string }, global = false): WorkspacePlace {
  return placeFor({ cwd: project.dir, home: project.home, env: {} }, { global });
}

export function pluginWorkflow(name: string, version = "1.0.0"): LockedWorkflow {
  const source = `@org/${name}`;
  return {
    package: source,
    source: `${source}@latest`,
    version,
    delivery: { kind: "plugin" },
    agents: [],
    commands: [],
    skills: [],
  };
}

function copyWorkflow(name: string, files: Readonly<Record<string, string>>): LockedWorkflow {
  const records = Object.entries(files).map(([path, text]): [string, LockedFile] => [
    path,
    { kind: "installed", source: path, base: hashOf(text) },
  ]);
  return { ...pluginWorkflow(name), delivery: { kind: "copy", parked: false, files: new Map(records) } };
}

export const emptyPlace: Lock = { workflows: new Map(), configs: new Map() };

export function lockWith(lock: Lock, name: string, workflow: LockedWorkflow): Lock {
  return { ...lock, workflows: new Map([...lock.workflows, [name, workflow]]) };
}

export function lockWithout(lock: Lock, name: string): Lock {
  return { ...lock, workflows: new Map([...lock.workflows].filter(([other]) => other !== name)) };
}

/** Copies files that do not exist yet. */
export function installCopy(
  snapshot: WorkspaceSnapshot,
  name: string,
  files: Readonly<Record<string, string>>,
): ChangeSet {
  snapshot.disk(Object.keys(files));
  const changes = Object.entries(files).map(([path, text]): FileChange => {
    return { kind: "write", path, bytes: Buffer.from(text), executable: text.startsWith("#!") };
  });
  const bases = Object.values(files).map((text) => ({ hash: hashOf(text), bytes: Buffer.from(text) }));
  const lock = lockWith(snapshot.lock, name, copyWorkflow(name, files));
  return { title: `install ${name}`, lock, files: changes, bases };
}

/** Adds a plugin to the project's opencode.json. */
export function installPlugin(snapshot: WorkspaceSnapshot, name: string): ChangeSet {
  const file = `${snapshot.place.root}/opencode.json`;
  const config = snapshot.configs.find((candidate) => candidate.file === file)!;
  const { edits, makes } = addPlugin(config, { spec: `@org/${name}@1.0.0` });
  const lock = lockWith(snapshot.lock, name, pluginWorkflow(name));
  const configs = makes === undefined ? lock.configs : new Map([...lock.configs, ["opencode.json", makes] as const]);
  return {
    title: `install ${name}`,
    lock: { ...lock, configs },
    configs: new Map([[file, editConfig(config, edits)]]),
  };
}

/** The error that a command ends with; anything but a `HugoError` fails the test. */
export async function refusalOf(command: Promise<unknown>): Promise<HugoError> {
  try {
    await command;
  } catch (error) {
    if (error instanceof HugoError) return error;
    throw error;
  }
  throw new Error("It went through, though it must be refused.");
}

/** A package in a folder, as a package manager leaves it. */
export function packageIn(root: string, packageName: string, files: Readonly<Record<string, string>>): PackageOnDisk {
  const folder = join(root, "node_modules", packageName);
  const all = { "package.json": JSON.stringify({ name: packageName, version: "1.0.0" }), ...files };
  for (const [path, text] of Object.entries(all)) {
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    fs.writeFileSync(join(folder, path), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  return { packageName, folder, root };
}

/** The draft with the hash of the package that was put into the store. */
export function withTree(draft: ChangeSet, name: string, tree: Hash): ChangeSet {
  return { ...draft, lock: lockWith(draft.lock, name, { ...draft.lock.workflows.get(name)!, tree }) };
}

/** The changes that can be undone, newest first. */
export function generations({ stateFolder }: WorkspacePlace): (Generation & { readonly number: number })[] {
  const numbers = generationNumbers(stateFolder).reverse();
  return numbers.flatMap((number) => {
    const generation = readGeneration(stateFolder, number);
    return generation === undefined ? [] : [{ number, ...generation }];
  });
}
