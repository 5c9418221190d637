import type { LockedDependencies } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { ignoredName } from "../opencode/loaded-from.ts";
import { defaultWithoutId, valueExports } from "../packages/manifest/entry-code.ts";
import { readPackageTree } from "../packages/read-tree.ts";
import { textOf } from "../packages/tree.ts";
import { fetchPackage } from "../sources/fetch-package.ts";
import type { Fetched, FetchOptions } from "../sources/fetched.ts";
import { printPackageSpec } from "../sources/spec.ts";
import { errorInFolder, folderFrom } from "../workspace/error-in-folder.ts";
import type { Request } from "../workspace/request.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import { changedMeanwhile, storedFolder } from "../workspace/store/store.ts";
import { type Candidate, type InstallTerms, readCandidate } from "./candidate.ts";
import { withKnownHashes } from "./changed-dependencies.ts";

export interface FetchedCandidate {
  readonly candidate: Candidate;
  /** What fetching it revealed. */
  readonly notices: readonly string[];
  /** The package's folder for now, next to its dependencies. */
  readonly staged: string;
  /** Where it is in the store once it is kept, absolute. */
  readonly folder: string;
  /** Call it when the package is accepted. */
  keep(): Promise<void>;
}

export interface CandidateOptions extends Pick<FetchOptions, "allowNew" | "exactly"> {
  /** `none` for callers that only read the package. */
  readonly dependencies?: "none";
  /** What the lock records; exactly these are fetched if `exactly` is given, else nothing older than they are. */
  readonly known?: LockedDependencies | undefined;
  readonly context: Context;
  readonly workspace: Pick<Workspace, "place" | "store" | "once">;
  /** What the user decided about it; it may depend on its name. */
  readonly terms?: (packageName: string) => InstallTerms;
}

/** Fetches a package and reads it; the end of the command removes it unless it is kept. */
export async function fetchCandidate<T>(
  request: Request,
  { workspace, ...options }: CandidateOptions,
  use: (received: FetchedCandidate) => Promise<T>,
): Promise<T> {
  const { source } = request;
  const { context } = options;
  const { store, place } = workspace;
  try {
    const { allowNew, exactly, known } = options;
    const what = `fetch ${JSON.stringify([source, allowNew, exactly])}`;
    const fetched = await workspace.once(what, async () => {
      context.user.progress(`Fetching ${printPackageSpec(source)}`);
      return await fetchPackage(source, { ...options, into: store.staging() });
    });
    context.user.progress(`Reading ${fetched.packageName}`);
    const read = readFetched(fetched, options.terms?.(fetched.packageName));
    const needed =
      read.manifest.delivery.kind === "plugin" && options.dependencies !== "none"
        ? await workspace.once(
            `${what} with its dependencies, after ${JSON.stringify([...(known ?? [])])}`,
            async () => {
              const { fetchDependencies } = await import("../sources/dependencies/fetch-dependencies.ts");
              const before = exactly === undefined ? { installed: known } : { locked: known };
              return await fetchDependencies(fetched, { context, allowNew, into: store.staging(), ...before });
            },
          )
        : { notices: [] };
    const candidate = { ...read, dependencies: withKnownHashes(needed.dependencies, known) };
    const { workflow, packageName, hash: tree, dependencies } = candidate;
    const folder = storedFolder(place.stateFolder, workflow, packageName, { tree, dependencies });
    const keep = async (): Promise<void> => {
      if ((await store.put(fetched, { workflow, dependencies })).hash !== tree) throw changedMeanwhile(fetched);
    };
    const notices = [...fetched.notices, ...noticesAbout(candidate), ...needed.notices];
    return await use({ candidate, notices, staged: fetched.folder, folder, keep });
  } catch (error) {
    const isFolder = source.kind === "file" && source.form === "folder";
    throw isFolder ? errorInFolder(error, folderFrom(context.cwd, source.path)) : error;
  }
}

/** What was left out of a package may be why it contains nothing. */
function readFetched(fetched: Fetched, terms: InstallTerms | undefined): Candidate {
  try {
    return readCandidate(fetched, readPackageTree(fetched.folder), terms);
  } catch (error) {
    if (!(error instanceof HugoError) || error.code !== "no-workflow" || fetched.notices.length === 0) throw error;
    const { code, message, at, hint } = error;
    const notices = fetched.notices.map((notice) => `${notice.replace(/\.$/, "")}. `).join("");
    throw new HugoError(code, { message, at, hint: `${notices}${hint}`, cause: error });
  }
}

/** Problems that are certain, but would only show when OpenCode starts. */
function noticesAbout({ packageName, tree, manifest }: Candidate): string[] {
  const { delivery } = manifest;
  if (delivery.kind !== "plugin") return [];
  const { entry, tui } = delivery;
  const ignored = ignoredName(packageName);
  if (ignored !== undefined)
    return [`OpenCode will not load ${packageName}: it ignores this plugin, because it has ${ignored} built in.`];
  const notices: string[] = [];
  if (manifest.doubt !== undefined) {
    notices.push(`Its author does not say that it is an OpenCode plugin. Hugo thinks so because ${manifest.doubt}.`);
  }
  if (tui?.endsWith(".tsx")) {
    notices.push(
      `OpenCode will not show what ${tui} draws: it does not compile .tsx below node_modules. Its author must publish JavaScript.`,
    );
  }
  const text = entry === undefined ? "" : (textOf(tree, entry) ?? "");
  const [value] = valueExports(text);
  if (value !== undefined) {
    notices.push(
      `OpenCode will not load ${packageName}: ${entry} exports "${value.name}", which is not a function, and OpenCode treats every export as a plugin. Its author must not export it.`,
    );
  } else if (defaultWithoutId(text) !== undefined) {
    notices.push(
      `OpenCode will not load ${packageName}: the default export of ${entry} has no "id", which OpenCode requires for plugins that it loads from a folder. Its author must add one.`,
    );
  }
  return notices;
}
