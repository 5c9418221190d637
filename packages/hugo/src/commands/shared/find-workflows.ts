import { refuser } from "@atomic/terminal/read-command-line";
import { formatNotFound } from "@atomic/terminal/suggest";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../errors.ts";

export const nothingInstalled = "No workflows are installed. `hugo install <package>` installs one.";

/**
 * The installed workflows that a user named, each once, in the order of the command line. A package's name works, too.
 * All wrong names are reported at once, before anything is done.
 *
 * @example
 * findWorkflows(lock, ["@org/review"]); // ["review"]
 */
export function findWorkflows(lock: Known, names: readonly string[]): string[] {
  const found = names.map((name) => {
    const { workflows } = lock;
    if (workflows.has(name)) return name;
    const [first, second] = [...workflows].filter(([, each]) => each.package === name).map(([workflow]) => workflow);
    if (first === undefined || second === undefined) return first;
    throw new HugoError("not-installed", {
      message: `"${name}" is the package of more than one workflow: ${first} and ${second}`,
      hint: "Use the workflow's name; `hugo list` shows them. Nothing was changed.",
    });
  });
  const unknown = names.filter((_, i) => found[i] === undefined);
  if (unknown.length > 0) {
    const { workflows } = lock;
    const messages = [...new Set(unknown)].map((name) => formatNotFound("Workflow", name, workflows.keys()));
    const [first = "", ...more] = messages;
    throw new HugoError("not-installed", {
      message: first + more.map((message) => `, ${message.slice(message.indexOf('"'))}`).join(""),
      hint:
        workflows.size === 0
          ? "Nothing is installed here yet. Install a workflow with `hugo install <package>`."
          : "`hugo list` shows what is installed. Nothing was changed.",
    });
  }
  return [...new Set(found)].filter((name) => name !== undefined);
}

/** The named workflow, or all of them. */
export function oneOrAll(lock: Known, name: string | undefined): string[] {
  return name === undefined ? [...lock.workflows.keys()].sort() : findWorkflows(lock, [name]);
}

/** The part of the lock that knows installed workflows and their packages. */
interface Known {
  readonly workflows: ReadonlyMap<string, { readonly package: string }>;
}

/** The named workflows, or all of them with `--all`. Neither is a usage error. */
export function namedOrAll(
  lock: Lock,
  command: string,
  { name: names, all }: { readonly name: readonly string[]; readonly all?: boolean },
): string[] {
  if (names.length > 0) return findWorkflows(lock, names);
  if (all === true) return [...lock.workflows.keys()].sort();
  return refuser("hugo", command)("missing argument <name…> or --all");
}
