// Changes of every kind, as the commands will make them: what the fault sweep runs.
import * as fs from "node:fs";
import { join } from "node:path";
import type { LockedFile, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../../src/errors.ts";
import { addPlugin, editConfig, removePlugins } from "../../../src/opencode/plugin-edits.ts";
import { hashOf } from "../../../src/packages/hash.ts";
import { change, type Decide } from "../../../src/workspace/change.ts";
import type { FileChange } from "../../../src/workspace/copied-files.ts";
import { placeFor } from "../../../src/workspace/place.ts";
import type { ChangeSet } from "../../../src/workspace/snapshot.ts";
import { undo } from "../../../src/workspace/undo.ts";

export function placeOf(project: string) {
  return placeFor({ cwd: project, home: join(project, "../home"), env: {} }, { global: false });
}

const texts = {
  "agents/reader.md": "Reads.\n",
  "skills/tidy/SKILL.md": "Tidies.\n",
  "skills/tidy/run.sh": "#!/bin/sh\n",
};

/** Fetches a package into the store, copies its files, and names it in the config. */
const install: Decide<string> = async (workspace) => {
  const staging = workspace.store.staging();
  const folder = join(staging, "node_modules/@org/review");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, "package.json"), '{ "name": "@org/review", "version": "1.0.0" }\n');
  fs.writeFileSync(join(folder, "index.js"), "export default async () => ({});\n");
  const fetched = { packageName: "@org/review", folder, root: staging };
  const { hash } = await workspace.store.put(fetched, { workflow: "review" });
  fs.rmSync(staging, { recursive: true });

  workspace.disk(Object.keys(texts));
  const files = Object.entries(texts).map(([path, text]): FileChange => {
    return { kind: "write", path, bytes: Buffer.from(text), executable: text.startsWith("#!") };
  });
  const records = Object.entries(texts).map(([path, text]): [string, LockedFile] => {
    return [path, { kind: "installed", source: path, base: hashOf(text) }];
  });
  const review: LockedWorkflow = {
    package: "@org/review",
    source: "@org/review",
    version: "1.0.0",
    tree: hash,
    delivery: { kind: "copy", parked: false, files: new Map(records) },
    agents: ["reader"],
    commands: [],
    skills: ["tidy"],
  };
  const file = join(workspace.place.root, "opencode.json");
  const config = workspace.configs.find((candidate) => candidate.file === file)!;
  const { edits, makes } = addPlugin(config, { spec: "@org/review@1.0.0" });
  const lock = {
    workflows: new Map([...workspace.lock.workflows, ["review", review]]),
    configs: new Map(makes === undefined ? [] : [["opencode.json", makes]]),
  };
  const bases = Object.values(texts).map((text) => ({ hash: hashOf(text), bytes: Buffer.from(text) }));
  const configs = new Map([[file, editConfig(config, edits)]]);
  return { changes: { title: "install review", lock, configs, files, bases }, result: "installed" };
};

/** Takes all of it away again. */
const remove: Decide<string> = async (workspace) => {
  workspace.disk(Object.keys(texts));
  const files = Object.keys(texts).map((path): FileChange => ({ kind: "delete", path }));
  const file = join(workspace.place.root, "opencode.json");
  const config = workspace.configs.find((candidate) => candidate.file === file)!;
  const removal = removePlugins(config, config.plugins, workspace.lock.configs.get("opencode.json"));
  const text = removal.kind === "delete-file" ? undefined : editConfig(config, removal.edits);
  const lock = { workflows: new Map(), configs: new Map() };
  return { changes: { title: "remove review", lock, configs: new Map([[file, text]]), files }, result: "removed" };
};

export async function runCommand(name: string, project: string): Promise<string> {
  const place = placeOf(project);
  if (name === "undo") return (await undo(place, { dryRun: false })).title;
  return await change(place, `hugo ${name}`, decisions[name] ?? installOne(name));
}

/** One of many commands at the same time: a workflow with a file and a plugin entry of its own. */
function installOne(name: string): Decide<string> {
  return async (workspace) => {
    const [path, text] = [`agents/${name}.md`, `I am ${name}.\n`];
    workspace.disk([path]);
    const file = join(workspace.place.root, "opencode.json");
    const config = workspace.configs.find((candidate) => candidate.file === file)!;
    const record: LockedFile = { kind: "installed", source: path, base: hashOf(text) };
    const workflow: LockedWorkflow = {
      package: name,
      source: name,
      version: "1.0.0",
      delivery: { kind: "copy", parked: false, files: new Map([[path, record]]) },
      agents: [name],
      commands: [],
      skills: [],
    };
    const draft: ChangeSet = {
      title: `install ${name}`,
      lock: { ...workspace.lock, workflows: new Map([...workspace.lock.workflows, [name, workflow]]) },
      configs: new Map([[file, editConfig(config, addPlugin(config, { spec: `${name}@1.0.0` }).edits)]]),
      files: [{ kind: "write", path, bytes: Buffer.from(text), executable: false }],
      bases: [{ hash: hashOf(text), bytes: Buffer.from(text) }],
    };
    return { changes: draft, result: `installed ${name}` };
  };
}

/** A command that finds nothing to do. */
const nothing: Decide<string> = async () => ({ result: "nothing" });

/** A command that fails half-way. */
const fail: Decide<string> = async ({ store }) => {
  store.staging();
  throw new HugoError("not-approved", { message: "declined", hint: "Agree to it." });
};

const decisions: Readonly<Record<string, Decide<string>>> = { install, remove, nothing, fail };
