import { join } from "node:path";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import type { Context } from "../../context.ts";
import type { OpencodeAnswers } from "../../opencode/query-opencode.ts";
import { type Claim, lockedContent, workflowClaimant } from "../../trust/collisions/claim.ts";
import { type Collision, findCollisions } from "../../trust/collisions.ts";
import { existingClaims, shownPath } from "../../trust/existing-claims.ts";
import { inScope } from "../../workspace/in-scope.ts";
import type { Place } from "../../workspace/place.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import { actualWinner, collisionFinding, type OwnEntities } from "./collision-findings.ts";
import { absentFiles } from "./copied-findings.ts";
import type { HealthFinding, LoadState, WorkflowHealth } from "./finding.ts";
import { integrityFindings } from "./integrity.ts";
import { type LoadedFrom, loadedFrom, versionIn } from "./loaded-from.ts";
import { pinFindings } from "./pin-findings.ts";
import { registeredFindings } from "./registered-findings.ts";
import { whyNotLoaded } from "./why-not-loaded.ts";

export interface HealthCheck {
  readonly context: Context;
  readonly snapshot: Snapshot;
  readonly claims: readonly Claim[];
  /** Undefined if OpenCode could not be asked. */
  readonly answers?: OpencodeAnswers;
}

export function startHealthCheck(
  context: Context,
  snapshot: Snapshot,
  answers: OpencodeAnswers | undefined,
): HealthCheck {
  return { context, snapshot, claims: existingClaims(snapshot), ...(answers !== undefined && { answers }) };
}

/** Everything that can be known about one installed workflow. */
export async function checkWorkflow(examination: HealthCheck, name: string): Promise<WorkflowHealth> {
  const { context, snapshot } = examination;
  const locked = snapshot.lock.workflows.get(name)!;
  const entries = snapshot.entriesOf(name).flatMap((entry) => loadedFrom(entry, context) ?? []);
  const from = entries.at(-1);
  const state = await stateOf(examination, name, from);
  const present = from === undefined ? undefined : versionIn(from.folder);
  const own = ownEntities(examination, locked, from);
  return {
    workflow: name,
    package: locked.package,
    version: locked.version,
    delivery: locked.delivery.kind,
    state,
    findings: forScope(snapshot.place, [
      ...pinFindings(snapshot.place, { name, locked, entries, ...(present !== undefined && { present }) }),
      ...integrityFindings(snapshot, name, { locked, from }),
      ...(state.kind === "loaded" ? missing(examination, name, own) : []),
      ...collisions(examination, name, own),
    ]),
  };
}

function forScope(place: Place, findings: readonly HealthFinding[]): HealthFinding[] {
  return findings.map((finding) => ({ ...finding, hint: inScope(place, finding.hint) }));
}

async function stateOf(
  { snapshot, answers, claims }: HealthCheck,
  name: string,
  from: LoadedFrom | undefined,
): Promise<LoadState> {
  if (!snapshot.isEnabled(name)) return { kind: "disabled" };
  if (answers === undefined) return { kind: "unknown" };
  const locked = snapshot.lock.workflows.get(name)!;
  if (locked.delivery.kind === "copy") return { kind: "loaded" };
  if (from === undefined) return { kind: "unknown" };
  const because = await whyNotLoaded(answers, { name, locked, from, claims });
  if (because !== undefined) return { kind: "not-loaded", because };
  const version = versionIn(from.folder);
  return { kind: "loaded", ...(version !== undefined && { version }) };
}

interface Own extends OwnEntities {
  readonly diagnostics: ReturnType<typeof readWorkflow>["diagnostics"];
}

/** What the workflow's own files say: those that OpenCode loads, or those that were copied for it. */
function ownEntities({ snapshot }: HealthCheck, { delivery }: LockedWorkflow, from: LoadedFrom | undefined): Own {
  const root = delivery.kind === "copy" ? snapshot.place.folder : from?.folder;
  if (root === undefined) return { agents: {}, commands: {}, skillFolders: [], diagnostics: [] };
  const { agents, commands, diagnostics } = readWorkflow(root);
  return { agents, commands, skillFolders: ["skills", "skill"].map((name) => join(root, name)), diagnostics };
}

function missing({ answers, snapshot }: HealthCheck, name: string, { diagnostics }: Own): HealthFinding[] {
  if (answers === undefined) return [];
  const locked = snapshot.lock.workflows.get(name)!;
  const absent = locked.delivery.kind === "copy" ? absentFiles(snapshot, name, locked.delivery) : new Set<string>();
  return registeredFindings(locked, answers.registered, { diagnostics, absent });
}

function collisions({ snapshot, claims, answers }: HealthCheck, name: string, own: Own): HealthFinding[] {
  const locked = snapshot.lock.workflows.get(name)!;
  const isEnabled = snapshot.isEnabled(name);
  return predicted(snapshot, name, locked, claims).map((collision) => {
    const isSeen = isEnabled && answers !== undefined;
    return collisionFinding(
      name,
      collision,
      isSeen ? actualWinner(name, collision, own, answers.registered) : undefined,
    );
  });
}

function predicted(snapshot: Snapshot, name: string, locked: LockedWorkflow, claims: readonly Claim[]): Collision[] {
  const own = ownPlaces(snapshot.place, locked.delivery);
  return findCollisions(
    workflowClaimant(snapshot, name, locked),
    lockedContent(locked),
    claims.filter((claim) => claim.by.kind !== "file" || !own.has(claim.by.path)),
  );
}

/** What lies in the very place of a copied file is a finding about that file. */
function ownPlaces(place: Place, delivery: LockedWorkflow["delivery"]): Set<string> {
  const destinations = delivery.kind === "copy" ? [...delivery.files.keys()] : [];
  return new Set(destinations.map((path) => shownPath(place, join(place.folder, path))));
}
