import type { Lock } from "@atomic/workflows/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { findWorkflows } from "./find-workflows.ts";

/** The workflows that a command is about: the named ones, or with `--all` every one. Neither is a mistake. */
export function namedOrAll(
  lock: Lock,
  command: string,
  { name: names, all }: { readonly name: readonly string[]; readonly all?: boolean },
): string[] {
  if (names.length > 0) return findWorkflows(lock, names);
  if (all === true) return [...lock.workflows.keys()].sort();
  throw new HugoError("name-missing", {
    message: `${command} needs the name of a workflow`,
    hint: `\`hugo list\` shows what is installed; \`hugo ${command} --help\` shows examples. Nothing was changed.`,
  });
}
