import { formatNotFound } from "@atomic/terminal/suggest";
import { HugoError } from "../../errors.ts";
import { findWorkflow, type Known } from "./find-workflow.ts";

/**
 * The installed workflows that a user named, each once, in the order of the command line. The name of the package will
 * do as well. Wrong names are all said at once, before anything is done about the right ones.
 *
 * @example
 * findWorkflows(lock, ["@org/review"]); // ["review"]
 */
export function findWorkflows(lock: Known, names: readonly string[]): string[] {
  const found = names.map((name) => findWorkflow(lock, name));
  const unknown = names.filter((_, i) => found[i] === undefined);
  if (unknown.length > 0) throw notInstalled(lock, [...new Set(unknown)]);
  return [...new Set(found)].filter((name) => name !== undefined);
}

/** All of them if nobody named one. */
export function oneOrAll(lock: Known, name: string | undefined): string[] {
  return name === undefined ? [...lock.workflows.keys()].sort() : findWorkflows(lock, [name]);
}

function notInstalled({ workflows }: Known, names: readonly string[]): HugoError {
  const [first = "", ...more] = names.map((name) => formatNotFound("Workflow", name, workflows.keys()));
  const others = more.map((message) => `, ${message.slice(message.indexOf('"'))}`).join("");
  return new HugoError("not-installed", {
    message: first + others,
    hint:
      workflows.size === 0
        ? "Nothing is installed here yet. Install a workflow with `hugo install <package>`."
        : "`hugo list` shows what is installed. Nothing was changed.",
  });
}
