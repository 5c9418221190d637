import { refuser } from "@atomic/terminal/read-command-line";
import type { Lock } from "@atomic/workflows/hugo-lock/lock";
import { findWorkflows } from "./find-workflows.ts";

/** The workflows that a command is about: the named ones, or with `--all` every one. Neither is a mistake. */
export function namedOrAll(
  lock: Lock,
  command: string,
  { name: names, all }: { readonly name: readonly string[]; readonly all?: boolean },
): string[] {
  if (names.length > 0) return findWorkflows(lock, names);
  if (all === true) return [...lock.workflows.keys()].sort();
  return refuser("hugo", command)("missing argument <name…> or --all");
}
