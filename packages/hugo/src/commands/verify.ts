import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { count } from "@atomic/terminal/count";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { shellWord } from "@atomic/terminal/shell-words";
import { paragraph } from "@atomic/terminal/wrap";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import { entriesByName } from "../delivery/plugin-delivery.ts";
import { withoutBase } from "../delivery/restore.ts";
import { HugoError } from "../errors.ts";
import { versionLabel } from "../packages/labels.ts";
import { readPackageTree } from "../packages/read-tree.ts";
import { compareTrees, hashTree, type PackageTree } from "../packages/tree.ts";
import { type CheckStatus, checkStatus } from "../workspace/check-file.ts";
import { besideOf, parkedPath } from "../workspace/copied-files.ts";
import { folderLabel, inScope, placeFor } from "../workspace/place.ts";
import { commandFor } from "../workspace/request.ts";
import { readSnapshot, type WorkspaceSnapshot } from "../workspace/snapshot.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";
import { blockedError, differentCheckFile, noticeLines, warning } from "./shared/notes.ts";
import { statusOf } from "./shared/workflow-status.ts";

interface VerifyResult {
  readonly workflows: readonly Verified[];
  readonly checkFile?: CheckStatus | undefined;
  readonly folder: string;
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

export const verify: HugoCommand<typeof names, Record<never, never>, VerifyResult> = {
  name: "verify",
  summary: "Check everything installed against its recorded hashes",
  details: "Checks the store, merge bases, config entries and OpenCode's own copies.",
  arguments: names,
  options: {},
  examples: [
    {
      command: "hugo verify",
      shows: "every difference; exits with code 1 if anything other than your own edits differs",
    },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    // Reads and hashes everything that belongs to a workflow again.
    const wanted = oneOrAll(snapshot.lock, input.name);
    const workflows = wanted.map((name) => {
      const workflow = snapshot.lock.workflows.get(name)!;
      const status = statusOf(snapshot, name);
      const stored = checkStore(snapshot, name, workflow);
      const isByName = entriesByName(snapshot, workflow).length > 0;
      const cached =
        stored.tree === undefined || !isByName ? NOTHING : checkCache(name, workflow, stored.tree, context);
      const bases = checkBases(snapshot, name, workflow);
      const hashed = stored.hashed + cached.hashed + bases.hashed + status.files.length;
      const differences = [
        ...stored.differences,
        ...bases.differences,
        ...status.entries
          .filter(({ state }) => state === "modified")
          .map(
            ({ file, spec, pin }): Difference => ({
              workflow: name,
              kind: "entry-changed",
              at: file,
              detail: `The plugin array says ${spec}, but hugo.json ${pin === undefined ? "has no valid entry" : `says ${pin}`}.`,
              next: isByName
                ? "hugo ci"
                : `${commandFor(snapshot.place, "install --force", status.source)}, or restore the entry`,
            }),
          ),
        ...cached.differences,
        ...status.files.flatMap(({ path, state }): Difference[] => {
          if (state === "clean") return [];
          return [{ workflow: status.name, kind: `file-${state}`, at: path, detail: DETAILS[state] }];
        }),
      ];
      const inPlace = differences.map((each) =>
        each.next === undefined ? each : { ...each, next: inScope(snapshot.place, each.next) },
      );
      return { name, version: workflow.version, hashed, differences: inPlace };
    });
    const { place, notices } = snapshot;
    const isAboutPlugin = wanted.some((name) => snapshot.lock.workflows.get(name)?.delivery.kind === "plugin");
    const checkFile = isAboutPlugin ? checkStatus(snapshot) : undefined;
    return { workflows, checkFile, folder: folderLabel(place), notices };
  },
  report: {
    text: ({ workflows, checkFile, folder }, page) => {
      if (workflows.length === 0) return paragraph(nothingToVerify, page, { indent: "" });
      const unlikeCheck = differentCheckFile(checkFile);
      const hashed = workflows.reduce((sum, each) => sum + each.hashed, checkFile === undefined ? 0 : 1);
      const failed = workflows.filter(({ differences }) => !differences.every(isLocal));
      const local = workflows.reduce((sum, { differences }) => sum + differences.length, unlikeCheck.length);
      const except =
        local === 0 ? "" : ` except the ${local === 1 ? "file" : `${local.toLocaleString("en")} files`} above`;
      const verdict =
        failed.length > 0
          ? `${count(failed.length, "workflow")} ${failed.length === 1 ? "differs" : "differ"} from hugo.json`
          : `all match hugo.json${except}`;
      const summary = `${count(workflows.length, "workflow")}, ${count(hashed, "file")} hashed: ${verdict}`;
      return (
        workflows
          .map(({ name, version, differences }) => {
            const paint = painter(page.colour);
            const isFine = differences.every(isLocal);
            const mark = isFine ? paint("green", "✓") : paint("red", "✗");
            const lines = foldBases(differences).map((difference) => {
              const { at, detail } = difference;
              const shown = isLocal(difference) ? `${folder}/${at}` : at;
              const where = paint(isLocal(difference) ? "yellow" : "red", safeLine(shown));
              return paragraph(`${where}: ${safeLine(detail)}`, page, { lead: "  ", indent: "    " });
            });
            const title = paragraph(safe`${name} ${versionLabel(version)}`, page, { lead: `${mark} `, indent: "  " });
            return title + lines.join("");
          })
          .join("") +
        unlikeCheck
          .map((line) => {
            const paint = painter(page.colour);
            const mark = checkFile?.state === "blocked" ? paint("red", "✗") : paint("yellow", "!");
            return paragraph(safeLine(line), page, { lead: `${mark} `, indent: "  " });
          })
          .join("") +
        paragraph(summary, page, { indent: "  " })
      );
    },
    notes: ({ workflows, notices }, page) => {
      const steps = new Map<string, Set<string>>();
      for (const { workflow, next } of workflows.flatMap(({ differences }) => differences)) {
        if (next !== undefined) steps.set(next, (steps.get(next) ?? new Set()).add(workflow));
      }
      return [
        ...[...steps].map(([next, names]) => warning(`Next for ${[...names].join(", ")}: ${next}`, page)),
        ...noticeLines(notices, page),
      ].join("");
    },
    json: ({ workflows, checkFile, notices }) => ({
      workflows: workflows.map((each) => ({ ...each, verified: each.differences.every(isLocal) })),
      checkFile,
      notices,
    }),
    exitCode: ({ workflows, checkFile }) =>
      checkFile?.state !== "blocked" && workflows.every(({ differences }) => differences.every(isLocal)) ? 0 : 1,
    error: ({ workflows, checkFile }) => {
      const failed = workflows.filter(({ differences }) => !differences.every(isLocal));
      if (failed.length === 0) return blockedError(checkFile);
      const [first] = failed.flatMap(({ differences }) => differences.filter((each) => !isLocal(each)));
      const names = failed.map(({ name }) => name).join(", ");
      return {
        code: "not-as-installed",
        message: `${count(failed.length, "workflow")} ${failed.length === 1 ? "differs" : "differ"} from hugo.json: ${names}`,
        at: first?.at,
        hint: first?.next === undefined ? undefined : `Next for ${first.workflow}: ${first.next}`,
      };
    },
  },
};

/** After a clone, all bases are missing: one line says so. */
function foldBases(differences: readonly Difference[]): readonly Difference[] {
  const missing = differences.filter(({ kind }) => kind === "base-missing");
  const [first] = missing;
  if (first === undefined || missing.length <= MOST_BASES) return differences;
  const detail = "The package's original files are missing from the store or damaged.";
  const folded = { ...first, at: `${first.at} and ${missing.length - 1} more`, detail };
  return differences.flatMap((each) => (each === first ? [folded] : each.kind === "base-missing" ? [] : [each]));
}

const MOST_BASES = 3;

/** Users may edit copied files. */
function isLocal({ kind }: Difference): boolean {
  return kind.startsWith("file-");
}

const nothingToVerify = "No workflows are installed, so there is nothing to verify.";

/** Something that is different from hugo.json. */
interface Difference {
  readonly workflow: string;
  readonly kind: /** The package is not in the store, as after a clone. */
    | "store-missing"
    /** Its files in the store are not what was installed. */
    | "store-changed"
    /** A package that the plugin's code needs is not what was installed. */
    | "dependency-changed"
    /** What the next merge starts from is gone or damaged. */
    | "base-missing"
    /** A plugin array names another version. */
    | "entry-changed"
    /** What OpenCode will run is not what was installed. */
    | "cache-changed"
    /** The user's edits to copied files, which are fine. */
    | "file-modified"
    | "file-deleted"
    | "file-skipped"
    | "file-conflict";
  /** The file or folder. */
  readonly at: string;
  readonly detail: string;
  /** What to do; missing if nothing is wrong. */
  readonly next?: string;
}

interface Verified extends Checked {
  readonly name: string;
  readonly version: string;
}

interface Checked {
  /** How many files were read and hashed. */
  readonly hashed: number;
  readonly differences: readonly Difference[];
}

const NOTHING: Checked = { hashed: 0, differences: [] };

/** `tree` is missing if it is not what was installed. */
function checkStore(
  snapshot: WorkspaceSnapshot,
  name: string,
  { tree: expected, source, dependencies }: LockedWorkflow,
): Checked & { readonly tree?: PackageTree } {
  const difference = (kind: "store-missing" | "store-changed", detail: string, next = "hugo ci"): Checked => ({
    hashed: 0,
    differences: [{ workflow: name, kind, at: "store", detail, next }],
  });
  if (expected === undefined) {
    const again = commandFor(snapshot.place, "install --force", source);
    return difference("store-missing", "It was migrated from an earlier version of Hugo, without its package.", again);
  }
  const tree = readable(() => snapshot.storedTree(name));
  if (tree instanceof HugoError) return difference("store-changed", tree.message);
  if (tree === undefined) return difference("store-missing", "Its package is not in the store.");
  const hash = hashTree(tree);
  if (hash === expected) {
    const dependencyDifferences = snapshot.dependencyProblems(name).map(({ path, how }): Difference => {
      const detail = { missing: "This dependency is missing.", changed: CHANGED_DEPENDENCY, added: UNKNOWN_DEPENDENCY };
      return {
        workflow: name,
        kind: "dependency-changed",
        at: `node_modules/${path}`,
        detail: detail[how],
        next: "hugo ci",
      };
    });
    const surroundings = snapshot.surroundingsProblems(name).map(({ path, how }): Difference => {
      const detail = { missing: NO_TSCONFIG, changed: CHANGED_TSCONFIG, added: UNKNOWN_FILE }[how];
      return { workflow: name, kind: "store-changed", at: path, detail, next: "hugo ci" };
    });
    const differences = [...dependencyDifferences, ...surroundings];
    return { hashed: tree.size + (dependencies?.size ?? 0), differences, tree };
  }
  return {
    ...difference("store-changed", `The store has ${hash}, but hugo.json says ${expected}.`),
    hashed: tree.size,
  };
}

const CHANGED_DEPENDENCY = "The files of this dependency are not those that hugo.json records.";
const UNKNOWN_DEPENDENCY = "hugo.json does not record this package, but the plugin's code could load it.";

const NO_TSCONFIG = "It is missing, so the project's tsconfig.json could replace what the plugin imports.";
const CHANGED_TSCONFIG = "It was changed, so it could replace what the plugin imports.";
const UNKNOWN_FILE = "Hugo did not put it there, and it could change what the plugin imports.";

function checkBases(snapshot: WorkspaceSnapshot, name: string, { delivery, source }: LockedWorkflow): Checked {
  if (delivery.kind === "plugin") return NOTHING;
  const needed = [...delivery.files].flatMap(([at, file]) => {
    if (file.kind === "skipped") return [];
    const beside = delivery.parked ? parkedPath(name, besideOf(at)) : besideOf(at);
    const hasBeside = snapshot.disk([beside]).has(beside);
    const pending = file.pending === undefined ? [] : [{ at, hash: file.pending, next: "hugo ci" }];
    // A conflict that the user has resolved needs the old version no more.
    if (file.pending !== undefined && !hasBeside) return pending;
    const next = file.older ? withoutBase(snapshot.place, source, file, beside) : "hugo ci";
    return [{ at, hash: file.base, next }, ...pending];
  });
  const missing = needed.filter(({ hash }) => snapshot.baseOf(hash) === undefined);
  return {
    hashed: needed.length,
    differences: missing.map(({ at, hash, next }) => ({
      workflow: name,
      kind: "base-missing",
      at,
      detail: `The package's original file (${hash.slice(0, 19)}…) is missing from the store or damaged.`,
      next,
    })),
  };
}

/** For entries by name: OpenCode loads its own copy. */
function checkCache(name: string, workflow: LockedWorkflow, expected: PackageTree, context: Context): Checked {
  const { package: packageName, version } = workflow;
  const at = cachedPlugin(context, `${packageName}@${version}`, packageName);
  if (!existsSync(at)) return NOTHING;
  const next = `\`rm -r ${shellWord(at)}\`, so OpenCode fetches it again`;
  const tree = readable(() => readPackageTree(at));
  if (tree instanceof HugoError) {
    return { hashed: 0, differences: [{ workflow: name, kind: "cache-changed", at, detail: tree.message, next }] };
  }
  const differences = compareTrees(expected, tree).map(
    ({ path, how }): Difference => ({
      workflow: name,
      kind: "cache-changed",
      at: `${at}/${path}`,
      detail: `OpenCode's copy does not match the package: this file is ${how === "changed" ? "different" : how}.`,
      next,
    }),
  );
  return { hashed: tree.size, differences };
}

const DETAILS = {
  modified: "locally modified",
  deleted: "locally deleted",
  skipped: "left out during installation",
  conflict: "an unmerged update is next to it",
} as const;

/** A package that is too damaged to read is a result here, not a failure. */
function readable<T>(read: () => T): T | HugoError {
  try {
    return read();
  } catch (error) {
    if (error instanceof HugoError) return error;
    throw error;
  }
}

/** Where OpenCode keeps its copy of a plugin with this entry. It fetches once for each spelling, and never again. */
export function cachedPlugin({ home, env }: Pick<Context, "home" | "env">, pin: string, packageName: string): string {
  const cache = env.XDG_CACHE_HOME ? resolve(env.XDG_CACHE_HOME) : join(home, ".cache");
  return joinInside(join(cache, "opencode", "packages"), `${pin}/node_modules/${packageName}`);
}
