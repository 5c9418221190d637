// Registries that do not tell the truth, or tell too much of it, and what packages depend on.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { pax, paxRecord } from "../../raw-archive.ts";
import type { Hostile } from "../hostile-package.ts";
import { bomb, folder, harmless, json, leavesOut, onlyHarmless, openTar, published } from "../making.ts";
import type { World } from "../world.ts";

/** A registry with scripted answers by path, and its own answers for all other paths. */
async function registryOf(world: World, answers: (url: string) => Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers(url)[decodeURIComponent(request.url ?? "")];
    if (answer === undefined) response.writeHead(404).end("{}");
    else if (typeof answer === "function") answer(response);
    else response.end(answer);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`;
  world.own({
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
  return url;
}

type Answer = string | Buffer | ((response: import("node:http").ServerResponse) => void);

const packument = (versions: object, tags: object = { latest: "1.0.0" }): string =>
  json({ name: "evil", "dist-tags": tags, versions, time: { "1.0.0": "2020-01-01T00:00:00.000Z" } });

const answering = (
  what: string,
  answers: (url: string, world: World) => Readonly<Record<string, Answer>>,
  expected: Hostile["expected"],
  more: Partial<Hostile> = {},
): Hostile => ({
  what,
  make: async (world) => {
    const url = await registryOf(world, (own) => answers(own, world));
    const env = { npm_config_registry: url, BUN_CONFIG_REGISTRY: url };
    return { argv: ["install", "--yes", "evil"], env };
  },
  expected,
  ...more,
});

const at = (tarball: string, more: object = {}) => ({
  "1.0.0": { name: "evil", version: "1.0.0", dist: { tarball, integrity: OTHER_BYTES, ...more } },
});
/** Of bytes that do not exist. */
const OTHER_BYTES = `sha512-${Buffer.alloc(64).toString("base64")}`;
/** Of a harmless package called evil. */
const named = openTar([{ path: "package/package.json", content: json({ name: "evil", version: "1.0.0" }) }]);
const depending = (what: string, dependencies: (world: World) => object, says: string | RegExp): Hostile => ({
  what,
  make: (world) =>
    folder(world, "plug", {
      ...harmless,
      "package.json": json({ name: "plug", version: "1.0.0", main: "index.js", dependencies: dependencies(world) }),
      "workflow.json": json({ agents: ["looker"], commands: [], skills: [] }),
      "index.js": "export default async () => ({});\n",
    }),
  expected: { code: "package-unsafe", says },
});

/** A plugin that is packed with code that no hash covers: it stays out of the project. */
const packing = (what: string, path: string): Hostile => ({
  what,
  make: (world) =>
    published(world, {
      name: `packs${path.replace(/\W/g, "")}`,
      manifest: { main: "index.js", bundleDependencies: ["evil"] },
      files: {
        "workflow.json": json({ agents: ["looker"], commands: [], skills: [] }),
        "index.js": `import "./${path}";\nexport default async () => ({});\n`,
        [path]: "process.exit(1);\n",
      },
    }),
  expected: { installed: leavesOut(path) },
});

export const registries: readonly Hostile[] = [
  packing("code in dependencies that are packed with a plugin", "node_modules/evil/i.js"),
  packing("code among the version control files of a plugin", ".git/hooks/i.js"),
  answering(
    "a tarball on this machine",
    (_, { root }) => ({ "/evil": packument(at(`file://${root}/outside/secret.md`)) }),
    {
      code: "network-failed",
      says: "does not say where",
    },
  ),
  answering(
    "an answer that leads to another kind of address",
    (url) => ({
      "/evil": (response) => response.writeHead(302, { location: `${url.replace("http", "ftp")}x` }).end(),
    }),
    { code: "network-failed", says: "unsafe" },
    { once: true },
  ),
  answering(
    "answers that lead in circles",
    (url) => ({
      "/evil": (response) => response.writeHead(302, { location: `${url}evil` }).end(),
    }),
    { code: "network-failed", says: "too many times" },
    { once: true },
  ),
  answering(
    "versions that are keys of every object",
    () => ({
      "/evil": `{ "name": "evil", "dist-tags": { "latest": "__proto__", "__proto__": "1.0.0" }, "versions": { "__proto__": { "dist": { "tarball": "http://127.0.0.1:1/x" } }, "constructor": {} } }`,
    }),
    { code: "version-not-found", says: "evil" },
  ),
  answering(
    "a version that is a path",
    (url) => ({
      "/evil": packument({ "../../x": { dist: { tarball: `${url}x` } } }, { latest: "../../x" }),
    }),
    { code: "version-not-found", says: "evil" },
  ),
  answering(
    "a hundred thousand versions",
    (url) => ({
      "/evil": packument(
        Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`0.${i}.0`, { dist: { tarball: `${url}x` } }])),
        { latest: "0.99999.0" },
      ),
    }),
    { code: "release-too-new", says: "evil" },
    { once: true },
  ),
  answering(
    "an answer of a million brackets",
    () => ({ "/evil": `{"versions":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}` }),
    {
      code: "version-not-found",
      says: "evil",
    },
  ),
  answering(
    "a tarball that is announced with two gigabytes",
    (url) => ({
      "/evil": packument(at(`${url}evil.tgz`, { unpackedSize: 2 ** 31, fileCount: 3 })),
    }),
    { code: "package-unsafe", says: "MiB" },
  ),
  answering(
    "a tarball that is announced with a hundred thousand files",
    (url) => ({
      "/evil": packument(at(`${url}evil.tgz`, { fileCount: 100_000 })),
    }),
    { code: "package-unsafe", says: "20000 files" },
  ),
  answering(
    "a tarball of two gigabytes without an announced size",
    (url) => ({
      "/evil": packument(at(`${url}evil.tgz`)),
      "/evil.tgz": bomb(openTar(), pax(paxRecord("comment", "x".repeat(60_000)), "g"), 40_000),
    }),
    { code: "package-unsafe", says: "MiB" },
    { once: true },
  ),
  answering(
    "other bytes than the ones that were promised",
    (url) => ({
      "/evil": packument(at(`${url}evil.tgz`)),
      "/evil.tgz": named,
    }),
    { code: "integrity-mismatch", says: "does not match the registry's checksum" },
  ),
  ...(
    [
      ["no checksum", { integrity: undefined }, "no checksum"],
      ["an empty checksum", { integrity: "" }, "no checksum"],
      ["a checksum that is not text", { integrity: { sha512: "x" } }, "no checksum"],
      ["half a SHA-1", { integrity: undefined, shasum: "da39a3ee5e6b4b0d" }, "no checksum"],
      ["an MD5 sum only", { integrity: "md5-1B2M2Y8AsgTpgAmY7PhCfg==" }, "does not match the registry's checksum"],
      [
        "a SHA-1 of other bytes",
        { integrity: undefined, shasum: "0".repeat(40) },
        "does not match the registry's checksum",
      ],
    ] as const
  ).map(([what, more, says]) =>
    answering(
      `a tarball with ${what}`,
      (url) => ({ "/evil": packument(at(`${url}evil.tgz`, more)), "/evil.tgz": named }),
      { code: "integrity-mismatch", says },
    ),
  ),
  answering(
    "a tarball with a SHA-1 only, as before 2017",
    (url) => ({
      "/evil": packument(
        at(`${url}evil.tgz`, { integrity: undefined, shasum: createHash("sha1").update(named).digest("hex") }),
      ),
      "/evil.tgz": named,
    }),
    {
      installed: ({ files, ...rest }) => {
        onlyHarmless({ files, ...rest });
        // The lock has a checksum that cannot be forged.
        if (!files.get("hugo.json")?.includes("sha512-")) throw new Error("The lock has no SHA-512.");
      },
    },
  ),
  depending("a dependency whose name is a path", () => ({ "../../../outside/x": "1" }), "depends on"),
  depending("a dependency that is a file elsewhere", ({ root }) => ({ x: `file:${root}/outside` }), "depends on"),
  depending("a dependency that is a link", ({ root }) => ({ x: `link:${root}/outside` }), "depends on"),
  depending(
    "a dependency from git with an option",
    ({ trap }) => ({ x: `git+ssh://-oProxyCommand=${trap("dependency")}/x` }),
    "depends on",
  ),
  depending(
    "GHSA-fr4h-3cph-29xv (pnpm): a dependency with another name that is a path",
    () => ({ x: "npm:../../x@1" }),
    "depends on",
  ),
  {
    what: "a dependency with scripts that it would be trusted with",
    make: (world) => {
      world.registry.publish({
        name: "tool",
        version: "1.0.0",
        manifest: { scripts: { postinstall: world.trap("dependency-script") }, bin: { "../../x": "x.js" } },
        files: { "index.js": "" },
      });
      return trustingPlugin(world, "tool");
    },
    expected: {
      installed: ({ printed }) => {
        if (!printed.includes("tool")) throw new Error("It was not reported.");
      },
    },
  },
  {
    what: "a dependency with a path that leaves it",
    make: (world) => {
      world.registry.publish({
        name: "slip",
        version: "1.0.0",
        files: { "index.js": "" },
        entries: [{ path: "package/../../../outside/slip.md", content: "x" }],
      });
      return trustingPlugin(world, "slip");
    },
    expected: { code: "package-unsafe", says: "points outside the package" },
  },
  {
    what: "a package that is published under a name much like another",
    make: (world) => published(world, { name: "l00ker", manifest: { description: "The one and only" } }),
    expected: { installed: onlyHarmless },
  },
];

/** A plugin that would let its dependency run scripts. */
function trustingPlugin(world: World, dependency: string): string {
  return folder(world, `plug-${dependency}`, {
    ...harmless,
    "package.json": json({
      name: "plug",
      version: "1.0.0",
      main: "index.js",
      dependencies: { [dependency]: "1.0.0" },
      trustedDependencies: [dependency],
    }),
    "workflow.json": json({ agents: ["looker"], commands: [], skills: [] }),
    "index.js": "export default async () => ({});\n",
    "bunfig.toml": "[install]\nlifecycleScripts = true\n",
    ".npmrc": "ignore-scripts=false\n",
  });
}
