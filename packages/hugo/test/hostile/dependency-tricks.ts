// What a plugin can do with the packages that its code needs.
import { packageEntries, tarball } from "@atomic/testing/npm/tarball";
import type { PackageToPublish } from "@atomic/testing/npm-registry";
import type { Lie } from "./lying-registry.ts";
import {
  code,
  dist,
  exact,
  isHugo,
  type Lab,
  library,
  MISMATCH,
  plugin,
  type RegistryTrick,
  release,
  tool,
} from "./registry-trick.ts";

/** A plugin that imports its tool, with this in its package.json. */
const importing = (name: string, lab: Lab, manifest: object): PackageToPublish =>
  plugin(name, lab, { manifest, imports: tool(name) });

const shown = (name: string): string => `${tool(name)} 1.0.0`;
const needed = (name: string): object => ({ dependencies: { [tool(name)]: "1.0.0" } });

/** A registry that says something about the tool that is not so. */
const lyingAbout = (what: string, lie: Lie, more: Partial<RegistryTrick>): RegistryTrick => ({
  what,
  publish: (name, lab, isFair) => {
    lab.registry.good.publish(library(tool(name), lab, "shown"), importing(name, lab, needed(name)));
    lab.registry.evil.publish(library(tool(name), lab, "evil"));
    if (!isFair) lab.registry.lie(tool(name), lie);
  },
  ...more,
});

/** A tool that is something else inside. */
const posing = (what: string, own: (name: string) => object, says: RegExp): RegistryTrick => ({
  what,
  publish: (name, lab, isFair) => {
    const { files, manifest } = library(tool(name), lab, isFair ? "shown" : "evil");
    const json = { ...manifest, name: tool(name), version: "1.0.0", ...(!isFair && own(name)) };
    const packed = tarball(packageEntries({ ...files, "package.json": JSON.stringify(json) }));
    lab.registry.good.publishTarball({ name: tool(name), version: "1.0.0", tarball: packed });
    lab.registry.good.publish(importing(name, lab, needed(name)));
  },
  says,
  fools: exact,
});

/** Another package that the plugin depends on, under this name. */
const alias = (what: string, as: (name: string) => string, files?: (name: string) => object): RegistryTrick => ({
  what,
  publish: (name, lab, isFair) => {
    const other = isFair ? {} : { [as(name)]: `npm:${name}-other@1.0.0` };
    const dependencies = { [tool(name)]: "1.0.0", ...other };
    const whose = as(name) === tool(name) ? "shown" : "evil";
    lab.registry.good.publish(
      library(tool(name), lab, "shown"),
      library(`${name}-other`, lab, whose),
      plugin(name, lab, { manifest: { dependencies }, imports: tool(name), files: { ...files?.(name) } }),
    );
  },
  shows: (name) => `${name}-other 1.0.0`,
});

/** A module that no registry has given, inside of a package. */
const packed = (name: string, { mark }: Lab): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "1.0.0", type: "module", main: "index.js" }),
  [`node_modules/${name}/index.js`]: `${mark}export const whose = "evil";\n`,
});

/** One for other systems, which the plugin takes if it is there. */
const native = (what: string, lie: Lie | undefined): RegistryTrick => ({
  what,
  publish: (name, lab, isFair) => {
    const other = `${name}-native`;
    const isHere = lie !== undefined;
    lab.registry.good.publish(library(other, lab, isHere ? "shown" : "evil", { manifest: { os: ["plan9"] } }));
    if (!isFair && isHere) lab.registry.lie(other, lie);
    const prompt = `(await import("${other}").catch(() => ({ whose: "shown" }))).whose`;
    const manifest = { optionalDependencies: { [other]: "1.0.0" } };
    lab.registry.good.publish(plugin(name, lab, { manifest, files: { "plugin.js": code(name, prompt) } }));
  },
  shows: (name) => `${name}-native 1.0.0`,
});

export const dependencyTricks: readonly RegistryTrick[] = [
  lyingAbout(
    "a dependency that is another one for every client but Hugo",
    { isEvil: (asked) => !isHugo(asked) },
    {
      shows: shown,
      fools: exact,
    },
  ),
  lyingAbout("a dependency with other bytes", { isEvil: ({ kind }) => kind === "tarball" }, { says: MISMATCH }),
  lyingAbout("a dependency without a checksum", dist({ integrity: undefined, shasum: undefined }), {
    says: "no checksum",
  }),
  posing(
    "a dependency that is another package inside",
    (name) => ({ name: `${name}-evil` }),
    /calls itself ".*-evil" 1\.0\.0/,
  ),
  posing("a dependency that is another version inside", () => ({ version: "6.6.6" }), /calls itself ".*-tool" 6\.6\.6/),
  posing("a dependency without a name inside", () => ({ name: undefined }), /calls itself "nothing" 1\.0\.0/),
  alias("a dependency that is another package under its name", tool),
  alias("a dependency called like the plugin", (name) => name),
  alias(
    "a dependency called like a part of the runtime",
    () => "fs",
    (name) => ({ "plugin.js": code(name, "whose", `import "fs";\nimport { whose } from "${tool(name)}";\n`) }),
  ),
  {
    what: "a dependency that the plugin packs itself",
    publish: (name, lab, isFair) => {
      const manifest = { ...needed(name), ...(!isFair && { bundleDependencies: [tool(name)] }) };
      const files = isFair ? {} : packed(tool(name), lab);
      lab.registry.good.publish(
        library(tool(name), lab, "shown"),
        plugin(name, lab, { manifest, imports: tool(name), files }),
      );
    },
    shows: (name) => `instead of bundled copies: ${name} (${tool(name)})`,
    fools: exact,
  },
  {
    what: "a dependency that packs another one",
    publish: (name, lab, isFair) => {
      const inner = `${name}-inner`;
      const manifest = { dependencies: { [inner]: "1.0.0" }, ...(!isFair && { bundleDependencies: [inner] }) };
      const files = { "index.js": `export { whose } from "${inner}";\n`, ...(!isFair && packed(inner, lab)) };
      lab.registry.good.publish(
        library(inner, lab, "shown"),
        library(tool(name), lab, "shown", { manifest, files }),
        importing(name, lab, needed(name)),
      );
    },
    shows: (name) => `${name}-inner 1.0.0`,
    fools: exact,
  },
  {
    what: "a package that the plugin imports and does not name",
    publish: (name, lab) => {
      const prompt = `(await import("${name}-other").catch(() => ({ whose: "shown" }))).whose`;
      lab.registry.good.publish(
        library(`${name}-other`, lab, "evil"),
        plugin(name, lab, { files: { "plugin.js": code(name, prompt) } }),
      );
    },
  },
  native("an optional dependency for other systems", undefined),
  native("an optional dependency for other systems that is said to be for all", release({ os: [] })),
  {
    what: "a package that the plugin wants beside it",
    publish: (name, lab) => {
      const manifest = { peerDependencies: { [tool(name)]: "1.0.0" } };
      lab.registry.good.publish(library(tool(name), lab, "shown"), importing(name, lab, manifest));
    },
    shows: shown,
  },
  {
    what: "scripts in a plugin and in its dependency",
    publish: (name, lab, isFair) => {
      const names = isFair ? [] : ["preinstall", "install", "postinstall", "prepare", "dependencies"];
      const scripts = Object.fromEntries(names.map((each) => [each, `touch "$HOME/../loaded"`]));
      const tools = library(tool(name), lab, "shown", { manifest: { scripts } });
      lab.registry.good.publish(tools, importing(name, lab, { scripts, ...needed(name) }));
    },
    shows: shown,
  },
  {
    what: "a dependency whose programs are called like others",
    publish: (name, lab, isFair) => {
      const names = isFair ? [] : ["git", "node", "sh", "opencode", "rg"];
      const manifest = { bin: Object.fromEntries(names.map((each) => [each, "evil.js"])) };
      const files = { "evil.js": `#!/usr/bin/env node\n${lab.mark}` };
      lab.registry.good.publish(
        library(tool(name), lab, "shown", { manifest, files }),
        importing(name, lab, needed(name)),
      );
    },
    shows: shown,
  },
  {
    what: "a dependency whose name has an invisible character",
    publish: (name, lab, isFair) => {
      const dependencies = { [tool(name)]: "1.0.0", ...(!isFair && { [`${tool(name)}\u200b`]: "1.0.0" }) };
      lab.registry.good.publish(library(tool(name), lab, "shown"), importing(name, lab, { dependencies }));
    },
    says: "which is not a version from a registry",
  },
];
