import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import { moveToStore } from "../delivery/plugin-delivery.ts";
import { type Drift, findDrift, planRestoration, type Restoration } from "../delivery/restore.ts";
import { HugoError } from "../errors.ts";
import { versionLabel } from "../packages/labels.ts";
import { describeDependencies } from "../trust/changed-dependencies.ts";
import { fetchLocked, lockedTranslation, storedIfComplete } from "../trust/installed-version.ts";
import { type Decide, fetchThenChange, previewChange } from "../workspace/change.ts";
import { type CheckChange, checkStatus, refuseBlockedCheck } from "../workspace/check-file.ts";
import { type ChangeSummary, WorkspaceDraft } from "../workspace/draft.ts";
import { finishMerge } from "../workspace/finish-merge.ts";
import { folderLabel, inScope, placeFor, portablePath } from "../workspace/place.ts";
import { commandFor } from "../workspace/request.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { errorOf, exitCodeOf, type Failed, failureOf, summaryNotes } from "./shared/notes.ts";

const options = { strict: { kind: "flag", summary: "Also treat local edits to copied files as differences" } } as const;

interface Restored {
  readonly name: string;
  readonly version: string;
  /** The package was fetched again; otherwise it was in the store, unchanged. */
  readonly isFetched: boolean;
  /** Missing files, below OpenCode's folder. */
  readonly files: readonly string[];
  /** Files with local edits, which stay as they are. */
  readonly edited: readonly string[];
}

interface CiResult extends ChangeSummary {
  readonly workflows: readonly Restored[];
  /** Where lock, configs and files disagree. If there are any, no project file was changed. */
  readonly differences: readonly Drift[];
  /** Packages that are not, or no longer, what the lock says. */
  readonly failed: readonly Failed[];
}

export const ci: HugoCommand<Record<never, never>, typeof options, CiResult> = {
  name: "ci",
  summary: "Restore exactly what hugo.json records, or fail",
  details:
    "For fresh clones and CI: if anything conflicts with hugo.json, Hugo reports it and changes nothing. During a merge, it first merges hugo.json if git could not.",
  arguments: {},
  options,
  examples: [
    { command: "hugo ci", shows: "after a clone, restores packages, merge bases and missing files" },
    { command: "hugo ci --dry-run", shows: "what is missing or differs from hugo.json" },
  ],
  mutates: true,
  run: async (context, { global, dryRun, strict }) => {
    const place = placeFor(context, { global });
    const merged = dryRun ? [] : await finishMerge(context, place);
    const restore: Decide<CiResult> = async (workspace) => {
      const { lock } = workspace;
      const notices = [...merged, ...workspace.notices];
      if (lock.workflows.size === 0) {
        throw new HugoError("not-installed", {
          message: "hugo.json lists no workflows, so there is nothing to restore",
          at: place.lockFile,
          hint: "Run `hugo ci` in a project with a hugo.json, or add -g to use your own OpenCode config.",
        });
      }
      const draft = new WorkspaceDraft(workspace);
      refuseBlockedCheck(place, lock);
      const [workflows, failed, changed]: [Restored[], Failed[], string[]] = [[], [], []];
      for (const name of [...lock.workflows.keys()].sort()) {
        const locked = lock.workflows.get(name)!;
        try {
          const { isFetched, files, bases, edited, baseless, now } = await restoreOne(context, workspace, name, locked);
          const configs = moveToStore(draft, name, now, locked);
          draft.apply({ lock: { ...lock, workflows: new Map([[name, now]]) }, configs, files, bases });
          if (now !== locked) {
            changed.push(`hugo.json now records the dependencies of ${name}.`);
            changed.push(...describeDependencies(name, undefined, now.dependencies));
          }
          for (const { path, next } of baseless) {
            const version = versionLabel(locked.version);
            const gone = `The original content of ${folderLabel(place)}/${path} is gone, and ${name} ${version} does not contain it.`;
            notices.push(`${gone} Next: ${next}.`);
          }
          for (const file of configs.keys()) changed.push(movedNotice(name, portablePath(place, file)));
          workflows.push({ name, version: locked.version, isFetched, files: files.map(({ path }) => path), edited });
        } catch (error) {
          // Users who repair it need all failures at once.
          if (!(error instanceof HugoError)) throw error;
          failed.push(failureOf(name, error));
        }
      }
      const kept = keptCheck(workspace);
      const differences = [
        ...findDrift(draft),
        ...(strict
          ? workflows.flatMap(({ name, edited }) =>
              edited.map((path) => ({
                workflow: name,
                message: `${path} has local edits`,
                hint: `\`hugo diff ${name}\``,
              })),
            )
          : []),
        ...(strict && kept !== undefined ? [keptDifference(kept)] : []),
      ];
      const forScope = <Each extends { readonly hint: string }>(list: readonly Each[]): Each[] =>
        list.map((each) => ({ ...each, hint: inScope(place, each.hint) }));
      const contradictions = { differences: forScope(differences), failed: forScope(failed) };
      const isRefused = differences.length + failed.length > 0;
      if (!isRefused) notices.push(...changed);
      const checkFile = isRefused ? undefined : (draft.checkFile ?? kept);
      const result = { workflows, ...contradictions, dryRun, folder: folderLabel(place), checkFile, notices };
      return { changes: isRefused ? undefined : draft.changes("ci"), result };
    };
    if (dryRun) return await previewChange(place, restore);
    try {
      return await fetchThenChange(place, "hugo ci", restore, { signal: context.signal });
    } catch (error) {
      // Such as an opencode.json with the same unfinished merge: hugo.json is already right.
      if (!(error instanceof HugoError) || merged.length === 0) throw error;
      const { code, message, at, hint } = error;
      throw new HugoError(code, { message, at, hint: `${hint} ${merged.join(" ")}`, cause: error });
    }
  },
  report: {
    text: (result, page) =>
      result.workflows
        .map(({ name, version, isFetched, files, edited }) => {
          const isRefused = result.differences.length + result.failed.length > 0;
          const paint = painter(page.colour);
          const facts = [
            isFetched ? `package ${result.dryRun ? "would be fetched" : "fetched"}` : "package already present",
            ...(files.length > 0
              ? [`${count(files.length, "file")} ${isRefused || result.dryRun ? "missing" : "restored"}`]
              : []),
            ...(edited.length > 0 ? [`${count(edited.length, "file")} with local edits kept`] : []),
          ];
          const text = safe`${name} ${versionLabel(version)} (${facts.join(", ")})`;
          const isDifferent = result.differences.some(({ workflow }) => workflow === name);
          const mark = isDifferent ? paint("red", "✗") : paint("green", "✓");
          return paragraph(text, page, { lead: `${mark} `, indent: "  " });
        })
        .join(""),
    notes: (result, page) => {
      const { differences, failed } = result;
      const red = painter(page.colour);
      const problems = [
        ...differences.map(({ workflow, message, hint }) => ({ workflow, message, hint: `Next: ${hint}.` })),
        ...failed.map(({ name, message, hint }) => ({ workflow: name, message, hint })),
      ];
      return [
        ...problems.map(({ workflow, message, hint }) =>
          [
            paragraph(safeLine(message), page, { lead: `${red("red", safe`${workflow}:`)} `, indent: "  " }),
            paragraph(safeLine(hint), page, { lead: "  ", indent: "  " }),
          ].join(""),
        ),
        problems.length > 0
          ? paragraph(`${summary(result)}; no project files were changed.`, page, { indent: "" })
          : "",
        ...summaryNotes(result, page),
      ].join("");
    },
    json: ({ workflows, differences, failed, dryRun, checkFile, notices }) => ({
      dryRun,
      workflows,
      differences,
      failed,
      checkFile,
      notices,
    }),
    exitCode: ({ differences, failed }) => {
      const isDrift = differences.length > 0 || failed.some(({ code }) => code === "integrity-mismatch");
      return isDrift ? 1 : exitCodeOf(failed);
    },
    error: ({ differences, failed }) => {
      const [first, ...others] = differences;
      if (first === undefined) return errorOf(failed, "was not restored");
      const { workflow, message, hint } = first;
      if (others.length === 0) return { code: "drift", message: `${workflow}: ${message}`, hint: `Next: ${hint}.` };
      const names = [...new Set(differences.map((each) => each.workflow))].join(", ");
      const found = `${count(differences.length, "difference")} from hugo.json in ${names}`;
      return { code: "drift", message: found, hint: "See `differences` for what to do about each one." };
    },
  },
};

function keptCheck(workspace: Workspace): CheckChange | undefined {
  const check = checkStatus(workspace);
  // Anything in its way was refused before.
  if (check?.state !== "modified" && check?.state !== "foreign") return undefined;
  return { path: check.path, did: "kept", because: check.state };
}

function keptDifference({ path, because }: CheckChange): Drift {
  const isEdited = because === "modified";
  const message = `${path} ${isEdited ? "has local edits" : "was not written by Hugo"}`;
  const hint = `${isEdited ? "delete it" : "move it somewhere else"}, then run \`hugo ci\``;
  return { workflow: "hugo-check.js", message, hint };
}

/** `1 difference, and 2 workflows were not restored`. */
function summary({ differences, failed }: CiResult): string {
  const found = count(differences.length, "difference");
  if (failed.length === 0) return found;
  const unrestored = `${count(failed.length, "workflow")} ${failed.length === 1 ? "was" : "were"} not restored`;
  return differences.length === 0 ? unrestored : `${found}, and ${unrestored}`;
}

function movedNotice(name: string, file: string): string {
  return `The entry for ${name} in ${file} now points to the package in Hugo's store, so OpenCode no longer fetches it by itself.`;
}

/** Takes the package from the store if it is unchanged; otherwise fetches it, compares it with the lock, and keeps it. */
async function restoreOne(
  context: Context,
  workspace: Workspace,
  name: string,
  locked: LockedWorkflow,
): Promise<Restoration & { readonly isFetched: boolean; readonly now: LockedWorkflow }> {
  const { delivery } = locked;
  const stored = storedIfComplete(workspace, name, locked);
  const isFetched = stored === undefined;
  const { translation, dependencies } =
    stored !== undefined
      ? { translation: lockedTranslation(stored, locked), dependencies: locked.dependencies }
      : await fetchLocked(context, workspace, name, locked, async ({ candidate, keep }) => {
          await keep();
          return candidate;
        });
  // Earlier versions of Hugo did not record dependencies.
  const isNew = locked.dependencies === undefined && dependencies !== undefined;
  const now = isNew ? { ...locked, dependencies } : locked;
  if (delivery.kind === "plugin") return { isFetched, now, files: [], bases: [], edited: [], lost: [], baseless: [] };
  const plan = planRestoration(workspace, name, delivery, translation);
  if (plan.lost.length === 0) return { isFetched, now, ...plan };
  throw new HugoError("integrity-mismatch", {
    message: `The locked version does not contain the source of ${plan.lost.join(", ")}`,
    hint: `Restore the file from version control, or reinstall it: ${commandFor(workspace.place, "install --force", locked.source)}.`,
  });
}
