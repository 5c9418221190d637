import type { Hash } from "@atomic/durable-files/files/hash";
import type { Project } from "@atomic/testing/project";
import {
  type Lock,
  type LockedFile,
  type LockedWorkflow,
  printLock,
  storeEntry,
} from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../../src/context.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { hashTree } from "../../src/packages/tree.ts";
import { tree } from "../tree.ts";

/** A context without a user: nothing is asked. */
export function contextOf(
  { dir, home, env }: Pick<Project, "dir" | "home" | "env">,
  more: Partial<Context> = {},
): Context {
  return {
    cwd: dir,
    home,
    env,
    user: {
      approve: () => Promise.reject(new Error("These commands ask nothing.")),
      progress: () => undefined,
    },
    ...more,
  };
}

export const input = { global: false, dryRun: false, yes: false } as const;

export function pluginWorkflow(name: string, more: Partial<LockedWorkflow> = {}): LockedWorkflow {
  return {
    package: `@org/${name}`,
    source: `@org/${name}`,
    version: "1.0.0",
    delivery: { kind: "plugin" },
    agents: [`${name}er`],
    commands: [],
    skills: [],
    ...more,
  };
}

/** As if its files had been copied as they are. */
export function copiedWorkflow(name: string, files: Readonly<Record<string, string>>): LockedWorkflow {
  const records = Object.entries(files).map(([path, content]): [string, LockedFile] => [
    path,
    { kind: "installed", source: path, base: hashOf(content) },
  ]);
  const stems = (folder: string) =>
    Object.keys(files).flatMap((path) => new RegExp(`^${folder}/([^/.]+)`).exec(path)?.[1] ?? []);
  return {
    package: `@org/${name}-workflow`,
    source: `@org/${name}-workflow`,
    version: "2.1.0",
    delivery: { kind: "copy", parked: false, files: new Map(records) },
    agents: [...new Set(stems("agents"))],
    commands: [...new Set(stems("commands"))],
    skills: [...new Set(stems("skills"))],
  };
}

/** Writes hugo.json and, of copied workflows, what was copied and its base. */
export async function install(
  project: Pick<Project, "write">,
  workflows: Readonly<Record<string, LockedWorkflow>>,
  files: Readonly<Record<string, string>> = {},
  configs: Lock["configs"] = new Map(),
): Promise<void> {
  await project.write(".opencode/hugo.json", printLock({ workflows: new Map(Object.entries(workflows)), configs }));
  for (const [path, content] of Object.entries(files)) {
    await project.write(`.opencode/${path}`, content);
    await project.write(`.opencode/.hugo/bases/${hashOf(content).slice("sha256:".length)}`, content);
  }
}

/** Every file of a project with its content, without what Hugo keeps for itself. */
export async function contents(project: Project): Promise<Record<string, string>> {
  const paths = (await project.tree()).filter((path) => !path.startsWith(".opencode/.hugo/"));
  const entries = paths.map(async (path) => [path, path.endsWith("/") ? "" : await project.read(path)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Puts a package into the store as an installation would, and gives the hash of its tree. */
export async function store(
  project: Project,
  workflow: string,
  packageName: string,
  files: Readonly<Record<string, string>>,
): Promise<Hash> {
  const hash = hashTree(tree(files));
  const entry = `.opencode/.hugo/store/${storeEntry(workflow, hash, undefined)}`;
  const folder = `${entry}/node_modules/${packageName}`;
  await project.write(`${entry}/tsconfig.json`, "{}\n");
  for (const [path, content] of Object.entries(files)) await project.write(`${folder}/${path}`, content);
  return hash;
}
