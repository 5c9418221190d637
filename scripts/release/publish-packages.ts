// Puts tarballs into a registry, in their order. A release that was interrupted is continued: what is there already is compared and skipped.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { npm } from "./commands.ts";
import type { Tarball } from "./pack-packages.ts";

export interface Publishing {
  readonly distTag: string;
  /** Only a hosted runner can sign where a package was built. */
  readonly hasProvenance: boolean;
  /** npm's environment, which says where the registry is. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

/** As it would be typed for a release. */
export function publishArguments(file: string, distTag: string): readonly string[] {
  return ["publish", file, "--access", "public", "--tag", distTag, "--provenance"];
}

export async function publishPackages(tarballs: readonly Tarball[], publishing: Publishing): Promise<void> {
  const { distTag, hasProvenance, env, say } = publishing;
  for (const { name, version, file } of tarballs) {
    const cwd = dirname(file);
    const there = await publishedIntegrity(`${name}@${version}`, { cwd, env });
    if (there !== undefined) {
      const integrity = `sha512-${createHash("sha512")
        .update(await readFile(file))
        .digest("base64")}`;
      if (there !== integrity) throw new Error(`${name}@${version} is already in the registry, with other contents.`);
      say(`${name}@${version} is already in the registry`);
      continue;
    }
    const typed = publishArguments(file, distTag);
    const args = hasProvenance ? typed : [...typed.filter((arg) => arg !== "--provenance"), "--no-provenance"];
    await npm(args, { cwd, env });
    say(`${name}@${version} published as ${distTag}`);
  }
}

async function publishedIntegrity(spec: string, options: Parameters<typeof npm>[1]): Promise<string | undefined> {
  try {
    const printed = await npm(["view", spec, "dist.integrity", "--json"], options);
    // Nothing at all for a version that is not there of a package that is.
    return printed.trim() === "" ? undefined : (JSON.parse(printed) as string);
  } catch (error) {
    if (/E404/.test((error as Error).message)) return undefined;
    throw error;
  }
}
