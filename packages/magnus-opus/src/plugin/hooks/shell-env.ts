import type { Magnus } from "../live/magnus.ts";
import type { ShellEnv } from "./opencode-hooks.ts";

/** Whatever an agent starts carries its run. A command that a person types behind `!` is no call of an agent's. */
export function markShell(
  { calls, programs, runs }: Magnus,
  { sessionID = "", callID = "" }: ShellEnv["input"],
  { env }: ShellEnv["output"],
): void {
  const run = runs.known(sessionID);
  if (run !== undefined && calls.isOpen(callID)) Object.assign(env, programs.env(run.state.run, callID));
}
