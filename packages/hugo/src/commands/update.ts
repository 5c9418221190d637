import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Approval } from "../context.ts";
import { decide } from "../delivery/decide.ts";
import { type DeliveryDecision, deliveredBy, withBases, withRegisters } from "../delivery/decision.ts";
import { entriesByName, entriesFor } from "../delivery/plugin-delivery.ts";
import { agentLimit } from "../delivery/user-permission.ts";
import { HugoError } from "../errors.ts";
import type { Capability } from "../packages/capability.ts";
import { versionLabel } from "../packages/labels.ts";
import { partsIn } from "../packages/manifest.ts";
import { withoutStopped } from "../packages/resolved-package.ts";
import { refuseNothing, selectContents } from "../packages/selection.ts";
import { reportHash } from "../report-hash.ts";
import { latestCommit } from "../sources/git/fetch-commit.ts";
import { compareVersions } from "../sources/registry/version.ts";
import { modelsInUse, updateApproval } from "../trust/approval-request.ts";
import { askApproval } from "../trust/ask-approval.ts";
import { type Candidate, capabilitiesOf, type InstallTerms } from "../trust/candidate.ts";
import { changedCode, describeChangedCode } from "../trust/capabilities/changed-code.ts";
import { widened } from "../trust/capabilities.ts";
import {
  aboutReplaced,
  areSameDependencies,
  dependencyNotes,
  newDependencies,
  replacedDependencies,
} from "../trust/changed-dependencies.ts";
import { namesTaken } from "../trust/collisions.ts";
import { collisionsOf } from "../trust/existing-claims.ts";
import { fetchCandidate } from "../trust/fetch-candidate.ts";
import { lockedTerms, readInstalledVersion } from "../trust/installed-version.ts";
import { leftBehind } from "../trust/left-behind.ts";
import { probeRegisters, unlistedEntry } from "../trust/probe-registers.ts";
import { type Decide, fetchThenChange, previewChange } from "../workspace/change.ts";
import { refuseBlockedCheck } from "../workspace/check-file.ts";
import { WorkspaceDraft } from "../workspace/draft.ts";
import { folderLabel, inScope, placeFor, type WorkspacePlace } from "../workspace/place.ts";
import { candidateSpec, commandFor, lockedRequest, type Request, targetOf } from "../workspace/request.ts";
import { refuseUnsafeConfig } from "../workspace/safe-place.ts";
import { readSettings } from "../workspace/settings.ts";
import { findWorkflows } from "./shared/find-workflows.ts";
import { type CommonInput, type HugoCommand, yesToReports } from "./shared/hugo-command.ts";
import type { InstallScope } from "./shared/install-packages.ts";
import { acceptingNote, amongOthers, type Failed, failureOf } from "./shared/notes.ts";
import { typedFolder } from "./shared/short-paths.ts";
import { type Current, type Updated, type UpdateResult, updateReport } from "./shared/update-report.ts";

const args = { name: { count: "many", summary: "Workflow names (default: all)" } } as const;

const options = {
  skipModified: { kind: "flag", summary: "Leave locally edited files unchanged instead of merging" },
  allowNew: { kind: "flag", summary: "Accept recently published versions" },
  details: { kind: "flag", summary: "List every capability instead of a summary" },
  exitCode: { kind: "flag", summary: "Exit with 1 if a file could not be updated because of your edits" },
  yes: yesToReports as typeof yesToReports,
} as const;

export const update: HugoCommand<typeof args, typeof options, UpdateResult> = {
  name: "update",
  summary: "Update workflows and merge new versions with your edits",
  details:
    "If a new version can do more than the installed one, Hugo first shows you what is new. All updates count as one change, so a single `hugo undo` reverts them; workflows that cannot be updated are left unchanged.",
  arguments: args,
  options,
  examples: [
    { command: "hugo update", shows: "every workflow, within the range, tag or branch it was installed with" },
    { command: "hugo update code-review --dry-run", shows: "what an update would do to each file" },
    { command: "hugo update --exit-code", shows: "for a pipeline: exit code 1 if your edits conflict" },
    { command: "hugo update code-review --skip-modified", shows: "leaves files with local edits unchanged" },
  ],
  mutates: true,
  run: async (context, input) => {
    const { global, dryRun } = input;
    if (!dryRun) context.user.refuseAgent?.("hugo update");
    const place = placeFor(context, { global });
    const updateAll: Decide<UpdateResult> = async (workspace) => {
      const { lock } = workspace;
      const names = input.name.length > 0 ? findWorkflows(lock, input.name) : [...lock.workflows.keys()].sort();
      const draft = new WorkspaceDraft(workspace);
      refuseBlockedCheck(place, lock);
      const result = { updated: [] as Updated[], current: [] as Current[], failed: [] as Failed[] };
      const notices: string[] = [];
      const shown: string[] = [];
      for (const name of names) {
        const before = lock.workflows.get(name)!;
        try {
          const outcome = await updateOne({ context, input, workspace, view: draft }, name, before);
          notices.push(...outcome.notices);
          if (outcome.kind === "current") result.current.push({ name, version: before.version });
          else {
            draft.apply(outcome.decision);
            result.updated.push(outcome.updated);
            shown.push(...outcome.shown);
          }
        } catch (error) {
          // One failure must not keep the others from being updated.
          if (!(error instanceof HugoError)) throw error;
          result.failed.push(failureOf(name, error));
        }
      }
      const failed = amongOthers(result.failed, !dryRun && result.updated.length > 0);
      const reports = result.updated.map(({ report }) => report);
      const title = `update ${result.updated.map(({ name, to }) => `${name} ${versionLabel(to)}`).join(", ")}`;
      const about = {
        dryRun,
        isUnseen: input.yes !== false || dryRun,
        isStrict: input.exitCode,
        isDetailed: input.details,
        shown,
        folder: folderLabel(place),
        typedFolder: typedFolder(context, place),
        checkFile: draft.checkFile,
        place,
        notices: [...new Set([...workspace.notices, ...notices, ...acceptingNote(context, input, reports)])],
      };
      return { changes: draft.changes(title), result: { ...result, failed, ...about } };
    };
    return await (dryRun
      ? previewChange(place, updateAll)
      : fetchThenChange(place, "hugo update", updateAll, { signal: context.signal }));
  },
  report: updateReport,
};

interface UpdateInput extends CommonInput {
  readonly skipModified: boolean;
  readonly allowNew: boolean;
  readonly details: boolean;
}

type Outcome =
  | {
      readonly kind: "updated";
      readonly decision: DeliveryDecision;
      readonly updated: Updated;
      readonly notices: readonly string[];
      /** What the question has shown of them. */
      readonly shown: readonly string[];
    }
  /** Nothing newer exists, or it is too new to install. */
  | { readonly kind: "current"; readonly notices: readonly string[] };

async function updateOne(scope: InstallScope<UpdateInput>, name: string, before: LockedWorkflow): Promise<Outcome> {
  const request = lockedRequest(before, scope.view.place);
  const { source } = request;
  // The latest commit is known without fetching it.
  const isSameCommit = source.kind === "git" && (await latestCommit(source, scope.context)) === before.version;
  // Its dependencies may have newer versions.
  if (isSameCommit && before.dependencies === undefined) {
    const used = before.delivery.kind === "copy" ? (before.delivery.models ?? new Map<string, string>()) : new Map();
    const { models } = readSettings(scope.view.place);
    const now = new Map([...used.keys()].flatMap((name) => (models.has(name) ? [[name, models.get(name)!]] : [])));
    return { kind: "current", notices: aboutModels(scope.view.place, name, before, now) };
  }
  try {
    return await receiveUpdate(scope, request, name, before);
  } catch (error) {
    // The newest release is too new: wait.
    if (!(error instanceof HugoError && error.code === "release-too-new")) throw error;
    return { kind: "current", notices: [`${error.message}. ${error.hint}`] };
  }
}

/** Settings that changed since a version was installed reach its files only if it is installed again. */
function aboutModels(
  place: WorkspacePlace,
  name: string,
  { delivery, source }: LockedWorkflow,
  now: ReadonlyMap<string, string>,
): string[] {
  if (delivery.kind !== "copy") return [];
  const was = delivery.models ?? new Map<string, string>();
  const isSame = was.size === now.size && [...now].every(([model, chosen]) => was.get(model) === chosen);
  if (isSame) return [];
  return [
    `${name} does not use your current model settings yet. To apply them: ${commandFor(place, "install --force", source)}`,
  ];
}

async function receiveUpdate(
  scope: InstallScope<UpdateInput>,
  request: Request,
  name: string,
  before: LockedWorkflow,
): Promise<Outcome> {
  const { context, input, workspace, view } = scope;
  const prefix = before.delivery.kind === "copy" ? before.delivery.prefix : undefined;
  const { models } = readSettings(view.place);
  const terms = (): InstallTerms => ({ name, prefix, models, recorded: lockedTerms(name, before).recorded });
  const fetching = { context, workspace, terms, allowNew: input.allowNew, known: before.dependencies };
  return await fetchCandidate(request, fetching, async (fetched) => {
    const candidate = selectContents(fetched.candidate, before.selection);
    refuseOther(view.place, name, before, candidate, request);
    // An update never downgrades: the installed version may be newer than the minimum age allows.
    const isAsLocked = areSameDependencies(before.dependencies, candidate.dependencies);
    const isFolder = request.source.kind === "git" && request.source.folder !== undefined;
    const isCurrent =
      // A newer commit may not have touched the folder.
      candidate.version === before.version || (isFolder && candidate.hash === before.tree)
        ? candidate.hash === before.tree && isAsLocked && entriesByName(view, before).length === 0
        : request.source.kind === "registry" && compareVersions(candidate.version, before.version) < 0;
    if (isCurrent) {
      const now = candidate.translation.deliver(agentLimit(view, candidate), candidate.manifest).models;
      return { kind: "current", notices: [...fetched.notices, ...aboutModels(scope.view.place, name, before, now)] };
    }
    const known = await readInstalledVersion(context, workspace, name, before);
    const capabilities = capabilitiesOf(candidate);
    const isCompared = known.isGone === undefined;
    const code = isCompared
      ? describeChangedCode(changedCode(known.capabilities.files, capabilities.files))
      : `Hugo cannot compare it with ${versionLabel(before.version)}, which is neither in its store nor available any more.`;
    const detailed = dependencyNotes(name, before.dependencies ?? new Map(), candidate.dependencies);
    const notices = [
      ...leftBehind(candidate, before.selection),
      ...(code === undefined ? [] : [`${name}: ${code}`]),
      ...detailed.map(({ summary }) => summary),
    ];
    const target = targetOf(request, name, candidate.packageName, view.lock);
    const isEnabled = before.delivery.kind === "copy" ? !before.delivery.parked : entriesFor(view, target).length > 0;
    // A part that the installed version has, but that was not wanted, stays away.
    const used = (before.delivery.kind === "plugin" && before.delivery.parts) || ["server"];
    const parts = partsIn(candidate.manifest.delivery.kind === "plugin" ? candidate.manifest.delivery : {}).filter(
      (part) => used.includes(part) || !known.parts.includes(part),
    );
    const decision = decide(withBases(view, known.baseOf), candidate, {
      parts,
      source: before.source,
      target,
      folder: fetched.folder,
      isEnabled,
      modified: input.skipModified ? "skip" : "merge",
      restoreDeleted: false,
      wasExecutable: known.wasExecutable,
      prefix,
      ...(before.selection !== undefined && { selection: before.selection }),
    });
    for (const path of decision.configs.keys()) refuseUnsafeConfig(view.place, path);
    // Otherwise the update would remove everything.
    refuseNothing(withoutStopped(candidate, decision.stopped), { ...before, stopped: decision.stopped });
    const limit = agentLimit(view, candidate);
    const held = capabilitiesOf(candidate, limit);
    const wider = widened(known.capabilities, capabilities, held);
    const isListed = ({ kind, subject }: Capability): boolean =>
      wider.some((each) => each.kind === kind && each.subject === subject);
    const unusual = aboutReplaced(replacedDependencies(before.dependencies, candidate.dependencies));
    const added = newDependencies(before.dependencies, candidate.dependencies).filter((each) => !isListed(each));
    // Earlier collisions were reported at the installation.
    const collisions = collisionsOf(workspace, candidate).filter(
      ({ entity, name }) => !before[`${entity}s` as const].includes(name),
    );
    const more = [...wider, ...added, ...namesTaken(collisions)];
    const { selection } = before;
    const asides = [...modelsInUse(decision, name), ...fetched.notices];
    const approval = updateApproval(withoutStopped(candidate, decision.stopped), {
      ...{ request, before, isCompared, more, asides, notices, detailed },
      terms: { place: view.place, limit, selection, prefix, parts },
    });
    const approve = async (request: Approval): Promise<void> => {
      const shown = { ...request, isDetailed: input.details };
      const dry = context.user.again?.("--dry-run") ?? `hugo update ${name} --dry-run`;
      // What its code registers is known only after it was loaded.
      const isKnown = request === approval;
      const look = isKnown ? `Review the changes (\`${dry}\` shows them again)` : "Review what it registers";
      const ask = async () => await askApproval(context, shown, { yes: input.yes, look, unusual });
      await workspace.once(`approve ${JSON.stringify(request)}`, ask);
    };
    // An update that can do no more than was approved needs no question, unless Hugo has to run its code to know that.
    const isSameCode = candidate.hash === before.tree && isAsLocked;
    const isAsked = more.length > 0 || (!isSameCode && unlistedEntry(candidate, before) !== undefined);
    if (!input.dryRun && isAsked) await approve(approval);
    const probed = input.dryRun
      ? { notices: [] }
      : await probeRegisters({ context, workspace, staged: fetched.staged, before, approve }, candidate);
    await fetched.keep();
    const updated: Updated = {
      name,
      package: candidate.packageName,
      source: before.source,
      from: before.version,
      to: candidate.version,
      delivery: candidate.manifest.delivery.kind,
      isEnabled,
      isCompared,
      widened: more,
      ...(isAsked && { report: reportHash(approval) }),
      collisions: isEnabled ? collisions : [],
      ...deliveredBy(view, decision, target),
    };
    return {
      kind: "updated",
      decision: withRegisters(decision, name, probed.registers),
      updated,
      notices: [...asides, ...notices, ...probed.notices],
      shown: more.length > 0 && input.yes === false && !input.dryRun ? [...asides, ...notices] : [],
    };
  });
}

function refuseOther(
  place: WorkspacePlace,
  name: string,
  before: LockedWorkflow,
  candidate: Candidate,
  { source, recorded }: Request,
): void {
  if (candidate.packageName !== before.package) {
    throw new HugoError("name-taken", {
      message: `${recorded} now contains the package "${candidate.packageName}", but "${before.package}" was installed`,
      hint: inScope(
        place,
        `If you want the new package: \`hugo remove ${name}\`, then ${commandFor(place, "install", recorded)}.`,
      ),
    });
  }
  const isFixed = source.kind !== "file" && before.tree !== undefined;
  if (isFixed && candidate.version === before.version && candidate.hash !== before.tree) {
    throw new HugoError("integrity-mismatch", {
      message: `${before.package} ${before.version} no longer matches what was installed: its content has changed`,
      hint: `Review it first (${commandFor(place, "info", candidateSpec({ source, recorded }, candidate.version))}). To install it anyway: ${commandFor(place, "install --force", recorded)}.`,
    });
  }
}
