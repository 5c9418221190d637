// The file of names: what is in it, and bringing it up to date.
import { join } from "node:path";
import { readTextForEdit, type TextRead } from "@atomic/durable-files/files/read-for-edit";
import { Refusal } from "@atomic/terminal/refusal";
import { type EntityType, entityTypes } from "@atomic/workflows/internal/entities/entity";
import {
  type EntityNames,
  printEntityNames,
  readEntityNames,
} from "@atomic/workflows/internal/graph/entity-names-file";
import { projectPaths } from "./plan-files.ts";
import { writeFiles } from "./write-files.ts";

/** One name that the file lacks, or that is gone. */
export interface NameChange {
  readonly type: EntityType;
  readonly name: string;
}

export interface NamesDifference {
  readonly added: readonly NameChange[];
  readonly removed: readonly NameChange[];
  /** Whether there is such a file. */
  readonly isThere: boolean;
  readonly read: TextRead;
}

/** Compares names, not bytes: a formatter may have been at the file. */
export function compareNames(project: string, wanted: EntityNames): NamesDifference {
  const path = join(project, projectPaths.names);
  const read = readTextForEdit(path);
  const isThere = read.hash !== "absent";
  const present = isThere ? readEntityNames(read.text) : undefined;
  if (isThere && present === undefined) {
    throw new Refusal("file-taken", {
      exitCode: 3,
      message: `${projectPaths.names} is not a file that \`atomic types\` wrote`,
      at: path,
      hint: "Move it somewhere else, then run the command again. Nothing was changed.",
    });
  }
  const without = (one: EntityNames, other: EntityNames | undefined): NameChange[] =>
    entityTypes.flatMap((type) => {
      const known = new Set(other?.[type]);
      return one[type].flatMap((name) => (known.has(name) ? [] : [{ type, name }]));
    });
  const removed = present === undefined ? [] : without(present, wanted);
  return { added: without(wanted, present), removed, isThere, read };
}

/** Whether the file has exactly these names. A missing one lacks at least those of the builtins. */
export function hasAllNames({ added, removed }: NamesDifference): boolean {
  return added.length + removed.length === 0;
}

export async function writeNames(project: string, names: EntityNames, { read }: NamesDifference): Promise<void> {
  const change = { path: projectPaths.names, content: printEntityNames(names), expect: read.hash };
  await writeFiles(project, [change], "atomic types");
}
