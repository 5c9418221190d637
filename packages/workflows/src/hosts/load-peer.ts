// The SDKs of agents weigh hundreds of megabytes, so they are optional: a project installs the one it wants.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HostError } from "./host.ts";

export interface Peer {
  readonly host: string;
  /** As npm knows it. */
  readonly name: string;
  /** What to ask npm for. */
  readonly version: string;
}

export interface PeerOptions {
  /** The project whose `node_modules` has the SDK. Default: the working directory. */
  readonly folder?: string;
  /** Gives the SDK, wherever it comes from. */
  readonly load?: () => Promise<unknown>;
}

/** The SDK of the project, or the one beside this package. Whether it fits is for `peerDependencies` to say. */
export async function loadPeer(peer: Peer, { folder = process.cwd(), load }: PeerOptions): Promise<unknown> {
  const { host, name, version } = peer;
  try {
    if (load !== undefined) return await load();
    return await import(locate(name, folder));
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

function locate(name: string, folder: string): string {
  try {
    return pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    return name;
  }
}
