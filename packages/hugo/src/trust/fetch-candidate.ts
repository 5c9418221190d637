import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import type { PluginCode } from "../opencode/plugin-code.ts";
import { defaultWithoutId, valueExports } from "../packages/manifest/entry-code.ts";
import { readPackageTree } from "../packages/read-tree.ts";
import { textOf } from "../packages/tree.ts";
import { unsupportedFiles } from "../packages/unsupported-files.ts";
import { fetchPackage } from "../sources/fetch-package.ts";
import type { FetchOptions } from "../sources/fetched.ts";
import type { PackageSource } from "../sources/package-source.ts";
import { printPackageSpec } from "../sources/spec.ts";
import { errorInFolder, folderFrom } from "../workspace/error-in-folder.ts";
import type { Request } from "../workspace/request.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import { storedFolder } from "../workspace/store/packages.ts";
import { type Candidate, readCandidate } from "./candidate.ts";

export interface FetchedCandidate {
  readonly candidate: Candidate;
  /** What fetching it brought to light. */
  readonly notices: readonly string[];
  /** Where OpenCode finds its code once it is kept. */
  readonly code: PluginCode;
  /** To be called when it is accepted. */
  keep(): Promise<void>;
}

export interface CandidateOptions extends Pick<FetchOptions, "allowNew" | "exactly" | "dependencies"> {
  readonly context: Context;
  readonly workspace: Pick<Workspace, "place" | "store">;
}

/** Fetches a package and reads it; what is not kept is gone afterwards. */
export async function fetchCandidate<T>(
  request: Request,
  { workspace, ...options }: CandidateOptions,
  use: (received: FetchedCandidate) => Promise<T>,
): Promise<T> {
  const { source } = request;
  const { context } = options;
  const { store, place } = workspace;
  const staging = await store.staging();
  try {
    context.person.progress(`Fetching ${printPackageSpec(source)}`);
    const fetched = await fetchPackage(source, { ...options, into: staging.folder });
    context.person.progress(`Reading ${fetched.packageName}`);
    const candidate = readCandidate(fetched, readPackageTree(fetched.folder));
    const code = codeOf(candidate, source, place.stateFolder);
    const keep = async (): Promise<void> => {
      // OpenCode fetches plugins of the registry itself, with all that they need.
      const isLoadedHere = candidate.manifest.delivery.kind === "plugin" && code.kind === "store";
      const stored = await store.put(fetched, { dependencies: isLoadedHere });
      if (stored.hash !== candidate.hash) throw changed(fetched.folder);
    };
    const notices = [...fetched.notices, ...noticesAbout(candidate, code)];
    return await use({ candidate, notices, code, keep });
  } catch (error) {
    const isFolder = source.kind === "file" && source.form === "folder";
    throw isFolder ? errorInFolder(error, folderFrom(context.cwd, source.path)) : error;
  } finally {
    await staging[Symbol.asyncDispose]();
  }
}

/** What is certain to go wrong, and only shows when OpenCode is started. */
function noticesAbout({ packageName, tree, manifest }: Candidate, code: PluginCode): string[] {
  const { delivery } = manifest;
  if (delivery.kind !== "plugin") return unsupportedFiles(tree, manifest);
  const text = textOf(tree, delivery.entry) ?? "";
  const [value] = valueExports(text);
  if (value !== undefined) {
    return [
      `OpenCode will not load ${packageName}: ${delivery.entry} exports "${value.name}", which is no function, and OpenCode takes every export for a plugin. Its author must not export it.`,
    ];
  }
  if (code.kind !== "store" || defaultWithoutId(text) === undefined) return [];
  return [
    `OpenCode will not load ${packageName}: the default export of ${delivery.entry} has no "id", which it wants of plugins that do not come from the registry. Its author must add one.`,
  ];
}

function codeOf(
  { workflow, packageName, version, hash }: Candidate,
  source: PackageSource,
  stateFolder: string,
): PluginCode {
  if (source.kind === "registry") return { kind: "registry", pin: `${packageName}@${version}` };
  return { kind: "store", folder: storedFolder(stateFolder, workflow, packageName, hash) };
}

function changed(folder: string): HugoError {
  return new HugoError("integrity-mismatch", {
    message: "The package changed between the moment it was looked at and the moment it was kept",
    at: folder,
    hint: "Something else writes into Hugo's folder. Nothing was changed; run the command again.",
  });
}
