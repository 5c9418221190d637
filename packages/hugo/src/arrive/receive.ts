import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { fetchPackage } from "../fetch/fetch-package.ts";
import type { FetchOptions } from "../fetch/fetched.ts";
import { readPackageTree } from "../package/read-tree.ts";
import { printPackageSpec } from "../source/spec.ts";
import type { Store } from "../store/store.ts";
import { type Arrival, readArrival } from "./arrival.ts";
import type { PluginCode } from "./plugin-delivery.ts";
import type { Request } from "./request.ts";

export interface Received {
  readonly arrival: Arrival;
  /** What fetching it brought to light. */
  readonly notices: readonly string[];
  /** Keeps it, once it is accepted, and says where OpenCode finds its code. */
  keep(): Promise<PluginCode>;
}

export interface ReceiveOptions extends Pick<FetchOptions, "allowNew" | "exactly"> {
  readonly context: Context;
  readonly store: Store;
}

/** Fetches a package and reads it; what is not kept is gone afterwards. */
export async function receive<T>(
  request: Request,
  { context, store, allowNew, exactly }: ReceiveOptions,
  use: (received: Received) => Promise<T>,
): Promise<T> {
  const { source } = request;
  const staging = await store.staging();
  try {
    context.person.progress(`Fetching ${printPackageSpec(source)}`);
    const options = { into: staging.folder, context, allowNew, ...(exactly !== undefined && { exactly }) };
    const fetched = await fetchPackage(source, options);
    context.person.progress(`Reading ${fetched.packageName}`);
    const arrival = readArrival(fetched, readPackageTree(fetched.folder));
    const keep = async (): Promise<PluginCode> => {
      const isRegistry = source.kind === "registry";
      const isPlugin = arrival.manifest.delivery.kind === "plugin";
      // OpenCode fetches plugins of the registry itself, with all that they need.
      const stored = await store.put(fetched, { dependencies: isPlugin && !isRegistry });
      if (stored.hash !== arrival.hash) throw changed(fetched.folder);
      const pin = `${arrival.packageName}@${arrival.version}`;
      return isRegistry ? { kind: "registry", pin } : { kind: "store", folder: stored.folder };
    };
    return await use({ arrival, notices: fetched.notices, keep });
  } finally {
    await staging[Symbol.asyncDispose]();
  }
}

function changed(folder: string): HugoError {
  return new HugoError("integrity-mismatch", {
    message: "The package changed between the moment it was looked at and the moment it was kept",
    at: folder,
    hint: "Something else writes into Hugo's folder. Nothing was changed; run the command again.",
  });
}
