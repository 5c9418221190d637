// What the user sees before anything is written.

import { count } from "@atomic/terminal/count";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Permission } from "@atomic/workflows/internal/permission/rules";
import type { Approval, ApprovalNote } from "../context.ts";
import type { DeliveryDecision } from "../delivery/decision.ts";
import type { FilesToDeliver, StoppedFile, TranslationNote } from "../delivery/translate/package-translation.ts";
import type { Capability } from "../packages/capability.ts";
import { hashOf } from "../packages/hash.ts";
import { CODE_ONLY, contentAmounts, namesLabel, versionLabel, versionStep } from "../packages/labels.ts";
import { partsIn } from "../packages/manifest.ts";
import { type ContentNames, namesIn } from "../packages/resolved-package.ts";
import type { WorkspacePlace } from "../workspace/place.ts";
import type { Request } from "../workspace/request.ts";
import type { Candidate } from "./candidate.ts";
import { releasesIn } from "./changed-dependencies.ts";
import type { Collision } from "./collisions.ts";

/** How OpenCode gets a package: what the user chose, here or in settings. */
interface DeliveryTerms {
  readonly place: Pick<WorkspacePlace, "scope">;
  /** See `agentLimit`. */
  readonly limit: Permission;
  readonly selection: readonly string[] | undefined;
  readonly prefix: string | undefined;
  /** Which parts of a plugin OpenCode loads; all if missing. */
  readonly parts: readonly string[] | undefined;
}

interface ReportFacts {
  readonly request: Request;
  readonly terms: DeliveryTerms;
  /** What fetching it revealed, and what else is about this machine or this moment. */
  readonly asides: readonly string[];
  readonly notices: readonly string[];
  /** Those of the notices that have more to say. */
  readonly detailed: readonly Exclude<ApprovalNote, string>[];
}

interface InstallFacts extends ReportFacts {
  readonly verb: "install" | "adopt";
  readonly collisions: readonly Collision[];
  readonly stopped: readonly StoppedFile[];
  readonly translated: readonly TranslationNote[];
  readonly capabilities: readonly Capability[];
}

/** Lists everything the package can do. */
export function installApproval(
  candidate: Candidate,
  { request, verb, terms, asides, notices, detailed, collisions, stopped, translated, capabilities }: InstallFacts,
): Approval {
  const { workflow, version, manifest } = candidate;
  const { delivered, lines } = deliveredOf(candidate, terms);
  const isPlugin = manifest.delivery.kind === "plugin";
  const way = isPlugin ? "loaded by OpenCode as a plugin" : "copied to OpenCode's folders";
  const amounts = contentAmounts(manifest);
  const isOnlyPlugin = manifest.from === "opencode-plugin";
  const facts: readonly ApprovalNote[] = [
    isOnlyPlugin ? "An OpenCode plugin." : amounts === CODE_ONLY ? CODE : `${amounts}, ${way}.`,
    ...lines,
    ...identityOf(candidate),
    ...(capabilities.length === 0 ? ["It contains only text for a model."] : []),
    ...asides,
    // The hashes of the delivered files already cover it.
    ...several(
      translated.map(({ source, message }) => {
        const alike = translated.filter((each) => each.message === message).map((each) => each.source);
        return [source, `Different in OpenCode: ${firstOf(alike)}: ${message}`];
      }),
      "file is different in OpenCode",
      "files are different in OpenCode",
    ),
  ];
  return {
    title: `${verb === "adopt" ? "Adopt" : "Install"} ${workflow} ${versionLabel(version)} from ${request.recorded}`,
    package: packageOf(candidate, request, { verb }),
    delivered,
    capabilities,
    asides: facts.map(summaryOf),
    notes: [
      ...facts,
      ...withDetails(notices, detailed),
      ...several(
        stopped.map(({ entity, because }) => [entity, `${entity} will be left out: ${because}`]),
        "part will be left out",
        "parts will be left out",
      ),
      ...several(
        collisions.map(({ name, message }) => [name, message]),
        "name is also taken by something else",
        "names are also taken by something else",
      ),
    ],
  };
}

const CODE = "An OpenCode plugin that lists no agents, skills or commands.";

/** More facts of one kind than this are summed up. */
const MOST_FACTS = 3;

function several(facts: readonly (readonly [name: string, fact: string])[], one: string, many: string): ApprovalNote[] {
  const all = [...new Set(facts.map(([, fact]) => fact))];
  if (all.length <= MOST_FACTS) return all;
  const names = facts.map(([name]) => name);
  return [{ summary: `${count(new Set(names).size, one, many)}: ${firstOf(names)}`, all }];
}

/** `a, b, c and 2 more`, each once. */
function firstOf(list: readonly string[]): string {
  const names = [...new Set(list)];
  const more = names.length > MOST_FACTS ? ` and ${names.length - MOST_FACTS} more` : "";
  return `${names.slice(0, MOST_FACTS).join(", ")}${more}`;
}

interface UpdateFacts extends ReportFacts {
  readonly before: LockedWorkflow;
  /** The installed version could be looked at; otherwise everything is listed. */
  readonly isCompared: boolean;
  readonly more: readonly Capability[];
}

/** Lists only what the new version can do and the installed one could not; with nothing, only its code is new. */
export function updateApproval(
  candidate: Candidate,
  { request, terms, before, isCompared, more, asides, notices, detailed }: UpdateFacts,
): Approval {
  const { workflow, version } = candidate;
  const { delivered, lines } = deliveredOf(candidate, terms, before);
  const adds = isCompared ? "which can do more than before" : "which cannot be compared with the installed version";
  const why = more.length > 0 ? adds : "whose new code OpenCode loads once to see what it registers";
  const facts: readonly ApprovalNote[] = [...lines, ...identityOf(candidate), ...asides];
  return {
    title: `Update ${workflow} ${versionStep(before.version, version)}, ${why}`,
    package: packageOf(candidate, request, { verb: "update", from: before.version }),
    delivered,
    capabilities: more,
    isMore: isCompared,
    asides: facts.map(summaryOf),
    notes: [...facts, ...withDetails(notices, detailed)],
  };
}

/** Where it is on this machine does not matter: its content is what is approved. */
function packageOf(
  { workflow, packageName, version, hash, dependencies }: Candidate,
  request: Request | undefined,
  what: { readonly verb: string; readonly from?: string },
): object {
  const source = request?.source.kind === "file" ? undefined : request?.recorded;
  return { ...what, workflow, package: packageName, version, source, content: hash, needs: releasesIn(dependencies) };
}

/** Which models the settings give to its files; empty if they give none. */
export function modelsInUse({ lock }: Pick<DeliveryDecision, "lock">, workflow: string): string[] {
  const delivery = lock.workflows.get(workflow)?.delivery;
  const models = delivery?.kind === "copy" ? (delivery.models ?? []) : [];
  const pairs = [...models].map((pair) => pair.join(" → ")).sort();
  return pairs.length === 0 ? [] : [`Models from hugo-settings.json: ${pairs.join(", ")}`];
}

/** What OpenCode gets, and the lines that say so. @param before Names that it has are not listed. */
function deliveredOf({ manifest, translation }: Candidate, terms: DeliveryTerms, before?: ContentNames) {
  const { place, limit, selection, prefix, parts } = terms;
  const { delivery } = manifest;
  const names = namesIn(manifest);
  // A plugin's files are all of the package's.
  const { files, models } = delivery.kind === "plugin" ? NO_COPIES : translation.deliver(limit, manifest);
  const delivered = {
    ...{ scope: place.scope, selection, prefix, names, models: [...models].sort() },
    parts: delivery.kind === "plugin" ? (parts ?? partsIn(delivery)) : [],
    files: [...files].map(([path, { bytes, executable }]) => [path, hashOf(bytes), executable]).sort(),
  };
  const lines: ApprovalNote[] = [];
  const label = before === undefined ? "Names" : "New names";
  const { short, all } = namesLabel(names, before);
  if (short !== all) lines.push({ summary: `${label}: ${short}`, all: [`${label}: ${all}`] });
  else if (all !== "") lines.push(`${label}: ${all}`);
  if (place.scope === "global") lines.push("For all your projects (-g)");
  return { delivered, lines };
}

const NO_COPIES: Pick<FilesToDeliver, "files" | "models"> = { files: new Map(), models: new Map() };

function summaryOf(note: ApprovalNote): string {
  return typeof note === "string" ? note : note.summary;
}

function withDetails(notices: readonly string[], detailed: InstallFacts["detailed"]): ApprovalNote[] {
  return notices.map((notice) => {
    const note = detailed.find(({ summary, all }) => summary === notice && all.join() !== summary);
    return note ?? notice;
  });
}

interface RegistersFacts extends Pick<WorkspacePlace, "scope"> {
  readonly before: string;
  readonly entry: string;
  readonly more: string;
}

/** What OpenCode says about a new version of a plugin that does not list what it adds. */
export function registersApproval(candidate: Candidate, { scope, before, entry, more }: RegistersFacts): Approval {
  const { workflow, version } = candidate;
  return {
    title: `Update ${workflow} ${versionStep(before, version)}, which registers more than before`,
    package: packageOf(candidate, undefined, { verb: "load", from: before }),
    delivered: { scope },
    capabilities: [{ kind: "registers", subject: entry, detail: more }],
    isMore: true,
    notes: identityOf(candidate),
  };
}

/** Exactly what is approved; without a period that might be copied, too. */
function identityOf({ version, hash }: Candidate): string[] {
  const isShort = versionLabel(version) === `v${version}`;
  return [...(isShort ? [] : [`Commit ${version}`]), `Hash ${hash}`];
}
