// The agent SDKs take half a gigabyte, so they are in a separate folder and may be missing.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export type HeavyHostName = "claude" | "copilot";

export type HeavyHost =
  | { readonly available: true; readonly version: string; readonly load: () => Promise<unknown> }
  | { readonly available: false; readonly reason: string };

export interface HeavyHostSurroundings {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface Manifest {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const packages: Record<HeavyHostName, string> = {
  claude: "@anthropic-ai/claude-agent-sdk",
  copilot: "@github/copilot-sdk",
};

const heavyFolder = fileURLToPath(new URL("../heavy", import.meta.url));

/**
 * Whether an agent SDK can be used here, and if not, why:
 *
 * ```ts
 * const claude = heavyHost("claude");
 * if (!claude.available) console.warn(`skipped: ${claude.reason}`);
 * test.skipIf(!claude.available)("…", async () => { … });
 * ```
 */
export function heavyHost(name: HeavyHostName, surroundings: HeavyHostSurroundings = {}): HeavyHost {
  const { folder = heavyFolder, env = process.env } = surroundings;
  if (env.SKIP_HEAVY_HOSTS === "1") return { available: false, reason: "SKIP_HEAVY_HOSTS=1" };
  const manifest = installed(folder, packages[name]);
  if (!manifest) {
    const remedy = "run `npm test` without SKIP_HEAVY_HOSTS, or `npm install` in packages/testing/heavy";
    return { available: false, reason: `${packages[name]} is not installed: ${remedy}` };
  }
  // The programs themselves come as optional packages, one a platform; npm leaves out those that do not fit.
  const programs = Object.keys(manifest.optionalDependencies ?? {});
  if (!programs.some((program) => installed(folder, program))) {
    const platform = `${process.platform}-${process.arch}`;
    return {
      available: false,
      reason: `${packages[name]}@${manifest.version} has no program for ${platform} installed`,
    };
  }
  return {
    available: true,
    version: manifest.version,
    load: async () => {
      const { hosts } = (await import(pathToFileURL(join(folder, "hosts.mjs")).href)) as {
        hosts: Record<HeavyHostName, () => Promise<unknown>>;
      };
      return await hosts[name]();
    },
  };
}

function installed(folder: string, name: string): Manifest | undefined {
  const file = join(folder, "node_modules", name, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Manifest) : undefined;
}

/** The SDK itself, or an error that says why it cannot be used. */
export async function loadHeavyHost(name: HeavyHostName): Promise<unknown> {
  const host = heavyHost(name);
  if (!host.available) throw new Error(`The ${name} SDK cannot be used: ${host.reason}`);
  return await host.load();
}

/** Keeps programs from phoning home: everything but loopback goes to a proxy that does not exist. */
export const offline: Readonly<Record<string, string>> = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
};
