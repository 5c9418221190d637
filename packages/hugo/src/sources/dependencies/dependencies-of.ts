import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { shown } from "@atomic/durable-files/safety/names";
import { HugoError } from "../../errors.ts";
import { readJsonObject } from "../../packages/json-part.ts";

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** A version, a range or a tag: nothing that could be a path, an address or an option. */
const PLAIN = /^(?!-)[\w.+~^<>=|*\s-]*$/;
const HINT = "Only the author of the package can correct it.";

export interface Dependencies {
  /** By name. Peers count: nobody else would bring them. */
  readonly needed: ReadonlyMap<string, string>;
  /** Those that may be missing, such as programs for another system. */
  readonly optional: ReadonlyMap<string, string>;
}

/** What must lie beside a package so that its code runs. */
export function dependenciesIn(packageJson: string, what: string): Dependencies {
  const root = readJsonObject(packageJson, { file: "package.json", code: "manifest-invalid", hint: HINT });
  const optionalPeers = root.get("peerDependenciesMeta").entries();
  const isOptionalPeer = (name: string): boolean =>
    optionalPeers.some(([peer, meta]) => peer === name && meta.get("optional").value() === true);
  const peers = root.get("peerDependencies").entries();
  const all = (entries: readonly [string, JsonPart][]): Map<string, string> =>
    new Map(entries.map(([name, spec]) => [name, checked(what, name, spec.string())]));
  const optional = all(root.get("optionalDependencies").entries());
  const needed = all([...peers.filter(([name]) => !isOptionalPeer(name)), ...root.get("dependencies").entries()]);
  // npm lets the optional one win where a package is named as both.
  return { needed: new Map([...needed].filter(([name]) => !optional.has(name))), optional };
}

/** A dependency by path would copy files of this machine, and one by address escapes the registry's rules. */
function checked(what: string, name: string, spec: string): string {
  const [, alias, range = ""] = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/.exec(spec) ?? [];
  const isSafe = alias === undefined ? PLAIN.test(spec) : NAME.test(alias) && PLAIN.test(range);
  if (NAME.test(name) && isSafe) return spec;
  throw new HugoError("package-unsafe", {
    message: `${what} depends on ${shown(name)} as ${shown(spec)}, which is not a version of a package in a registry`,
    hint: "Nothing was installed. Its author must publish what it depends on.",
  });
}
