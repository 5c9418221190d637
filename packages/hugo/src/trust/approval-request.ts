// What the user sees before anything is written.

import { count } from "@atomic/terminal/count";
import type { Approval, ApprovalNote } from "../context.ts";
import type { StoppedFile } from "../delivery/translate/package-translation.ts";
import type { Capability } from "../packages/capability.ts";
import { CODE_ONLY, contentAmounts, versionLabel, versionStep } from "../packages/labels.ts";
import type { Request } from "../workspace/request.ts";
import type { Candidate } from "./candidate.ts";
import { releasesIn } from "./changed-dependencies.ts";
import type { Collision } from "./collisions.ts";

interface InstallFacts {
  readonly request: Request;
  readonly verb: "install" | "adopt";
  /** What fetching it revealed. */
  readonly notices: readonly string[];
  /** Those of the notices that have more to say. */
  readonly detailed: readonly Exclude<ApprovalNote, string>[];
  readonly collisions: readonly Collision[];
  readonly stopped: readonly StoppedFile[];
  readonly capabilities: readonly Capability[];
}

/** Lists everything the package can do. */
export function installApproval(
  candidate: Candidate,
  { request, verb, notices, detailed, collisions, stopped, capabilities }: InstallFacts,
): Approval {
  const { workflow, version, manifest } = candidate;
  const isPlugin = manifest.delivery.kind === "plugin";
  const way = isPlugin ? "loaded by OpenCode as a plugin" : "copied to OpenCode's folders";
  const amounts = contentAmounts(manifest);
  const isOnlyPlugin = manifest.from === "opencode-plugin";
  return {
    title: `${verb === "adopt" ? "Adopt" : "Install"} ${workflow} ${versionLabel(version)} from ${request.recorded}`,
    content: candidate.hash,
    dependencies: releasesIn(candidate.dependencies),
    capabilities,
    notes: [
      isOnlyPlugin ? "An OpenCode plugin." : amounts === CODE_ONLY ? CODE : `${amounts}, ${way}.`,
      ...identityOf(candidate),
      ...(capabilities.length === 0 ? ["It contains only text for a model."] : []),
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
  const names = [...new Set(facts.map(([name]) => name))];
  const more = names.length > MOST_FACTS ? ` and ${names.length - MOST_FACTS} more` : "";
  return [{ summary: `${count(names.length, one, many)}: ${names.slice(0, MOST_FACTS).join(", ")}${more}`, all }];
}

interface UpdateFacts {
  readonly before: string;
  readonly more: readonly Capability[];
  readonly notices: readonly string[];
  readonly detailed: readonly Exclude<ApprovalNote, string>[];
}

/** Lists only what the new version can do and the installed one could not; with nothing, only its code is new. */
export function updateApproval(candidate: Candidate, { before, more, notices, detailed }: UpdateFacts): Approval {
  const { workflow, version } = candidate;
  const why =
    more.length > 0 ? "which can do more than before" : "whose new code OpenCode loads once to see what it registers";
  return {
    title: `Update ${workflow} ${versionStep(before, version)}, ${why}`,
    content: candidate.hash,
    dependencies: releasesIn(candidate.dependencies),
    capabilities: more,
    isMore: true,
    notes: [...identityOf(candidate), ...withDetails(notices, detailed)],
  };
}

function withDetails(notices: readonly string[], detailed: InstallFacts["detailed"]): ApprovalNote[] {
  return notices.map((notice) => {
    const note = detailed.find(({ summary, all }) => summary === notice && all.join() !== summary);
    return note ?? notice;
  });
}

/** What OpenCode says about a new version of a plugin that does not list what it adds. */
export function registersApproval(
  candidate: Candidate,
  { before, entry, more }: { readonly before: string; readonly entry: string; readonly more: string },
): Approval {
  const { workflow, version } = candidate;
  return {
    title: `Update ${workflow} ${versionStep(before, version)}, which registers more than before`,
    content: candidate.hash,
    dependencies: releasesIn(candidate.dependencies),
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
