import { mkdir, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Project } from "@atomic/testing/project";
import type { Entity } from "../../src/entities/entity.ts";
import { formats } from "../../src/entities/formats/all.ts";
import { loadFormat } from "../../src/entities/load.ts";

/** Files and links of a project and, below `~/`, of a home folder. */
export interface Tree {
  readonly files: Readonly<Record<string, string | object>>;
  /** By path, the target as it is written. */
  readonly links?: Readonly<Record<string, string>>;
}

export async function plant(project: Project, ...trees: readonly Tree[]): Promise<void> {
  for (const { files, links = {} } of trees) {
    for (const [path, content] of Object.entries(files)) {
      if (await project.exists(path)) throw new Error(`Two trees have a ${path}.`);
      await project.write(path, content);
    }
    for (const [path, target] of Object.entries(links)) {
      await mkdir(dirname(project.path(path)), { recursive: true });
      await symlink(target, project.path(path));
    }
  }
}

/** Everything that our formats find. */
export function entitiesOf(project: Project): Entity[] {
  return formats.flatMap((format) => [
    ...loadFormat(format, project.dir, "project").entities,
    ...loadFormat(format, project.home, "user").entities,
  ]);
}

/** A Markdown file whose description is the path that it is planted at. */
export function described(path: string, keys: Readonly<Record<string, string>> = {}): [string, string] {
  const lines = Object.entries({ ...keys, description: `At ${path}` }).map(([key, value]) => `${key}: ${value}`);
  return [path, `---\n${lines.join("\n")}\n---\nBody of ${path}\n`];
}
