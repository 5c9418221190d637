// What the registry needs from a hugo.json: which workflows are there, and the position of each in the file.
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { positionsOf, type TextPosition } from "@atomic/durable-files/jsonc/position";
import type { LockedWorkflow } from "../../hugo-lock/lock.ts";
import { LockError, parseLock } from "../../hugo-lock/parse-lock.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { SourceFile } from "../format.ts";
import { diagnosticAt } from "./opencode-config.ts";

/** A workflow that OpenCode loads as a plugin. */
export interface LockedPlugin extends LockedWorkflow {
  /** Of the workflow. */
  readonly name: string;
}

/** A workflow whose files lie in OpenCode's folders, where agents and the like are found as any others are. */
export interface CopiedWorkflow {
  readonly name: string;
  /** Modules of graphs, from the folder of the lock: `workflows/release.ts`. */
  readonly modules: readonly string[];
}

export interface RegistryLock {
  readonly plugins: readonly LockedPlugin[];
  readonly copies: readonly CopiedWorkflow[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A lock that Hugo refuses is one diagnostic, in Hugo's words; nothing in it counts. */
export function readRegistryLock({ path, text }: SourceFile): RegistryLock {
  try {
    const { workflows } = parseLock(text, path);
    const plugins: LockedPlugin[] = [];
    const copies: CopiedWorkflow[] = [];
    for (const [name, workflow] of workflows) {
      const { delivery } = workflow;
      if (delivery.kind === "plugin") plugins.push({ ...workflow, name });
      else {
        // Files in folders beside modules belong to those.
        const files = delivery.parked ? [] : [...delivery.files.keys()];
        copies.push({ name, modules: files.filter((file) => /^workflows\/[^/\\]+\.[jt]s$/.test(file)) });
      }
    }
    return { plugins, copies, diagnostics: [] };
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    return { plugins: [], copies: [], diagnostics: [diagnosticAt(error, { code: "hugo-lock-invalid", path })] };
  }
}

/** Something other than the lock itself is wrong with a workflow listed in it. */
export function workflowProblem({ path, text }: SourceFile, name: string, problem: string): Diagnostic {
  const message = `hugo.json ${problem}`;
  const hint = "Restore it from version control, then run `hugo ci`.";
  return { severity: "error", code: "hugo-lock-invalid", message, path, ...workflowPosition(text, name), hint };
}

/** A workflow's position in a lock's text. Rarely needed, so the text is parsed again. */
export function workflowPosition(text: string, name: string): TextPosition {
  const { root } = parseJsonc(text);
  const workflows =
    root?.kind === "object" ? root.properties.find(({ key }) => key.value === "workflows")?.value : undefined;
  const properties = workflows?.kind === "object" ? workflows.properties : [];
  return positionsOf(text)(properties.find(({ key }) => key.value === name)?.start ?? 0);
}
