// What is known of the installed version of a workflow: the measure for an update.

import type { Hash } from "@atomic/durable-files/hash";
import type { LockedWorkflow } from "@atomic/workflows/hugo-lock/lock";
import type { Context } from "../context.ts";
import type { CopiedFile } from "../delivery/copied-files.ts";
import { deliveredUnder, filesToDeliver } from "../delivery/translate/files-to-deliver.ts";
import { HugoError } from "../errors.ts";
import type { Arrival } from "../packages/arrival.ts";
import { hashOf } from "../packages/hash.ts";
import { type Manifest, readManifest } from "../packages/manifest.ts";
import type { PackageTree } from "../packages/tree.ts";
import { hashTree } from "../packages/tree-hash.ts";
import { type Received, type ReceiveOptions, receive } from "../workspace/receive.ts";
import { lockedRequest } from "../workspace/request.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";

export interface Before {
  readonly tree: PackageTree;
  readonly capabilities: Capabilities;
  /** What the package gave for each copied file. */
  baseOf(hash: Hash): Uint8Array | undefined;
  /** Whether it gave the file as a program, by destination. */
  wasExecutable(destination: string): boolean | undefined;
}

/** Of a package that nobody has any more, everything counts as new. */
const unknown: Before = {
  tree: new Map(),
  capabilities: { list: [], agents: new Map() },
  baseOf: () => undefined,
  wasExecutable: () => undefined,
};

/** From the store, or fetched again after a clone; never from something that only claims to be the installed version. */
export async function readBefore(
  context: Context,
  workspace: Workspace,
  name: string,
  locked: LockedWorkflow,
): Promise<Before> {
  const stored = storedIfSame(workspace, name, locked);
  if (stored !== undefined) return beforeIn(stored, readManifest(stored), locked);
  if (locked.tree === undefined) return unknown;
  try {
    const { tree, manifest } = await lookAtLocked(context, workspace, locked);
    return beforeIn(tree, manifest, locked);
  } catch (error) {
    // The version may have been taken back, or its repository be gone: then the user is asked about all of it.
    if (error instanceof HugoError) return unknown;
    throw error;
  }
}

/** The package as it lies in the store, if that is what the lock holds. */
export function storedIfSame(
  workspace: Pick<Workspace, "storedTree">,
  name: string,
  { tree }: Pick<LockedWorkflow, "tree">,
): PackageTree | undefined {
  const stored = workspace.storedTree(name);
  return stored !== undefined && hashTree(stored) === tree ? stored : undefined;
}

/** The version that the lock holds, for whoever does not keep it. */
export async function lookAtLocked(context: Context, workspace: Workspace, locked: LockedWorkflow): Promise<Arrival> {
  return await receiveLocked(context, workspace, locked, async ({ arrival }) => arrival, { dependencies: false });
}

/** Exactly the version that the lock holds, with exactly its content. */
export async function receiveLocked<T>(
  context: Context,
  workspace: Workspace,
  locked: LockedWorkflow,
  use: (received: Received) => Promise<T>,
  more: Pick<ReceiveOptions, "dependencies"> = {},
): Promise<T> {
  const { version, integrity, tree } = locked;
  const exactly = { version, ...(integrity !== undefined && { integrity }) };
  const options = { context, workspace, allowNew: true, exactly, ...more };
  return await receive(lockedRequest(locked, workspace.place), options, async (received) => {
    const { hash } = received.arrival;
    if (tree !== undefined && hash !== tree) throw changedContent(locked, hash);
    return await use(received);
  });
}

function changedContent({ package: name, version, tree }: LockedWorkflow, found: Hash): HugoError {
  return new HugoError("integrity-mismatch", {
    message: `${name} ${version} is no longer what was installed: its content is ${found}, and the lock says ${tree}`,
    hint: "Somebody changed what lies under this version. Look at it (hugo info) before you install it again.",
  });
}

function beforeIn(tree: PackageTree, manifest: Manifest, { delivery }: LockedWorkflow): Before {
  const under = deliveredUnder(delivery.kind === "copy" ? delivery.permission : undefined);
  const files =
    manifest.delivery.kind === "copy"
      ? filesToDeliver(manifest, tree, undefined, under).files
      : new Map<string, CopiedFile>();
  // By their hashes, which are what the lock holds of them.
  const bases = new Map([...files.values()].map(({ bytes }) => [hashOf(bytes), bytes]));
  return {
    tree,
    capabilities: readCapabilities(tree, manifest),
    baseOf: (hash) => bases.get(hash),
    wasExecutable: (destination) => files.get(destination)?.executable,
  };
}
