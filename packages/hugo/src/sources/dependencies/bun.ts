import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { objectIn } from "../registry/packument.ts";
import { parseVersion } from "../registry/version.ts";
import type { LockedPackage, PackageManager } from "./package-manager.ts";

export const bun: PackageManager = {
  name: "bun",
  // The first that knows a minimum release age; one before would pass over it without a word.
  since: "1.3.0",
  arguments: ({ before, registry }) => [
    "install",
    "--ignore-scripts",
    // Its own way is hard links into a cache that all projects share.
    "--backend=copyfile",
    "--linker=hoisted",
    "--no-progress",
    "--no-summary",
    `--registry=${registry}`,
    ...(before === undefined ? [] : [`--minimum-release-age=${Math.ceil((Date.now() - before.getTime()) / 1000)}`]),
  ],
  readLock,
  leavings: ["package.json", "bun.lock", ".npmrc", "node_modules/.bin", "node_modules/.cache"],
};

/** `"name": ["name@1.0.0", "url", {…}, "sha512-…"]`; what is not from a registry has an address behind the "@". */
function readLock(folder: string): LockedPackage[] {
  const file = join(folder, "bun.lock");
  const { root } = parseJsonc(readFileSync(file, "utf8"), { file });
  const { packages } = objectIn(root === undefined ? undefined : toValue(root));
  return Object.values(objectIn(packages)).map((entry) => {
    const [ident, , , integrity] = Array.isArray(entry) ? entry : [];
    const [, name = "", version = ""] = /^(.+?)@([^@]*)$/.exec(String(ident)) ?? [];
    const isRelease = parseVersion(version) !== undefined && typeof integrity === "string";
    return { name, version: isRelease ? version : undefined };
  });
}
