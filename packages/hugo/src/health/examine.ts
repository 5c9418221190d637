import { join } from "node:path";
import { readWorkflow } from "@atomic/workflows/plugin/read-workflow";
import { claimsAround } from "../arrive/claims-around.ts";
import type { Claim, WorkflowClaimant } from "../collisions/claim.ts";
import { type Collision, findCollisions } from "../collisions.ts";
import type { Context } from "../context.ts";
import type { LockedWorkflow } from "../lock-file/lock.ts";
import type { ContentEntity } from "../manifest/content.ts";
import { textOf } from "../package/tree.ts";
import { type Place, portablePath } from "../place.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import type { HealthFinding, LoadState, WorkflowHealth } from "./finding.ts";
import { integrityFindings, readStored } from "./integrity.ts";
import { type LoadedFrom, loadedFrom, versionIn } from "./loaded-from.ts";
import { pinFindings } from "./pin-findings.ts";
import { registeredFindings } from "./registered-findings.ts";
import type { Testimony } from "./testimony.ts";
import { whyNotLoaded } from "./why-not-loaded.ts";
import { collisionFinding, type OwnEntities, seenWinner } from "./winners.ts";

export interface Examination {
  readonly context: Context;
  readonly snapshot: Snapshot;
  readonly claims: readonly Claim[];
  /** Undefined if OpenCode could not be asked. */
  readonly testimony?: Testimony;
}

export function startExamination(context: Context, snapshot: Snapshot, testimony: Testimony | undefined): Examination {
  return { context, snapshot, claims: claimsAround(snapshot), ...(testimony !== undefined && { testimony }) };
}

/** Everything that can be known about one installed workflow. */
export async function examine(examination: Examination, name: string): Promise<WorkflowHealth> {
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
    findings: [
      ...pinFindings(snapshot.place, { name, locked, entries, ...(present !== undefined && { present }) }),
      ...integrityFindings(snapshot, name, { locked, from }),
      ...(state.kind === "loaded" ? missing(examination, locked, own) : []),
      ...collisions(examination, name, own),
    ],
  };
}

async function stateOf(
  { snapshot, testimony, claims }: Examination,
  name: string,
  from: LoadedFrom | undefined,
): Promise<LoadState> {
  if (!snapshot.isEnabled(name)) return { kind: "disabled" };
  if (testimony === undefined) return { kind: "unknown" };
  const locked = snapshot.lock.workflows.get(name)!;
  if (locked.delivery.kind === "copy") return { kind: "loaded" };
  if (from === undefined) return { kind: "unknown" };
  const because = await whyNotLoaded(testimony, { name, locked, from, claims });
  if (because !== undefined) return { kind: "not-loaded", because };
  const version = versionIn(from.folder);
  return { kind: "loaded", ...(version !== undefined && { version }) };
}

interface Own extends OwnEntities {
  readonly diagnostics: ReturnType<typeof readWorkflow>["diagnostics"];
}

/** What the workflow's own files say: those that OpenCode loads, or those that were copied for it. */
function ownEntities({ snapshot }: Examination, { delivery }: LockedWorkflow, from: LoadedFrom | undefined): Own {
  const root = delivery.kind === "copy" ? snapshot.place.folder : from?.folder;
  if (root === undefined) return { agents: {}, commands: {}, skillFolders: [], diagnostics: [] };
  const { agents, commands, diagnostics } = readWorkflow(root);
  return { agents, commands, skillFolders: ["skills", "skill"].map((name) => join(root, name)), diagnostics };
}

function missing({ testimony }: Examination, locked: LockedWorkflow, { diagnostics }: Own): HealthFinding[] {
  return testimony === undefined ? [] : registeredFindings(locked, testimony.registered, diagnostics);
}

function collisions({ snapshot, claims, testimony }: Examination, name: string, own: Own): HealthFinding[] {
  const locked = snapshot.lock.workflows.get(name)!;
  const isEnabled = snapshot.isEnabled(name);
  return predicted(snapshot, name, locked, claims).map((collision) => {
    const isSeen = isEnabled && testimony !== undefined;
    return collisionFinding(
      name,
      collision,
      isSeen ? seenWinner(name, collision, own, testimony.registered) : undefined,
    );
  });
}

function predicted(snapshot: Snapshot, name: string, locked: LockedWorkflow, claims: readonly Claim[]): Collision[] {
  const { delivery, agents, commands, skills } = locked;
  const by: WorkflowClaimant = {
    kind: "workflow",
    workflow: name,
    delivery: delivery.kind,
    yields: yields(snapshot, name),
  };
  const entities = (names: readonly string[]): ContentEntity[] => names.map((entity) => ({ name: entity, path: "" }));
  const content = { agents: entities(agents), commands: entities(commands), skills: entities(skills) };
  const own = ownPlaces(snapshot.place, delivery);
  return findCollisions(
    by,
    content,
    claims.filter((claim) => claim.by.kind !== "file" || !own.has(claim.by.path)),
  );
}

/** What lies in the very place of a copied file is a finding about that file. */
function ownPlaces(place: Place, delivery: LockedWorkflow["delivery"]): Set<string> {
  const destinations = delivery.kind === "copy" ? [...delivery.files.keys()] : [];
  return new Set(
    destinations.map((path) => (place.scope === "project" ? path : portablePath(place, join(place.folder, path)))),
  );
}

/** `defineWorkflow` leaves alone what is there already; of other code only OpenCode can tell. */
function yields(snapshot: Snapshot, name: string): boolean {
  const tree = readStored(snapshot, name);
  if (typeof tree === "string") return false;
  return [...tree.keys()].some(
    (path) => /\.[cm]?[jt]s$/.test(path) && /\bdefineWorkflow\s*\(/.test(textOf(tree, path) ?? ""),
  );
}
