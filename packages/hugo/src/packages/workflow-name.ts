import { DurableError } from "@atomic/durable-files/errors";
import { checkName } from "@atomic/durable-files/safety/names";
import { HugoError } from "../errors.ts";

/** Refuses a name that cannot be a workflow's. */
export function checkWorkflowName(name: string): string {
  try {
    return checkName(name);
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    throw new HugoError("name-invalid", {
      message: `A workflow cannot have this name: ${lowerFirst(error.message)}`,
      hint: error.hint ?? "Choose another name.",
      cause: error,
    });
  }
}

/**
 * The name by which users know a workflow: its package's name without the scope.
 *
 * @example
 * workflowNameOf("@org/code-review"); // "code-review"
 */
export function workflowNameOf(packageName: string): string {
  const name = packageName.startsWith("@") ? packageName.slice(packageName.indexOf("/") + 1) : packageName;
  try {
    return checkName(name);
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    throw new HugoError("name-invalid", {
      message: `The package cannot be used as a workflow: ${lowerFirst(error.message)}`,
      hint: `${error.hint ?? "Choose another name."} Only the package's author can rename it.`,
      cause: error,
    });
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
