import { relative } from "node:path";
import type { Diagnostic } from "../diagnostic.ts";
import type { LogLevel, PluginClient } from "./opencode-config.ts";

const levels: Readonly<Record<Diagnostic["severity"], LogLevel>> = { error: "error", warning: "warn", info: "info" };

/** Tells everything to OpenCode's log, and what is left out to the person in front of it. */
export async function report(
  client: PluginClient,
  workflow: { readonly id: string; readonly root: string },
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  const service = `workflow ${workflow.id}`;
  for (const diagnostic of diagnostics) {
    const { severity, code, hint } = diagnostic;
    // OpenCode takes a service, but does not write it down.
    const message = `${service}: ${describe(diagnostic, workflow.root)}`;
    await client.app.log({ body: { service, level: levels[severity], message, extra: { code, hint } } });
  }
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more, see OpenCode's log)`;
  const message = `${describe(first, workflow.root)}${more}`;
  await client.tui.showToast({ body: { title: `Workflow ${workflow.id}`, message, variant: "error" } });
}

function describe({ path, line, column, message }: Diagnostic, root: string): string {
  if (path === undefined) return message;
  const place = [relative(root, path) || path, line, column].filter((part) => part !== undefined).join(":");
  return `${place} ${message}`;
}
