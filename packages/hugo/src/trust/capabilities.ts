import {
  type AgentAccess,
  describeAccess,
  readAgentAccess,
  widenedAccess,
} from "../delivery/translate/agent-access.ts";
import type { DeliverOptions } from "../delivery/translate/delivery.ts";
import { translateFiles } from "../delivery/translate/files-to-deliver.ts";
import type { Manifest } from "../packages/manifest.ts";
import { type PackageTree, pathsBelow, textOf } from "../packages/tree.ts";
import { type Capability, sortCapabilities } from "./capabilities/capability.ts";
import { isCode, readHooks, readServersInCode, readSignals } from "./capabilities/code-signals.ts";
import { readMcpServers } from "./capabilities/mcp-servers.ts";
import { readPackageScripts } from "./capabilities/package-scripts.ts";
import { leadsOutside, readHidden, readReferences, readSubstitutions } from "./capabilities/text-marks.ts";

/** What a package can do, as far as its files show. A silence proves nothing. */
export interface Capabilities {
  /** Sorted. */
  readonly list: readonly Capability[];
  readonly agents: ReadonlyMap<string, AgentAccess>;
}

const JAVASCRIPT = /\.[cm]?[jt]sx?$/i;
const WITHOUT_ENDING = /(?:^|\/)[^./]+$/;

/** `{env:e,file:t}` of minified code: neither the name of a variable of the environment nor a path. */
const OBJECT_IN_CODE = /^\{(?:env:(?![A-Z][A-Z0-9_]+\}$)|file:(?!.*[/~\\]))/;

/** Reads only; nothing of the package is executed. */
export function readCapabilities(tree: PackageTree, manifest: Manifest, options: DeliverOptions = {}): Capabilities {
  const isPlugin = manifest.delivery.kind === "plugin";
  const arriving = isPlugin ? tree : arrivingIn(tree, manifest, options);
  const agents = new Map(
    manifest.agents
      .filter(({ path }) => arriving.has(path))
      .map(({ name, path }) => [name, readAgentAccess(textOf(arriving, path) ?? "")]),
  );
  const list = [
    ...pluginCode(manifest),
    ...workflowCode(manifest),
    ...[...tree.keys()].flatMap((path) => fileCapabilities(tree, path, manifest)),
    ...references(arriving, manifest),
    ...readMcpServers(tree),
    ...readPackageScripts(tree, isPlugin),
    ...[...agents].map(
      ([name, access]): Capability => ({ kind: "agent", subject: name, detail: describeAccess(access) }),
    ),
  ];
  return { list: sortCapabilities(list), agents };
}

/** Of files that are copied, OpenCode gets what they are translated to, and nothing of those that are left out. */
function arrivingIn(tree: PackageTree, manifest: Manifest, options: DeliverOptions): PackageTree {
  const { files } = translateFiles(manifest, tree, undefined, options);
  return new Map([...files.values()].map(({ source, bytes, executable }) => [source, { bytes, executable }]));
}

function pluginCode({ delivery }: Manifest): Capability[] {
  if (delivery.kind !== "plugin") return [];
  return [{ kind: "plugin-code", subject: delivery.entry, detail: "runs inside OpenCode, with all your rights" }];
}

/** Atomic runs them in a process of its own, which no policy for agents restrains. */
function workflowCode({ workflows = [] }: Manifest): Capability[] {
  return workflows.map(({ name, path }) => {
    return { kind: "workflow", subject: path, detail: `\`atomic run ${name}\` runs this code with all your rights` };
  });
}

function fileCapabilities(tree: PackageTree, path: string, { delivery, workflows = [] }: Manifest): Capability[] {
  const text = textOf(tree, path);
  const isExecutable = tree.get(path)?.executable === true;
  if (text === undefined) return [{ kind: "binary", subject: path, detail: isExecutable ? "executable" : "no text" }];
  const isScript = isCode(path, text);
  // The code of a plugin is one thing, however it is cut into files, and so is that of a package's workflows.
  const isLoaded = JAVASCRIPT.test(path) || (isScript && WITHOUT_ENDING.test(path) && !text.startsWith("#!"));
  const isWorkflowCode = isLoaded && workflows.length > 0 && path.startsWith("workflows/");
  const isPluginCode = delivery.kind === "plugin" && isLoaded && !path.startsWith("skills/");
  return [
    ...(isScript && !isPluginCode && !isWorkflowCode
      ? [{ kind: "script", subject: path, detail: "may be run by an agent" } as const]
      : []),
    ...(isExecutable ? [{ kind: "executable", subject: path, detail: "executable" } as const] : []),
    ...readSignals(path, text),
    ...(isPluginCode ? [...readHooks(path, text), ...readServersInCode(path, text)] : []),
    ...readSubstitutions(path, text).filter(({ detail }) => !isPluginCode || !OBJECT_IN_CODE.test(detail)),
    ...readHidden(path, text),
  ];
}

function references(tree: PackageTree, { commands, skills }: Manifest): Capability[] {
  const inSkills = skills.flatMap(({ path }) =>
    pathsBelow(tree, path).filter((file) => /(?:^|\/)SKILL\.md$/.test(file)),
  );
  return [
    ...commands.flatMap(({ path }) => readReferences(path, textOf(tree, path) ?? "", "command")),
    ...inSkills.flatMap((path) => readReferences(path, textOf(tree, path) ?? "", "skill")),
  ];
}

/**
 * What a package can do after an update that it could not do before; empty if the update needs no question. Your own
 * rules may hold it back for now: they are shown beside it, and you are asked anyway.
 */
export function widened(before: Capabilities, after: Capabilities, held: Capabilities = after): Capability[] {
  const known = new Set(before.list.map(identityOf));
  const more = after.list.filter((capability) => capability.kind !== "agent" && isPower(capability));
  const agents = [...after.agents].flatMap(([name, access]) =>
    widenedAgent(before.agents, name, access, held.agents.get(name)),
  );
  return sortCapabilities([...more.filter((capability) => !known.has(identityOf(capability))), ...agents]);
}

/** Reading a file of the project is what agents do all day. */
function isPower({ kind, detail }: Capability): boolean {
  return kind !== "file" || leadsOutside(detail);
}

/** Moving a power to another file of the same package adds none; a new script or server does. */
function identityOf({ kind, subject, detail }: Capability): string {
  const isAnywhere =
    kind === "shell" || kind === "code" || kind === "hook" || kind === "file" || kind === "plugin-code";
  if (isAnywhere) return JSON.stringify([kind, detail]);
  const isMark = kind === "mcp" || kind === "substitution" || kind === "hidden";
  return JSON.stringify([kind, isMark ? subject.replace(BUNDLE_HASH, "") : subject, detail]);
}

/** Bundlers put a hash into the names of files, as in `plugin-CIbXl4ah.js`: the same file has a new one in each release. */
const BUNDLE_HASH = /-(?=[\w-]*[A-Z0-9])[\w-]{8}(?=\.[cm]?js$)/;

function widenedAgent(
  before: ReadonlyMap<string, AgentAccess>,
  name: string,
  access: AgentAccess,
  held: AgentAccess = access,
): Capability[] {
  const was = before.get(name);
  // A new agent that may do no more than one that the user already has accepted is no new power.
  const isKnown = was === undefined && [...before.values()].some((known) => widenedAccess(known, access).length === 0);
  if (isKnown) return [];
  if (was === undefined) return [{ kind: "agent", subject: name, detail: `new: ${describeAccess(held)}` }];
  return widenedAccess(was, access, held).map((detail) => ({ kind: "agent", subject: name, detail }));
}
