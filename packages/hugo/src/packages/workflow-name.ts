import { DurableError } from "@atomic/durable-files/errors";
import { checkName } from "@atomic/durable-files/safety/names";
import { HugoError } from "../errors.ts";

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
    const problem = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    throw new HugoError("name-invalid", {
      message: `The package cannot be used as a workflow: ${problem}`,
      hint: `${error.hint ?? "Choose another name."} Only the package's author can rename it.`,
      cause: error,
    });
  }
}
