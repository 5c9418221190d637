import { shellWord } from "@atomic/terminal/shell-words";
import type { Registers } from "@atomic/workflows/internal/hugo-lock/registers";
import type { Approval, Choice, Context } from "../../context.ts";
import { chooseName, type DeliveryOptions, decide, installedAs } from "../../delivery/decide.ts";
import { type Delivered, type DeliveryDecision, deliveredBy, withRegisters } from "../../delivery/decision.ts";
import { entriesElsewhere } from "../../delivery/plugin-delivery.ts";
import { agentLimit } from "../../delivery/user-permission.ts";
import { HugoError } from "../../errors.ts";
import type { Capability } from "../../packages/capability.ts";
import { partsOf } from "../../packages/collection.ts";
import { contentAmounts, versionLabel } from "../../packages/labels.ts";
import { checkPrefix, withoutPrefix } from "../../packages/prefix.ts";
import { type ContentNames, namesIn, withoutStopped } from "../../packages/resolved-package.ts";
import {
  checkSelection,
  isCollection,
  refuseNothing,
  selectContents,
  selectedWords,
  selectionIn,
} from "../../packages/selection.ts";
import { checkWorkflowName } from "../../packages/workflow-name.ts";
import { reportHash } from "../../report-hash.ts";
import { compareVersions } from "../../sources/registry/version.ts";
import { installApproval, modelsInUse } from "../../trust/approval-request.ts";
import { askApproval } from "../../trust/ask-approval.ts";
import { type Candidate, capabilitiesOf, type InstallTerms } from "../../trust/candidate.ts";
import {
  aboutReplaced,
  areSameDependencies,
  dependencyNotes,
  newDependencies,
  replacedDependencies,
} from "../../trust/changed-dependencies.ts";
import type { Collision } from "../../trust/collisions.ts";
import { collisionsOf } from "../../trust/existing-claims.ts";
import { fetchCandidate } from "../../trust/fetch-candidate.ts";
import { lockedTerms } from "../../trust/installed-version.ts";
import { leftBehind } from "../../trust/left-behind.ts";
import { poisonedCache } from "../../trust/poisoned-cache.ts";
import { probeRegisters, unlistedEntry } from "../../trust/probe-registers.ts";
import { type Decide, fetchThenChange, previewChange } from "../../workspace/change.ts";
import { refuseBlockedCheck } from "../../workspace/check-file.ts";
import { type ChangeSummary, type DraftView, WorkspaceDraft } from "../../workspace/draft.ts";
import { isAboutPackageFiles } from "../../workspace/error-in-folder.ts";
import { folderLabel, inScope, placeFor, portablePath } from "../../workspace/place.ts";
import { candidateSpec, commandFor, type Request, targetOf, typedSource } from "../../workspace/request.ts";
import { refuseUnsafeConfig } from "../../workspace/safe-place.ts";
import { readSettings } from "../../workspace/settings.ts";
import type { Workspace } from "../../workspace/snapshot.ts";
import type { ReportFolders } from "./file-outcomes.ts";
import type { CommonInput } from "./hugo-command.ts";
import { acceptingNote, amongOthers, type Failed, failureOf } from "./notes.ts";
import { typedFolder } from "./short-paths.ts";
import type { ReportedWorkflow } from "./workflow-status.ts";

export interface InstallResult extends ChangeSummary, ReportFolders {
  readonly verb: "install" | "adopt";
  readonly workflows: readonly Installed[];
  /** With `isolated`: what could not be installed, and why. */
  readonly failed: readonly Failed[];
  /** The user has not yet seen what the packages can do. */
  readonly isUnseen: boolean;
  /** The user wants to see each capability. */
  readonly isDetailed: boolean;
  /** What the question has shown, and is not repeated. */
  readonly shown: readonly string[];
}

/** A package to install, and how. */
export interface WantedPackage extends Pick<DeliveryOptions, "parts"> {
  readonly request: Request;
  /** Whatever the newest one is. */
  readonly exactly?: { readonly version: string };
}

/** Installs packages in one change. @param choose Which ones, on what is there when the change is decided. */
export async function installPackages(
  context: Context,
  input: InstallInput & { readonly isolated?: boolean },
  verb: "install" | "adopt",
  choose: (workspace: Workspace) => Promise<readonly WantedPackage[]>,
): Promise<InstallResult> {
  const { global, dryRun } = input;
  const place = placeFor(context, { global });
  // Whatever is installed, and before anything is fetched.
  if (input.prefix !== undefined) checkPrefix(input.prefix);
  if (input.select !== undefined) selectedWords(input.select);
  const installAll: Decide<InstallResult> = async (workspace) => {
    const draft = new WorkspaceDraft(workspace);
    const workflows: Installed[] = [];
    const failed: Failed[] = [];
    const notices: string[] = [];
    const questions: string[] = [];
    refuseBlockedCheck(place);
    const wanted = await choose(workspace);
    for (const each of wanted) {
      const scope = { context, input, workspace, view: draft };
      const outcome = await installOne(scope, each, verb).catch((error) => {
        if (wanted.length === 1) throw error;
        if (input.isolated !== true || !(error instanceof HugoError)) throw named(error, each.request);
        const { source, recorded } = each.request;
        failed.push(failureOf(source.kind === "registry" ? source.name : recorded, error));
        return undefined;
      });
      if (outcome === undefined) continue;
      draft.apply(outcome.decision);
      workflows.push(outcome.installed);
      notices.push(...outcome.notices);
      questions.push(...(outcome.shown ?? []));
    }
    const title = `${verb} ${workflows.map(({ name, version }) => `${name} ${versionLabel(version)}`).join(", ")}`;
    const reports = workflows.map(({ report }) => report);
    const about = {
      dryRun,
      folder: folderLabel(place),
      typedFolder: typedFolder(context, place),
      checkFile: draft.checkFile,
      place,
      notices: [...new Set([...workspace.notices, ...notices, ...acceptingNote(context, input, reports)])],
    };
    const shown = { isUnseen: input.yes !== false || dryRun, isDetailed: input.details, shown: questions };
    const unchanged = amongOthers(failed, !dryRun && workflows.length > 0);
    return { changes: draft.changes(title), result: { verb, workflows, failed: unchanged, ...shown, ...about } };
  };
  return await (dryRun
    ? previewChange(place, installAll)
    : fetchThenChange(place, `hugo ${verb}`, installAll, { signal: context.signal }));
}

/** With several packages, an error in a package's files has to name the package. */
function named(error: unknown, { source: from, recorded }: Request): unknown {
  const source = from.kind === "registry" ? from.name : recorded;
  const isFolder = from.kind === "file" && from.form === "folder";
  if (isFolder && isAboutPackageFiles(error)) return error;
  // Subclasses carry more than can be copied here, and their messages name the package.
  if (!(error instanceof HugoError) || error.constructor !== HugoError || error.message.includes(source)) return error;
  const { code, message, at, hint, parts } = error;
  return new HugoError(code, {
    message: `${source}: ${message}`,
    at,
    hint,
    parts: parts.map((part) => ({ ...part, at: `${source}/${part.at}` })),
    cause: error,
  });
}

export interface InstallInput extends CommonInput {
  readonly force: boolean;
  readonly replace: boolean;
  readonly allowNew: boolean;
  readonly details: boolean;
  readonly as: string | undefined;
  readonly prefix: string | undefined;
  /** Comma-separated names. */
  readonly select: string | undefined;
}

interface Installed extends ReportedWorkflow, ContentNames, Delivered {
  readonly isAgain: boolean;
  /** The hash of the report that was or would be shown; missing if this content was already approved. */
  readonly report?: string;
  /** What OpenCode says that a plugin without a manifest adds. */
  readonly registers?: Registers;
  /** What it can do; the user approved it. */
  readonly capabilities: readonly Capability[];
  readonly collisions: readonly Collision[];
}

interface Outcome {
  readonly decision: DeliveryDecision;
  readonly installed: Installed;
  readonly notices: readonly string[];
  /** What the question has shown of it. */
  readonly shown?: readonly string[];
}

export interface InstallScope<Input> {
  readonly context: Context;
  readonly input: Input;
  readonly workspace: Workspace;
  /** The workspace, with earlier decisions applied. */
  readonly view: DraftView;
}

async function installOne(
  scope: InstallScope<InstallInput>,
  { request, exactly, parts }: WantedPackage,
  verb: InstallResult["verb"],
): Promise<Outcome> {
  const { context, input, workspace, view } = scope;
  const { source } = request;
  const wanted = input.as === undefined ? undefined : checkWorkflowName(input.as);
  // A registry package's name is known before it is fetched.
  if (source.kind === "registry") chooseName(view, request, { name: wanted, packageName: source.name }, input);
  const { models } = readSettings(view.place);
  const terms = (packageName: string): InstallTerms => {
    const name = chooseName(view, request, { name: wanted, packageName }, input);
    const before = view.lock.workflows.get(installedAs(view.lock, view.place, request) ?? "");
    const kept = before?.delivery.kind === "copy" ? before.delivery.prefix : undefined;
    const prefix = input.prefix ?? kept;
    const recorded = before === undefined ? undefined : lockedTerms(name, before).recorded;
    return { name, prefix, models, recorded };
  };
  const present = view.lock.workflows.get(installedAs(view.lock, view.place, request) ?? "");
  const fetching = {
    ...{ context, workspace, allowNew: input.allowNew, terms, known: present?.dependencies },
    ...(exactly !== undefined && { exactly }),
  };
  return await fetchCandidate(request, fetching, async (fetched) => {
    const { workflow, packageName } = fetched.candidate;
    const { prefix } = terms(packageName);
    refuseTerms(view, fetched.candidate, input);
    const selection = await selectionFor(scope, request, fetched.candidate, prefix);
    const candidate = selectContents(fetched.candidate, selection);
    const options: DeliveryOptions = {
      source: request.recorded,
      target: targetOf(request, workflow, packageName, view.lock),
      folder: fetched.folder,
      isEnabled: true,
      modified: "merge",
      restoreDeleted: true,
      prefix,
      ...(parts !== undefined && { parts }),
      ...(selection !== undefined && { selection }),
    };
    const decision = decide(view, candidate, options);
    for (const path of decision.configs.keys()) refuseUnsafeConfig(view.place, path);
    const deliverable = withoutStopped(candidate, decision.stopped);
    refuseNothing(deliverable, { ...options, stopped: decision.stopped });
    const limit = agentLimit(view, candidate);
    const capabilities = capabilitiesOf(deliverable, limit).list;
    const known = view.lock.workflows.get(deliverable.workflow);
    const described: Installed = {
      name: deliverable.workflow,
      package: deliverable.packageName,
      source: request.recorded,
      version: deliverable.version,
      delivery: deliverable.manifest.delivery.kind,
      isAgain: known !== undefined,
      ...namesIn(deliverable.manifest),
      capabilities,
      collisions: collisionsOf(workspace, deliverable),
      ...deliveredBy(view, decision, options.target),
    };
    // OpenCode recognizes the same name, but not the same package under two paths.
    const twice = deliverable.manifest.delivery.kind === "plugin" ? entriesElsewhere(view, options.target) : [];
    const isOther = known !== undefined && installedAs(view.lock, view.place, request) === undefined;
    const isOlder =
      known !== undefined &&
      !isOther &&
      source.kind === "registry" &&
      compareVersions(deliverable.version, known.version) < 0;
    // Only a replaced release has the version that was installed, and other bytes.
    const isReplaced =
      known?.tree !== undefined &&
      !isOther &&
      source.kind !== "file" &&
      known.version === deliverable.version &&
      known.tree !== deliverable.hash;
    const unusual = isReplaced
      ? "its content has changed since it was installed, though its version has not"
      : aboutReplaced(replacedDependencies(known?.dependencies, deliverable.dependencies));
    const detailed = dependencyNotes(deliverable.workflow, known?.dependencies, deliverable.dependencies);
    const asides = [
      ...modelsInUse(decision, deliverable.workflow),
      ...fetched.notices,
      ...(source.kind === "registry" ? poisonedCache(context, deliverable) : []),
    ];
    const notices = [
      ...(isReplaced
        ? [`Its content has changed since it was installed, though its version has not: it was ${known.tree}.`]
        : []),
      ...(isOlder ? [`It is older than ${versionLabel(known.version)}, which it replaces.`] : []),
      ...leftBehind(deliverable, selection),
      ...detailed.map(({ summary }) => summary),
      ...twice.map(({ file, spec }) => {
        const at = portablePath(view.place, file);
        return `OpenCode will load ${deliverable.workflow} twice, because ${at} lists ${spec}. Remove that entry, or do not install it here.`;
      }),
      ...(isOther ? [`${deliverable.workflow} replaces the workflow of that name from ${known.source}.`] : []),
    ];
    // The user approved exactly this content when it was first installed.
    const added = newDependencies(known?.dependencies, deliverable.dependencies);
    // Hugo would load the new code of a dependency to see what the plugin registers.
    const isProbed =
      unlistedEntry(deliverable, known) !== undefined &&
      !areSameDependencies(known?.dependencies, deliverable.dependencies);
    const isSame = known?.tree === deliverable.hash && selection?.join() === known.selection?.join();
    const isApproved = isSame && added.length === 0 && !isProbed;
    // `hugo info` of an installed name shows what is installed.
    const isInstalledName = [...view.lock.workflows].some(([name, each]) =>
      [name, each.package].includes(request.recorded),
    );
    const spec = isInstalledName ? candidateSpec(request, deliverable.version) : request.recorded;
    const approval = installApproval(deliverable, {
      ...{ request, verb, ...described, asides, notices, detailed },
      terms: { place: view.place, limit, selection, prefix, parts },
    });
    const installed: Installed = { ...described, ...(!isApproved && { report: reportHash(approval) }) };
    const approve = async (request: Approval): Promise<void> => {
      const shown = { ...request, isDetailed: input.details };
      const part = input.select === undefined ? "" : `--select ${shellWord(input.select)}`;
      const review = commandFor(view.place, "info", spec, part);
      const how = { yes: input.yes, look: `Review the package with ${review}`, unusual };
      await workspace.once(`approve ${JSON.stringify(request)}`, async () => await askApproval(context, shown, how));
    };
    if (input.dryRun) return { decision, installed, notices: [...asides, ...notices] };
    if (!isApproved) await approve(approval);
    const probing = { context, workspace, staged: fetched.staged, before: known, approve };
    const probed = await probeRegisters(probing, deliverable);
    await fetched.keep();
    return {
      decision: withRegisters(decision, deliverable.workflow, probed.registers),
      installed: { ...installed, ...(probed.registers !== undefined && { registers: probed.registers }) },
      notices: [...asides, ...notices, ...probed.notices],
      shown:
        isApproved || input.yes !== false
          ? []
          : [...asides, ...notices, ...described.collisions.map(({ message }) => message)],
    };
  });
}

/** Refuses options that do not work for this package. */
function refuseTerms(
  { lock, place }: DraftView,
  { workflow, packageName, manifest }: Candidate,
  { prefix, replace }: InstallInput,
): void {
  const before = lock.workflows.get(workflow);
  const isPlugin = manifest.delivery.kind === "plugin";
  if (prefix !== undefined && isPlugin) {
    throw new HugoError("no-workflow", {
      message: `${packageName} is a plugin: its code names its agents and commands, so --prefix cannot change them`,
      hint: "Install it without --prefix. Nothing was changed.",
    });
  }
  if (prefix !== undefined && (manifest.workflows ?? []).length > 0) {
    throw new HugoError("no-workflow", {
      message: `${packageName} contains workflows that call its agents by name, so --prefix would break them`,
      hint: "Install it without --prefix. Nothing was changed.",
    });
  }
  if (!replace || before === undefined || (!isPlugin && before.delivery.kind === "copy")) return;
  throw new HugoError("name-taken", {
    message: `--replace works only between packages whose files are copied, and ${isPlugin ? packageName : workflow} is a plugin`,
    hint: inScope(place, `Remove the installed one first: \`hugo remove ${workflow}\`. Nothing was changed.`),
  });
}

/** What to install of the package; undefined for everything. */
async function selectionFor(
  { context, input, workspace, view }: InstallScope<InstallInput>,
  { source, recorded }: Request,
  candidate: Candidate,
  prefix: string | undefined,
): Promise<readonly string[] | undefined> {
  const { packageName, tree } = candidate;
  // Users choose by the package's own names.
  const manifest = withoutPrefix(candidate.manifest, prefix);
  const prefixed = (selection: readonly string[] | undefined): readonly string[] | undefined =>
    prefix === undefined
      ? selection
      : selection?.map((path) => path.replace(/^(?:agents|commands|skills)\//, `$&${prefix}-`));
  if (input.select !== undefined)
    return prefixed(selectionIn(input.select, { manifest, packageName }, typedSource(view.place, recorded)));
  const known = view.lock.workflows.get(installedAs(view.lock, view.place, { source }) ?? "");
  // Installing it again does not change what was chosen.
  if (known !== undefined) return known.selection;
  if (!isCollection(manifest)) return undefined;
  const parts = partsOf(manifest, tree);
  const choice: Choice = {
    title: `Choose what to install from ${recorded}`,
    items: parts.map(({ kind, name, selector, contents, description }) => ({
      value: selector,
      group: `${kind}s`,
      label: name,
      detail: [contents, description].filter(Boolean).join(": "),
    })),
  };
  const ask = async () => (await context.user.choose?.(choice)) ?? "nobody";
  const chosen = await workspace.once(`choose ${recorded}`, ask);
  if (chosen === "cancelled" || chosen.length === 0) {
    throw new HugoError("declined", { message: "Nothing was chosen", hint: "Nothing was changed." });
  }
  if (chosen !== "nobody") return prefixed(checkSelection(chosen, manifest, typedSource(view.place, recorded)));
  const [example] = parts;
  throw new HugoError("choice-needed", {
    message: `${recorded} is a collection (${contentAmounts(manifest)}): choose what to install`,
    hint: `See what it offers: ${commandFor(view.place, "info", recorded)}. Then name what you want: ${commandFor(view.place, "install", recorded, `--select ${shellWord(example?.name ?? "name")}`)}. You can name several, with commas or patterns; \`--select '*'\` installs everything. Nothing was changed.`,
  });
}
