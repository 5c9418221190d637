import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { readJsonObject } from "../../packages/json-part.ts";
import { type PackageTree, textOf } from "../../packages/tree.ts";
import type { Capability } from "./capability.ts";

/** What package managers run on their own when a package is installed. Hugo never lets them. */
const LIFECYCLE = "preinstall install postinstall preprepare prepare postprepare prepublish".split(" ");

/** Lifecycle scripts, programs for the PATH, and for a plugin the packages whose code is loaded with it. */
export function readPackageScripts(tree: PackageTree, isPlugin: boolean): Capability[] {
  const text = textOf(tree, "package.json");
  if (text === undefined) return [];
  const file = "package.json";
  const root = readJsonObject(text, { file, code: "manifest-invalid", hint: "Only the author can correct it." });
  const scripts = objectIn(root.get("scripts")).filter(([name]) => LIFECYCLE.includes(name));
  const bin = root.get("bin");
  const programs = bin.node?.kind === "string" ? [["", bin.string()] as const] : objectIn(bin);
  const dependencies = ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((key) =>
    objectIn(root.get(key)),
  );
  return [
    ...scripts.map(([name, line]): Capability => ({ kind: "lifecycle", subject: name, detail: line })),
    ...programs.map(
      ([, path]): Capability => ({ kind: "executable", subject: path.replace(/^\.\//, ""), detail: "on the PATH" }),
    ),
    ...(isPlugin ? dependencies : []).map(
      ([name, wanted]): Capability => ({ kind: "dependency", subject: name, detail: loaded(wanted) }),
    ),
  ];
}

/** Under the name of one package another one can be loaded. */
function loaded(wanted: string): string {
  return /^[\w.^~<>=|* +-]*$/.test(wanted) ? "loaded" : `loaded as ${wanted}`;
}

function objectIn(part: JsonPart): (readonly [name: string, text: string])[] {
  if (part.node?.kind !== "object") return [];
  return part
    .entries()
    .flatMap(([name, value]) => (value.node?.kind === "string" ? [[name, value.string()] as const] : []));
}
