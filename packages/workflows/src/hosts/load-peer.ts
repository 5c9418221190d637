// Agents' SDKs are hundreds of megabytes, so they are optional: a project installs the one it needs.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HostError } from "./host.ts";

export interface Peer {
  readonly host: string;
  /** The package's name on npm. */
  readonly name: string;
  /** The version to install. */
  readonly version: string;
}

export interface PeerOptions {
  /** The project whose `node_modules` has the SDK. Default: the working directory. */
  readonly folder?: string;
  /** Loads the SDK from somewhere else. */
  readonly load?: () => Promise<unknown>;
}

/** The project's SDK, or the one next to this package. `peerDependencies` says which versions fit. */
export async function loadPeer(peer: Peer, { folder = process.cwd(), load }: PeerOptions): Promise<unknown> {
  const { host, name, version } = peer;
  try {
    if (load !== undefined) return await load();
    let location = name;
    try {
      location = pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
    return await import(location);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMissing = code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND";
    const why =
      isMissing && String(message).includes(`'${name}'`) ? "is not installed" : `cannot be loaded: ${message}`;
    throw new HostError("host-missing", {
      host,
      message: `The host "${host}" needs ${name}, which ${why}.`,
      hint: `Run \`npm install ${name}@${version}\` in ${folder}.`,
      cause,
    });
  }
}
