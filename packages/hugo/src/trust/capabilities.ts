import type { Permission } from "@atomic/workflows/internal/permission/rules";
import {
  type AgentAccess,
  describeAccess,
  readAgentAccess,
  rightsOf,
  widenedAccess,
} from "../delivery/translate/agent-access.ts";
import type { PackageTranslation } from "../delivery/translate/package-translation.ts";
import { type Capability, sortCapabilities } from "../packages/capability.ts";
import type { WorkflowContent } from "../packages/manifest/content.ts";
import type { Manifest } from "../packages/manifest.ts";
import { type PackageTree, pathsBelow, textOf } from "../packages/tree.ts";
import { isCode, readHooks, readServersInCode, readSignals, readTools } from "./capabilities/code-signals.ts";
import { mediaType } from "./capabilities/media-type.ts";
import { readMcpServers, readPackageScripts } from "./capabilities/package-scripts.ts";
import { leadsOutside, readHidden, readReferences } from "./capabilities/text-marks.ts";

/** What a package can do, as far as its files show. An empty list proves nothing. */
export interface Capabilities {
  /** Sorted. */
  readonly list: readonly Capability[];
  readonly agents: ReadonlyMap<string, AgentAccess>;
  /** The files that the list is about, by their path in the package. */
  readonly files: PackageTree;
}

const JAVASCRIPT = /\.[cm]?[jt]sx?$/i;
const WITHOUT_ENDING = /(?:^|\/)[^./]+$/;

/** Code that handles text has these in it; no model reads them there. */
const IN_CODE: readonly string[] = ["ansi", "control", "byte-order-mark"];

/** `{env:e,file:t}` in minified code: neither an environment variable nor a path. */
const OBJECT_IN_CODE = /^\{(?:env:(?![A-Z][A-Z0-9_]+\}$)|file:(?!.*[/~\\]))/;

/**
 * What can be done with the files that reach OpenCode: all of a plugin's, because its code can load them, and of a package that
 * is copied only the copies, as they are after translation. Only reads; no code of the package runs.
 *
 * @param limit The user's permissions that copied agents are limited to.
 * @param content The selected part of the package.
 */
export function readCapabilities(
  translation: PackageTranslation,
  limit?: Permission,
  content: WorkflowContent = translation.manifest,
): Capabilities {
  const { tree, manifest } = translation;
  const { delivery } = manifest;
  const isPlugin = delivery.kind === "plugin";
  const files: PackageTree = isPlugin
    ? tree
    : new Map([...translation.look(limit, content).files.values()].map(({ source, ...file }) => [source, file]));
  const agents = new Map(
    content.agents
      .filter(({ path }) => files.has(path))
      .map(({ name, path }) => [name, readAgentAccess(textOf(files, path) ?? "", name)]),
  );
  const list: Capability[] = [];
  if (delivery.kind === "plugin") {
    const { entry, tui } = delivery;
    const server = "runs inside OpenCode with all your permissions";
    if (entry !== undefined) list.push({ kind: "plugin-code", subject: entry, detail: server });
    const drawing = "draws inside OpenCode and runs with all your permissions";
    // A theme has only colors.
    if (tui !== undefined && !tui.endsWith(".json")) list.push({ kind: "plugin-code", subject: tui, detail: drawing });
    if (manifest.from === "opencode-plugin" && entry !== undefined) {
      list.push({ kind: "registers", subject: entry, detail: "unknown until OpenCode loads it" });
    }
    list.push(...readMcpServers(tree), ...readPackageScripts(tree));
  }
  // Atomic runs them in a separate process, which no agent policy restricts.
  for (const { name, path } of content.workflows ?? []) {
    list.push({
      kind: "workflow",
      subject: path,
      detail: `\`atomic run ${name}\` runs this code with all your permissions`,
    });
  }
  for (const path of files.keys()) list.push(...fileCapabilities(files, path, { ...manifest, ...content }));
  if (isPlugin) {
    const code = [...files.keys()].flatMap((path): [string, string][] => {
      const text = textOf(files, path);
      return text !== undefined && isPluginCode(path, text) ? [[path, text]] : [];
    });
    list.push(...readTools(new Map(code)));
  }
  for (const { path } of content.commands) list.push(...readReferences(path, textOf(files, path) ?? "", "command"));
  for (const path of content.skills.flatMap((skill) => pathsBelow(files, skill.path))) {
    if (/(?:^|\/)SKILL\.md$/.test(path)) list.push(...readReferences(path, textOf(files, path) ?? "", "skill"));
  }
  for (const [name, access] of agents) {
    list.push({ kind: "agent", subject: name, detail: describeAccess(access), rights: rightsOf(access) });
  }
  return { list: sortCapabilities(list), agents, files };
}

/** Whether other code can import it. */
function isLoadable(path: string, text: string): boolean {
  return JAVASCRIPT.test(path) || (WITHOUT_ENDING.test(path) && !text.startsWith("#!") && isCode(path, text));
}

/** Whether OpenCode loads it with the plugin, if the package is one. */
function isPluginCode(path: string, text: string): boolean {
  return isLoadable(path, text) && !path.startsWith("skills/");
}

function fileCapabilities(files: PackageTree, path: string, { delivery, workflows = [] }: Manifest): Capability[] {
  const text = textOf(files, path);
  const { bytes, executable: isExecutable } = files.get(path)!;
  if (text === undefined) {
    const detail = isExecutable ? "executable" : (mediaType(bytes) ?? "not text");
    return [{ kind: "binary", subject: path, detail }];
  }
  const isScript = isCode(path, text);
  // A plugin's code is one capability, however it is split into files, and so are a package's workflows.
  const isWorkflowCode = isLoadable(path, text) && workflows.length > 0 && path.startsWith("workflows/");
  const isOfPlugin = delivery.kind === "plugin" && isPluginCode(path, text);
  // `{env:NAME}` and `{file:path}`, which OpenCode replaces in a config.
  const substitutions = Array.from(text.matchAll(/\{(?:env|file):[^{}\n]{1,200}\}/gi), ([detail]) => detail).filter(
    (detail) => !isOfPlugin || !OBJECT_IN_CODE.test(detail),
  );
  return [
    ...(isScript && !isOfPlugin && !isWorkflowCode
      ? [{ kind: "script", subject: path, detail: "can be run by an agent" } as const]
      : []),
    ...(isExecutable ? [{ kind: "executable", subject: path, detail: "executable" } as const] : []),
    ...readSignals(path, text),
    ...(isOfPlugin ? [...readHooks(path, text), ...readServersInCode(path, text)] : []),
    ...substitutions.map((detail): Capability => ({ kind: "substitution", subject: path, detail })),
    ...readHidden(path, text).filter(({ detail }) => !isOfPlugin || !IN_CODE.includes(detail)),
  ];
}

/**
 * What a package can do only after an update; empty if the update needs no question. Your own rules may limit it for
 * now: they are shown with it, and you are asked anyway.
 */
export function widened(before: Capabilities, after: Capabilities, held: Capabilities = after): Capability[] {
  const known = new Set(before.list.map(identityOf));
  const scripts = new Set(after.list.filter(({ kind }) => kind === "script").map(({ subject }) => subject));
  const knownScripts = before.list
    .filter(({ kind }) => kind === "script")
    .flatMap(({ subject }) => before.files.get(subject)?.bytes ?? []);
  const more = after.list.filter((capability) => {
    const { kind, subject, detail } = capability;
    if (kind === "agent" || known.has(identityOf(capability))) return false;
    // Agents read project files all the time.
    if (kind === "file") return leadsOutside(detail);
    if (kind === "binary") return detail === "executable" || detail === "not text";
    // An agent can run a script without that, too.
    if (kind === "executable") return detail !== "executable" || !scripts.has(subject);
    // A script with another name is the same script.
    const bytes = kind === "script" ? after.files.get(subject)?.bytes : undefined;
    return bytes === undefined || !knownScripts.some((each) => Buffer.compare(each, bytes) === 0);
  });
  for (const [name, access] of after.agents) {
    const was = before.agents.get(name);
    const allowed = held.agents.get(name) ?? access;
    if (was !== undefined) {
      const details = widenedAccess(was, access, allowed);
      more.push(...details.map((detail): Capability => ({ kind: "agent", subject: name, detail })));
      continue;
    }
    // A new agent that may do no more than an accepted one is not a new capability.
    const isKnown = [...before.agents.values()].some((accepted) => widenedAccess(accepted, access).length === 0);
    if (!isKnown) more.push({ kind: "agent", subject: name, detail: `new: ${describeAccess(allowed)}` });
  }
  return sortCapabilities(more);
}

/** Bundlers put a hash into file names, as in `plugin-CIbXl4ah.js`: it changes with each release. */
const BUNDLE_HASH = /-(?=[\w-]*[A-Z0-9])[\w-]{8}(?=\.[cm]?js$)/;

/** Moving a capability to another file of the package adds none; a new script or server does. */
function identityOf({ kind, subject, detail }: Capability): string {
  if (["shell", "code", "hook", "file", "plugin-code"].includes(kind)) return JSON.stringify([kind, detail]);
  const isMark = kind === "mcp" || kind === "substitution" || kind === "hidden";
  return JSON.stringify([kind, isMark ? subject.replace(BUNDLE_HASH, "") : subject, detail]);
}
