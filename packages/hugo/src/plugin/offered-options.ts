import { everywhere } from "../cli/flags.ts";
import type { Operation, OptionSpec } from "../operation.ts";
import type { Tool } from "./tools.ts";

/** Those that a model may use, by name. */
export function offeredOptions(operation: Operation, offered: Tool["options"]): Readonly<Record<string, OptionSpec>> {
  const own = Object.entries(operation.options).filter(([name]) => offered.includes(name));
  return { ...Object.fromEntries(own), global: everywhere.global! };
}
