import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Context } from "../context.ts";
import { type DeliveryOptions, decide, refuseInstalled } from "../delivery/decide.ts";
import { type Delivered, type DeliveryDecision, deliveredBy } from "../delivery/decision.ts";
import { agentLimit } from "../delivery/user-permission.ts";
import { HugoError } from "../errors.ts";
import { contentAmounts, versionLabel } from "../packages/labels.ts";
import {
  type ContentNames,
  checkSelection,
  namesIn,
  selectContents,
  withoutStopped,
} from "../packages/resolved-package.ts";
import { workflowNameOf } from "../packages/workflow-name.ts";
import { installApproval } from "../trust/approval-request.ts";
import { askApproval } from "../trust/ask-approval.ts";
import { type Candidate, capabilitiesUnder } from "../trust/candidate.ts";
import type { Capability } from "../trust/capabilities/capability.ts";
import type { Collision } from "../trust/collisions.ts";
import { collisionsOf } from "../trust/existing-claims.ts";
import { fetchCandidate } from "../trust/fetch-candidate.ts";
import { change, type Decide, rehearse } from "../workspace/change.ts";
import { type ChangeSummary, folderLabel } from "../workspace/change-draft.ts";
import { Draft, type DraftView } from "../workspace/draft.ts";
import { isAboutPackageFiles } from "../workspace/error-in-folder.ts";
import { placeFor } from "../workspace/place.ts";
import { type Request, requestOf, targetOf } from "../workspace/request.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import { asDelivered, titledCapabilities } from "./report/capabilities.ts";
import { formatOutcomes, outcomeWarnings, type ReportFolders, translationWarnings } from "./report/file-outcomes.ts";
import { summaryNotes, warning } from "./shared/notes.ts";
import type { CommonInput, InputOf, Operation } from "./shared/operation.ts";
import { typedFolder } from "./shared/typed-path.ts";

const args = {
  spec: { count: "some", summary: "npm name, name@range, github:org/repo#tag, git+https://…, ./folder or ./file.tgz" },
} as const;

const options = {
  force: { kind: "flag", summary: "Install again: restores deleted files, keeps local edits" },
  allowNew: { kind: "flag", summary: "Accept a version that was published only a short while ago" },
  select: {
    kind: "text",
    value: "names",
    summary: "Copy only these parts of a package that is not a plugin: agents/reviewer,commands/review",
  },
} as const;

interface InstallResult extends ChangeSummary, ReportFolders {
  readonly workflows: readonly Installed[];
  /** Nobody was shown what the packages can do before. */
  readonly isUnseen: boolean;
}

export const install: Operation<typeof args, typeof options, InstallResult> = {
  name: "install",
  aliases: ["i"],
  summary: "Install workflows, after showing what they can do",
  details: "They are enabled right away, and hugo.json records exactly what was installed.",
  arguments: args,
  options,
  examples: [
    { command: "hugo install @some-org/code-review", shows: "the newest version from the npm registry" },
    { command: "hugo i @some-org/code-review@^2.0.0", shows: "the newest 2.x; updates stay in the range" },
    { command: "hugo i github:org/code-review#v1.0.0", shows: "a tag in a repository" },
    { command: "hugo i ./code-review --dry-run", shows: "what a folder on this machine would do" },
  ],
  mutates: true,
  run,
  report: {
    text: (result, page) => result.workflows.map((workflow) => sheet(workflow, result, page)).join(""),
    notes,
    json: ({ workflows, dryRun, notices }) => ({ dryRun, workflows, notices }),
    exitCode: () => 0,
  },
};

async function run(context: Context, input: InputOf<typeof args, typeof options>): Promise<InstallResult> {
  const { global, dryRun } = input;
  // Also what nobody would be asked about: another version of a file that is there is a decision, too.
  if (!dryRun) context.person.refuseAgent?.("hugo install");
  const place = placeFor(context, { global });
  const requests = input.spec.map((spec) => requestOf(spec, context, place));
  const installAll: Decide<InstallResult> = async (workspace) => {
    const draft = new Draft(workspace);
    const workflows: Installed[] = [];
    const notices: string[] = [];
    for (const request of requests) {
      const scope = { context, input, workspace, view: draft };
      const outcome = await installOne(scope, request).catch((error) => {
        throw requests.length === 1 ? error : named(error, request);
      });
      draft.apply(outcome.decision);
      workflows.push(outcome.installed);
      notices.push(...outcome.notices);
    }
    const title = `install ${workflows.map(({ name, version }) => `${name} ${versionLabel(version)}`).join(", ")}`;
    const about = {
      dryRun,
      folder: folderLabel(place),
      typedFolder: typedFolder(context, place),
      notices: [...workspace.notices, ...notices],
    };
    return { changes: draft.changes(title), result: { workflows, isUnseen: input.yes || dryRun, ...about } };
  };
  return await (dryRun
    ? rehearse(place, installAll)
    : change(place, "hugo install", installAll, { signal: context.signal }));
}

/** Of several packages, an error in the files of one has to say whose they are. */
function named(error: unknown, { source: from, recorded }: Request): unknown {
  const source = from.kind === "registry" ? from.name : recorded;
  const isFolder = from.kind === "file" && from.form === "folder";
  if (isFolder && isAboutPackageFiles(error)) return error;
  // Subclasses carry more than can be copied here, and their messages name the package.
  if (!(error instanceof HugoError) || error.constructor !== HugoError || error.message.includes(source)) return error;
  const { code, message, at, hint, parts } = error;
  return new HugoError(code, {
    message: `${source}: ${message}`,
    ...(at !== undefined && { at }),
    hint,
    parts: parts.map((part) => ({ ...part, at: `${source}/${part.at}` })),
    cause: error,
  });
}

interface InstallInput extends CommonInput {
  readonly force: boolean;
  readonly allowNew: boolean;
  /** Names with commas between them. */
  readonly select: string | undefined;
}

interface Installed extends ContentNames, Delivered {
  readonly name: string;
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  readonly isAgain: boolean;
  /** What it can do; somebody agreed to it. */
  readonly capabilities: readonly Capability[];
  readonly collisions: readonly Collision[];
}

interface Outcome {
  readonly decision: DeliveryDecision;
  readonly installed: Installed;
  readonly notices: readonly string[];
}

export interface InstallScope<Input> {
  readonly context: Context;
  readonly input: Input;
  readonly workspace: Workspace;
  /** The workspace, with what was decided before. */
  readonly view: DraftView;
}

async function installOne(scope: InstallScope<InstallInput>, request: Request): Promise<Outcome> {
  const { context, input, workspace, view } = scope;
  refuseBeforeFetching(view, request, input);
  return await fetchCandidate(request, { context, workspace, allowNew: input.allowNew }, async (fetched) => {
    refuseInstalled(view, fetched.candidate, input);
    const selection = selectionOf(input.select, fetched.candidate);
    const candidate = selectContents(fetched.candidate, selection);
    const options: DeliveryOptions = {
      source: request.recorded,
      target: targetOf(request, candidate.packageName),
      code: fetched.code,
      isEnabled: true,
      modified: "merge",
      restoreDeleted: true,
      ...(selection !== undefined && { selection }),
    };
    const decision = decide(view, candidate, options);
    const arriving = {
      ...withoutStopped(candidate, decision.stopped),
      capabilities: capabilitiesUnder(agentLimit(view, fetched.candidate), fetched.candidate),
    };
    const installed = { ...installedOf(scope, request, arriving), ...deliveredBy(view, decision, options.target) };
    await agreeTo(scope, request, arriving, { ...installed, notices: fetched.notices });
    await fetched.keep();
    return { decision, installed, notices: fetched.notices };
  });
}

function installedOf(
  { workspace, view }: InstallScope<unknown>,
  request: Request,
  candidate: Candidate,
): Omit<Installed, keyof Delivered> {
  return {
    name: candidate.workflow,
    package: candidate.packageName,
    source: request.recorded,
    version: candidate.version,
    delivery: candidate.manifest.delivery.kind,
    isAgain: view.lock.workflows.has(candidate.workflow),
    ...namesIn(candidate.manifest),
    capabilities: candidate.capabilities.list,
    collisions: collisionsOf(workspace, candidate),
  };
}

async function agreeTo(
  { context, input, view }: InstallScope<InstallInput>,
  request: Request,
  candidate: Candidate,
  facts: Pick<Installed, "collisions" | "stopped"> & { readonly notices: readonly string[] },
): Promise<void> {
  // Somebody agreed to this very content when it was installed first.
  const isKnown = view.lock.workflows.get(candidate.workflow)?.tree === candidate.hash;
  if (input.dryRun || isKnown) return;
  const look = `See what it can do with hugo info ${request.recorded}`;
  await askApproval(context, installApproval(candidate, { request, ...facts }), { yes: input.yes, look });
}

/** Of the registry the name is known before anything is fetched. */
function refuseBeforeFetching(view: DraftView, { source }: Request, input: InstallInput): void {
  if (source.kind !== "registry") return;
  refuseInstalled(view, { workflow: workflowNameOf(source.name), packageName: source.name }, input);
}

function selectionOf(select: string | undefined, { manifest, packageName }: Candidate): readonly string[] | undefined {
  if (select === undefined) return undefined;
  if (manifest.delivery.kind === "plugin") {
    const hint = "Install it without --select, and disable single agents in opencode.json.";
    throw new HugoError("no-workflow", {
      message: `${packageName} is a plugin, which cannot be installed in part`,
      hint,
    });
  }
  const names = select.split(",").map((name) => name.trim());
  return checkSelection(
    names.filter((name) => name !== ""),
    manifest,
  );
}

function sheet(installed: Installed, { folder, isUnseen, dryRun }: InstallResult, page: Page): string {
  const { name, version, isAgain, entries, files, capabilities } = installed;
  const done = dryRun ? "Would install" : isAgain ? "Reinstalled" : "Installed";
  const added = files.filter(({ verdict }) => verdict === "added");
  return [
    paragraph(safe`workflow "${name}" ${versionLabel(version)} (${contentAmounts(installed)})`, page, {
      lead: `${painter(page.colour)("green", done)} `,
      indent: "  ",
    }),
    ...entries.map(({ file, spec }) => paragraph(safe`${spec} in ${file}`, page, { lead: "  ", indent: "    " })),
    added.length > 0 ? `  ${count(added.length, "file")} in ${folder}\n` : "",
    formatOutcomes(
      files.filter(({ verdict }) => verdict !== "added"),
      page,
    ),
    isUnseen ? titledCapabilities(asDelivered(capabilities, installed.delivery), { isMore: false }, page) : "",
  ].join("");
}

function notes(result: InstallResult, page: Page): string {
  const { workflows, dryRun } = result;
  return [
    ...workflows.flatMap((workflow) => [
      ...workflow.collisions.map(({ message }) => warning(message, page)),
      outcomeWarnings(workflow.files, { ...result, source: workflow.source }, page),
      translationWarnings(workflow, page),
    ]),
    ...summaryNotes(result, page),
    dryRun ? "" : paragraph("Restart OpenCode to use what was installed.", page, { indent: "" }),
  ].join("");
}
