import type { OptionSpec } from "@atomic/terminal/command";
import type { Operation } from "../commands/shared/operation.ts";
import { sharedOptions } from "../commands/shared/shared-options.ts";
import type { Tool } from "./tools.ts";

/** Those that a model may use, by name. */
export function offeredOptions(operation: Operation, offered: Tool["options"]): Readonly<Record<string, OptionSpec>> {
  const own = Object.entries(operation.options).filter(([name]) => offered.includes(name));
  return { ...Object.fromEntries(own), global: sharedOptions.everywhere.global };
}
