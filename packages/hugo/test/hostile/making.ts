// Makes what honest tools would not make.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { constants, deflateRawSync } from "node:zlib";
import { type GitFile, type GitRepo, gitRepo, runGit } from "@atomic/testing/git";
import { packageEntries, type TarballEntry, tar, tarball } from "@atomic/testing/npm/tarball";
import type { PackageToPublish } from "@atomic/testing/npm-registry";
import type { Installed } from "./hostile-package.ts";
import type { World } from "./world.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function agent(body = "Look at it.", matter = ""): string {
  return `---\ndescription: Looks at things\nmode: subagent\n${matter}---\n\n${body}\n`;
}

export function skill(name: string, body = "Do it well.", matter = ""): string {
  return `---\nname: ${name}\ndescription: A skill\n${matter}---\n\n${body}\n`;
}

/** The least that a package needs to be one. */
export const harmless: Files = { "agents/looker.md": agent() };

export function folder(
  { attic }: World,
  name: string,
  files: Files,
  links: Readonly<Record<string, string>> = {},
): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(attic, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(attic, name, path)), { recursive: true });
    symlinkSync(target, join(attic, name, path));
  }
  return join(attic, name);
}

/** A tarball with a harmless agent and what is added to it. */
export function archive(world: World, name: string, entries: readonly TarballEntry[]): string {
  return file(world, `${name}.tgz`, tarball([...packageEntries(harmless), ...entries]));
}

export function file({ attic }: World, name: string, bytes: Uint8Array): string {
  writeFileSync(join(attic, name), bytes);
  return join(attic, name);
}

export async function repository(
  world: World,
  name: string,
  files: Readonly<Record<string, GitFile>>,
): Promise<GitRepo> {
  return world.own(await gitRepo({ name, files: { ...harmless, ...files } }));
}

/** One entry of a tree object, which may be what git itself would never write. */
export interface TreeEntry {
  readonly mode: "100644" | "100755" | "120000" | "40000" | "160000";
  readonly name: string;
  /** Text of a blob, or the entries of a tree. */
  readonly content: string | readonly TreeEntry[];
}

/** A repository whose only commit has exactly these entries. */
export async function craftedRepository(world: World, name: string, entries: readonly TreeEntry[]): Promise<GitRepo> {
  const repo = await repository(world, name, {});
  const git = (args: readonly string[], input: Uint8Array) => runGit(args, { cwd: repo.dir, env: repo.env, input });
  const object = (type: string, bytes: Uint8Array) =>
    git(["hash-object", "-w", "--literally", "-t", type, "--stdin"], bytes);
  const write = async (list: readonly TreeEntry[]): Promise<string> => {
    const parts: Buffer[] = [];
    for (const { mode, name: entry, content } of list) {
      const id =
        mode === "160000"
          ? "1".repeat(40)
          : typeof content === "string"
            ? await object("blob", Buffer.from(content))
            : await write(content);
      parts.push(Buffer.from(`${mode} ${entry}\0`), Buffer.from(id, "hex"));
    }
    return await object("tree", Buffer.concat(parts));
  };
  const tree = await write(entries);
  const person = "Tester <tester@example.test> 1700000000 +0000";
  const text = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\ncrafted\n`;
  await repo.git("update-ref", "refs/heads/main", await object("commit", Buffer.from(text)));
  return repo;
}

export const blob = (name: string, content: string): TreeEntry => ({ mode: "100644", name, content });
export const subtree = (name: string, content: readonly TreeEntry[]): TreeEntry => ({ mode: "40000", name, content });

export function published(world: World, pkg: Omit<PackageToPublish, "version"> & { version?: string }): string {
  world.registry.publish({ version: "1.0.0", ...pkg, files: { ...harmless, ...pkg.files } });
  return pkg.name;
}

/** A small gzip that expands to the same bytes again and again. It is never read to its end. */
export function bomb(start: Uint8Array, repeated: Uint8Array, times: number): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  const flushed = (bytes: Uint8Array) => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
  const block = flushed(repeated);
  return Buffer.concat([header, flushed(start), ...new Array<Buffer>(times).fill(block)]);
}

/** The archive of a harmless package without its end. */
export function openTar(entries: readonly TarballEntry[] = []): Buffer {
  const whole = tar([...packageEntries(harmless), ...entries]);
  return whole.subarray(0, whole.length - 1024);
}

export const json = (value: unknown): string => JSON.stringify(value);

/** A file that no hash covers is not in the project, and the report says which folder it was in. */
export const leavesOut =
  (path: string) =>
  ({ world, printed }: Installed): void => {
    if (!printed.includes(`folder "${path.slice(0, path.indexOf("/"))}"`)) throw new Error(printed);
    const below = readdirSync(world.project.path(".opencode"), { recursive: true, encoding: "utf8" });
    const found = below.filter((each) => each.endsWith(path));
    if (found.length > 0) throw new Error(`Also arrived: ${found.join(", ")}`);
  };

/** Nothing but the harmless agent has arrived. */
export function onlyHarmless({ files }: Installed): void {
  const names = [...files.keys()].filter((path) => path !== "hugo.json");
  if (names.join() !== "agents/looker.md") throw new Error(`Also arrived: ${names.join(", ")}`);
}
