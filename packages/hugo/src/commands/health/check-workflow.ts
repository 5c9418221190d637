import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import type { Diagnostic } from "@atomic/workflows/internal/entities/diagnostic";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import type { Context } from "../../context.ts";
import { partOf } from "../../opencode/config-files.ts";
import { ignoredName, type LoadedFrom, loadedFrom, versionIn } from "../../opencode/loaded-from.ts";
import { opencodeVersion } from "../../opencode/opencode.ts";
import { findEntry, problemOfLoading } from "../../opencode/opencode-entry.ts";
import type { OpencodeAnswers, Registered } from "../../opencode/query-opencode.ts";
import { type ContentType, usualPath } from "../../packages/manifest/content.ts";
import { type Claim, lockedContent, workflowClaimant } from "../../trust/collisions/claim.ts";
import { findCollisions } from "../../trust/collisions.ts";
import { shownPath, withoutTwins } from "../../trust/existing-claims.ts";
import { inScope } from "../../workspace/place.ts";
import type { WorkspaceSnapshot } from "../../workspace/snapshot.ts";
import { actualWinner, collisionFinding } from "./collision-findings.ts";
import { type HealthFinding, type LoadState, problem, type WorkflowHealth } from "./finding.ts";
import { absentFiles, integrityFindings } from "./integrity.ts";
import { pinFindings } from "./pin-findings.ts";

export interface HealthCheck {
  readonly context: Context;
  readonly snapshot: WorkspaceSnapshot;
  readonly claims: readonly Claim[];
  /** Undefined if OpenCode could not be asked. */
  readonly answers: OpencodeAnswers | undefined;
}

/** Everything that can be known about one installed workflow. */
export async function checkWorkflow(examination: HealthCheck, name: string): Promise<WorkflowHealth> {
  const { context, snapshot, answers, claims } = examination;
  const locked = snapshot.lock.workflows.get(name)!;
  const entries = snapshot.entriesOf(name).flatMap((entry) => loadedFrom(entry, context) ?? []);
  const from = entries.findLast(({ entry }) => partOf(entry.file) === "server");
  const drawn = entries.findLast(({ entry }) => partOf(entry.file) === "tui");
  const state = await stateOf(examination, name, from);
  const present = from === undefined ? undefined : versionIn(from.folder);
  // What the workflow's own files say: those that OpenCode loads, or the copied ones.
  const root = locked.delivery.kind === "copy" ? snapshot.place.folder : from?.folder;
  const { agents, commands, diagnostics } =
    root === undefined
      ? { agents: {}, commands: {}, diagnostics: [] }
      : readWorkflow(root, { isUnlisted: locked.delivery.kind === "copy" });
  const skillFolders = root === undefined ? [] : ["skills", "skill"].map((folder) => join(root, folder));
  const copied = locked.delivery.kind === "copy" ? locked.delivery : undefined;
  const absent = copied === undefined ? new Set<string>() : absentFiles(snapshot, name, copied);
  // A file in the place of a copied file is a finding about that file.
  const ownPlaces = [...(copied?.files.keys() ?? [])].map((path) =>
    shownPath(snapshot.place, join(snapshot.place.folder, path)),
  );
  const disk = snapshot.disk(copied?.files.keys() ?? []);
  const others = withoutTwins(
    claims.filter(({ by }) => by.kind !== "file" || !ownPlaces.includes(by.path)),
    (destination) => disk.get(destination)?.bytes,
  );
  const isSeen = snapshot.isEnabled(name) && answers !== undefined;
  return {
    workflow: name,
    package: locked.package,
    version: locked.version,
    delivery: locked.delivery.kind,
    state,
    findings: [
      ...(["server", "tui"] as const).flatMap((part) => {
        const ofPart = entries.filter(({ entry }) => partOf(entry.file) === part);
        return pinFindings(snapshot.place, {
          name,
          locked,
          entries: ofPart,
          ...(present !== undefined && { present }),
        });
      }),
      ...integrityFindings(snapshot, name, { locked, from: from ?? drawn }),
      ...(state.kind === "loaded" && answers !== undefined
        ? registeredFindings(locked, answers.registered, { diagnostics, absent })
        : []),
      ...findCollisions(workflowClaimant(snapshot, name, locked), lockedContent(locked), others).map((collision) => {
        const own = { agents, commands, skillFolders };
        const seen = isSeen ? actualWinner(name, collision, own, answers.registered) : undefined;
        return collisionFinding(name, collision, seen);
      }),
    ].map((finding) => ({ ...finding, hint: inScope(snapshot.place, finding.hint) })),
  };
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

interface Suspect {
  readonly name: string;
  readonly locked: LockedWorkflow;
  readonly from: LoadedFrom;
  readonly claims: readonly Claim[];
}

/** Undefined if OpenCode runs it. OpenCode does not report most failures, so Hugo has to find them. */
async function whyNotLoaded(answers: OpencodeAnswers, suspect: Suspect): Promise<string | undefined> {
  const { name, locked, from, claims } = suspect;
  const ignored = ignoredName(from.entry.spec);
  if (ignored !== undefined) return `OpenCode ignores ${ignored}, because it has that built in`;
  const { registered } = answers;
  const logged = answers.failed.get(from.shownAs) ?? answers.failed.get(from.entry.spec);
  if (logged !== undefined) return logged;
  const isOnlyOurs = (type: Claim["type"], entity: string): boolean =>
    claims.every((claim) => {
      const isOwn = claim.by.kind === "workflow" && claim.by.workflow === name;
      return isOwn || claim.type !== type || claim.name !== entity;
    });
  // Something is loaded that only this workflow provides.
  const isProven =
    locked.agents.some((agent) => registered.agents.has(agent) && isOnlyOurs("agent", agent)) ||
    locked.commands.some((command) => registered.commands.has(command) && isOnlyOurs("command", command)) ||
    registered.skillPaths.some((path) => path.startsWith(from.folder + sep));
  if (isProven) return undefined;
  if (!existsSync(from.folder)) {
    return from.isPath
      ? `${from.folder} does not exist`
      : `OpenCode could not install "${from.entry.spec}" from the registry`;
  }
  const entry = findEntry(from.folder, from);
  if (entry.kind === "none") return entry.because;
  const version = entry.engineRange === undefined || from.isPath ? undefined : await opencodeVersion(answers.opencode);
  return await problemOfLoading(answers.opencode, {
    entry: entry.url,
    isPath: from.isPath,
    ...(version !== undefined && entry.engineRange !== undefined && { engine: { range: entry.engineRange, version } }),
  });
}

/**
 * What a workflow lists and OpenCode does not have; the reason, if its file shows one.
 *
 * @param absent Files that are known to be missing.
 */
export function registeredFindings(
  names: Pick<LockedWorkflow, "agents" | "commands" | "skills" | "selection">,
  registered: Registered,
  { diagnostics, absent }: { readonly diagnostics: readonly Diagnostic[]; readonly absent: ReadonlySet<string> },
): HealthFinding[] {
  const lists: [ContentType, readonly string[], ReadonlyMap<string, unknown>][] = [
    ["agent", names.agents, registered.agents],
    ["command", names.commands, registered.commands],
    ["skill", names.skills, registered.skills],
  ];
  const missing = lists.flatMap(([type, listed, present]) =>
    listed
      .filter((name) => names.selection === undefined || names.selection.includes(`${type}s/${name}`))
      .filter((name) => !present.has(name))
      .map((name) => ({ type, name, file: `${usualPath(type, name)}${type === "skill" ? "/SKILL.md" : ""}` })),
  );
  const unexplained = missing.filter(({ file }) => !absent.has(file));
  return unexplained.map(({ type, name, file }) => {
    const reason = diagnostics.find(({ severity, path }) => severity === "error" && path?.endsWith(file));
    const message = `The ${type} "${name}" is listed, but OpenCode did not load it`;
    if (reason === undefined)
      return problem(
        "not-registered",
        message,
        "Report it to the workflow's author; `hugo build --check` reproduces it.",
      );
    const place = [file, reason.line, reason.column].filter((part) => part !== undefined).join(":");
    return problem(
      "not-registered",
      `${message}: ${place} ${reason.message}`,
      reason.hint ?? "Report it to the workflow's author.",
    );
  });
}
