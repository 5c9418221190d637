import { relative } from "node:path";
import type { Diagnostic } from "../entities/diagnostic.ts";
import type { LogLevel, PluginClient } from "./opencode-config.ts";

/** Who is to be reported about. */
export interface Reported {
  readonly id: string;
  readonly root: string;
}

const levels: Readonly<Record<Diagnostic["severity"], LogLevel>> = { error: "error", warning: "warn", info: "info" };

/** Everything, in OpenCode's log. */
export async function logDiagnostics(
  client: PluginClient,
  { id, root }: Reported,
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  const service = `workflow ${id}`;
  for (const diagnostic of diagnostics) {
    const { severity, code, hint } = diagnostic;
    // OpenCode takes a service, but does not write it down.
    const message = `${service}: ${describe(diagnostic, root)}`;
    await client.app.log({ body: { service, level: levels[severity], message, extra: { code, hint } } });
  }
}

/** What is left out, for the person in front of the screen. */
export async function showErrors(
  client: PluginClient,
  { id, root }: Reported,
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  const [first, ...others] = diagnostics.filter(({ severity }) => severity === "error");
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` (and ${others.length} more, see OpenCode's log)`;
  const message = `${describe(first, root)}${more}`;
  await client.tui.showToast({ body: { title: `Workflow ${id}`, message, variant: "error" } });
}

function describe({ path, line, column, message }: Diagnostic, root: string): string {
  if (path === undefined) return message;
  const place = [relative(root, path) || path, line, column].filter((part) => part !== undefined).join(":");
  return `${place} ${message}`;
}
