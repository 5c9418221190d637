import type { Entity } from "../entity.ts";
import { loadVerdicts } from "./load-verdicts.ts";

/**
 * Whether no tool reads the entity's file: a README among agents, an empty file, a dead link. It keeps its place in the
 * registry, where lint explains it, but is in no list of what there is to use.
 *
 * @example
 * registry.all().filter((entity) => !isReadByNone(entity));
 */
export function isReadByNone(entity: Entity): boolean {
  const { type, source, description, disabledBecause, diagnostics } = entity;
  // Only these lack a description, so hardly any file is read twice. Atomic reads its own files, however they are.
  if (description !== "" || type === "workflow" || source.path === undefined || source.provider === "atomic")
    return false;
  // Any other reason to disable it is one of ours: a tool may still read the file.
  if (disabledBecause !== undefined && !diagnostics.some(({ code }) => NOT_A_FILE.has(code))) return false;
  return loadVerdicts(entity).every(({ loads }) => !loads);
}

const NOT_A_FILE: ReadonlySet<string> = new Set(["file-missing", "file-not-regular"]);
