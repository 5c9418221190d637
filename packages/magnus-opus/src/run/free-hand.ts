import { whyNotReadOnly } from "./read-only-shell.ts";
import { kindOf } from "./tool-kind.ts";

/** Whether programs that an agent chose or wrote may run during this call: its shell, its tests, tools of others. */
export function hasFreeHand(tool: string, args: unknown, readOnlyTools: readonly string[]): boolean {
  const kind = kindOf(tool, readOnlyTools);
  if (kind !== "shell") return kind === "unknown" || kind === "tests";
  const command = typeof args === "object" && args !== null ? (args as { command?: unknown }).command : undefined;
  return whyNotReadOnly(command) !== undefined;
}
