import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { HugoError } from "../errors.ts";
import { type PackageFacts, readPackageFacts } from "../packages/manifest/package-json.ts";
import type { PackageFile } from "../packages/tree.ts";
import { workflowNameOf } from "../packages/workflow-name.ts";
import type { PackageSource } from "./package-source.ts";

const NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;

/** What the package in a folder says that it is. */
export function factsIn(folder: string): PackageFacts {
  const files = ["package.json", ".claude-plugin/plugin.json"].filter((path) => existsSync(join(folder, path)));
  const read = (path: string): [string, PackageFile] => [
    path,
    { bytes: readFileSync(join(folder, path)), executable: false },
  ];
  return readPackageFacts(new Map(files.map(read)));
}

/** What it is called: as it says itself, else as its repository, folder or tarball. It becomes the name of a folder. */
export function packageNameOf(source: PackageSource, { name }: PackageFacts): string {
  if (source.kind === "registry") return source.name;
  const own = name ?? nameOfPlace(source.kind === "git" ? source.url : source.path);
  // The name without the scope is checked as that of a workflow, with a better message.
  workflowNameOf(own);
  if (NAME.test(own) && own.length <= 214) return own;
  throw new HugoError("name-invalid", {
    message: `The package is called ${shown(own)}, which is not a valid package name`,
    hint: "Only the package's author can rename it.",
  });
}

function nameOfPlace(place: string): string {
  const last = basename(place).replace(/\.(?:git|tgz|tar\.gz|tar)$/i, "");
  return last
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
}

/** A registry that gives another package than the one asked for is refused: that is how one poses as another. */
export function refuseImpostor(asked: { name: string; version: string }, found: PackageFacts): void {
  if (found.name === asked.name && found.version === asked.version) return;
  const own = `${shown(found.name ?? "nothing")} ${found.version ?? "without a version"}`;
  throw new HugoError("package-unsafe", {
    message: `${asked.name} ${asked.version} of the registry is ${own} by its own package.json`,
    hint: "Nothing was installed: the registry and package.json disagree.",
  });
}
