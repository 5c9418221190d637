// A merge that git left unfinished in hugo.json. Neighboring workflows have lines in common, which git mixes up; Hugo
// merges the three versions that git has, workflow by workflow.
import { dirname, join, relative, sep } from "node:path";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { worktreeOf } from "@atomic/workflows/internal/entities/worktree";
import { emptyLock, type Lock, type LockedWorkflow, printLock } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { versionLabel } from "../packages/labels.ts";
import { runGit } from "../sources/git/run-git.ts";
import { findProgram } from "../sources/program/find-program.ts";
import { countChange } from "./changes-made.ts";
import { withExplainedErrors } from "./explained-errors.ts";
import type { WorkspacePlace } from "./place.ts";
import { readLock } from "./read-lock.ts";
import { boundaryOf, refuseUnsafePlace } from "./safe-place.ts";
import { SeenFiles, textIn } from "./seen-files.ts";
import { withState } from "./with-state.ts";

export interface MergedLock {
  readonly lock: Lock;
  /** What the side that is not checked out has added. */
  readonly added: readonly string[];
  /** Both sides changed these differently; the checked-out side's record counts. */
  readonly contested: readonly {
    readonly name: string;
    readonly ours?: LockedWorkflow;
    readonly theirs?: LockedWorkflow;
  }[];
}

/** Workflow by workflow, the side that changed it wins. */
export function mergeLocks(base: Lock, ours: Lock, theirs: Lock): MergedLock {
  const added: string[] = [];
  const contested: MergedLock["contested"][number][] = [];
  const printed = (workflow: LockedWorkflow | undefined): string =>
    workflow === undefined ? "" : printLock({ configs: new Map(), workflows: new Map([["x", workflow]]) });
  const workflows = new Map(ours.workflows);
  for (const name of new Set([...ours.workflows.keys(), ...theirs.workflows.keys()])) {
    const [was, mine, other] = [base, ours, theirs].map((lock) => lock.workflows.get(name));
    if (printed(other) === printed(was) || printed(other) === printed(mine)) continue;
    if (printed(mine) !== printed(was)) {
      contested.push({ name, ...(mine && { ours: mine }), ...(other && { theirs: other }) });
    } else if (other === undefined) {
      workflows.delete(name);
    } else {
      workflows.set(name, other);
      if (mine === undefined) added.push(name);
    }
  }
  const configs = new Map(ours.configs);
  for (const [path, made] of theirs.configs) {
    // Where the sides disagree, less is Hugo's to remove.
    if (!base.configs.has(path)) configs.set(path, configs.get(path) === "array" ? "array" : made);
  }
  for (const path of base.configs.keys()) if (!theirs.configs.has(path)) configs.delete(path);
  const check = ours.check === base.check ? theirs.check : ours.check;
  return { lock: { workflows, configs, check }, added: added.sort(), contested };
}

/** Returns what the user should know; nothing if there is no merge. */
export async function finishMerge(context: Context, place: WorkspacePlace): Promise<string[]> {
  const { lockFile, stateFolder } = place;
  return await withExplainedErrors(async () => {
    refuseUnsafePlace(place);
    if (conflictIn(place, new SeenFiles()) === undefined) return [];
    return await withState(place, { purpose: "hugo ci", signal: context.signal }, async ({ held }) => {
      const reads = new SeenFiles();
      const conflict = conflictIn(place, reads);
      if (conflict === undefined) return [];
      const [base, ours, theirs] = await Promise.all([1, 2, 3].map((stage) => stagedLock(context, lockFile, stage)));
      if (ours === undefined || theirs === undefined) throw conflict;
      const { lock, added, contested } = mergeLocks(base ?? emptyLock, ours, theirs);
      await transaction(
        stateFolder,
        [{ path: lockFile, content: printLock(lock), expect: reads.file(lockFile)?.hash ?? "absent" }],
        { lock: held, within: boundaryOf(place) },
      );
      countChange();
      const from = added.length === 0 ? "" : ` From the other side, it added ${added.join(", ")}.`;
      return [
        `hugo.json had an unfinished merge, which Hugo finished.${from} Commit it with the merge.`,
        ...contested.map(({ name, ours: mine, theirs: other }) => {
          const [kept, left] = [mine, other].map((side) =>
            side === undefined ? "it is removed" : versionLabel(side.version),
          );
          const versions = kept === left ? ["", ""] : [` (${kept})`, ` (${left})`];
          return `Both sides changed ${name}: hugo.json keeps what HEAD has${versions[0]}, not the other side's${versions[1]}.`;
        }),
      ];
    });
  });
}

function conflictIn({ lockFile }: WorkspacePlace, reads: SeenFiles): HugoError | undefined {
  try {
    readLock(textIn(reads, lockFile, "lock-invalid"), lockFile);
    return undefined;
  } catch (error) {
    if (error instanceof HugoError && error.code === "lock-conflict") return error;
    throw error;
  }
}

/** 1 is the version before both sides, 2 that of HEAD, 3 the one that is merged into it. */
async function stagedLock(context: Context, lockFile: string, stage: number): Promise<Lock | undefined> {
  const root = worktreeOf(dirname(lockFile));
  if (root === undefined || findProgram("git", context) === undefined) return undefined;
  const path = relative(root, lockFile).split(sep).join("/");
  const { code, stdout } = await runGit(["cat-file", "blob", `:${stage}:${path}`], {
    context,
    repository: join(root, ".git"),
    cwd: root,
  });
  return code === 0 ? readLock(stdout, `${lockFile} (${["base", "ours", "theirs"][stage - 1]})`) : undefined;
}
