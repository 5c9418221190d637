import { readFileSync } from "node:fs";
import { join } from "node:path";
import { objectIn } from "../registry/packument.ts";
import type { LockedPackage, PackageManager } from "./package-manager.ts";

export const npm: PackageManager = {
  name: "npm",
  since: "8.0.0",
  arguments: ({ before, registry }) => [
    "install",
    "--ignore-scripts",
    "--omit=dev",
    "--no-bin-links",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--no-update-notifier",
    "--package-lock=true",
    "--install-links=true",
    // Known to newer versions only, which refuse more than the lock file shows afterwards.
    ...["git", "file", "directory", "remote"].map((kind) => `--allow-${kind}=none`),
    // It tries again, but without ten seconds in between.
    "--fetch-retry-mintimeout=250",
    "--fetch-retry-maxtimeout=2000",
    `--registry=${registry}`,
    ...(before === undefined ? [] : [`--before=${before.toISOString()}`]),
  ],
  readLock,
  leavings: [
    "package.json",
    "package-lock.json",
    ".npmrc",
    "node_modules/.bin",
    "node_modules/.cache",
    "node_modules/.package-lock.json",
  ],
};

/** `"node_modules/name": { version, resolved, integrity }`; bundled packages came inside of another. */
function readLock(folder: string): LockedPackage[] {
  const { packages } = objectIn(JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")));
  return Object.entries(objectIn(packages)).flatMap(([path, value]) => {
    if (path === "") return [];
    const { version, resolved, integrity, link, inBundle } = objectIn(value);
    const isRelease = typeof resolved === "string" && /^https?:/.test(resolved) && typeof integrity === "string";
    const isFine = (isRelease || inBundle === true) && link !== true;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    return [{ name, version: isFine && typeof version === "string" ? version : undefined }];
  });
}
