import { shown } from "@atomic/durable-files/safety/names";
import { HugoError } from "../../errors.ts";
import type { WantedVersion } from "../package-source.ts";
import { objectOrEmpty } from "../registry/packument.ts";
import { isInRange, parseVersion } from "../registry/version.ts";

/** One line of `dependencies` and the like in a package.json. */
export interface WantedDependency {
  /** The folder below `node_modules`. */
  readonly name: string;
  /** The package: another one if it is an alias. */
  readonly target: string;
  readonly wanted: WantedVersion;
  /** It may be missing, such as a program for another system. */
  readonly isOptional: boolean;
}

const NAME = /^(?:@[a-z0-9~_-][a-z0-9._~-]*\/)?[a-z0-9~_-][a-z0-9._~-]*$/i;
/** A version, a range or a tag: nothing that could be a path or an address. */
const PLAIN = /^(?!-)[\w.+~^<>=|*\s-]{0,300}$/;

/** What must be next to a package for its code to run. Peers count, because nothing else would install them. */
export function wantedDependencies(manifest: Readonly<Record<string, unknown>>, what: string): WantedDependency[] {
  const meta = objectOrEmpty(manifest.peerDependenciesMeta);
  const optional = Object.entries(objectOrEmpty(manifest.optionalDependencies));
  const peers = Object.entries(objectOrEmpty(manifest.peerDependencies)).filter(
    ([name]) => objectOrEmpty(meta[name]).optional !== true,
  );
  const needed = [...Object.entries(objectOrEmpty(manifest.dependencies)), ...peers];
  const found = new Map<string, WantedDependency>();
  for (const [name, spec] of [...optional, ...needed]) {
    // As in npm, the optional one wins where a package is named as both, and a dependency over a peer.
    if (found.has(name)) continue;
    // A dependency by path would copy files from this machine, and one by address escapes the registry's rules.
    const text = typeof spec === "string" ? spec.trim() : "?";
    const [, alias, range = ""] = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/.exec(text) ?? [];
    const wanted = alias === undefined ? text : range;
    if (!NAME.test(name) || !NAME.test(alias ?? name) || !PLAIN.test(wanted)) {
      throw new HugoError("package-unsafe", {
        message: `${what} depends on ${shown(name)} (${shown(String(spec))}), which is not a version from a registry`,
        hint: "Nothing was installed. Its author must publish that dependency.",
      });
    }
    const isOptional = Object.hasOwn(objectOrEmpty(manifest.optionalDependencies), name);
    found.set(name, { name, target: alias ?? name, wanted: readWanted(wanted), isOptional });
  }
  return [...found.values()];
}

function readWanted(text: string): WantedVersion {
  if (parseVersion(text) !== undefined) return { kind: "version", text: text.replace(/^v/, "") };
  const isTag = /^[a-z][\w.-]*$/i.test(text) && !/^[xX](?:\.|$)/.test(text) && !/^v\d/.test(text);
  return isTag ? { kind: "tag", text } : { kind: "range", text: text === "" ? "*" : text };
}

/** Whether a version that is there already will do. */
export function isEnough(version: string, { kind, text }: WantedVersion): boolean {
  return kind === "version" ? version === text : kind === "range" && isInRange(version, text);
}
