// What a registry can do to have OpenCode load something else than what Hugo shows.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { packageEntries, tarball } from "@atomic/testing/npm/tarball";
import type { Answer, Asked, Lie } from "./lying-registry.ts";
import {
  both,
  code,
  type Document,
  dist,
  document,
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

/** Other bytes for some clients. */
const twoFaced = (
  what: string,
  isEvil: (asked: Asked) => boolean,
  more: Partial<RegistryTrick> = {},
): RegistryTrick => ({ what, publish: both, lie: () => ({ isEvil }), fools: exact, ...more });

/** A second release, which is not requested. */
const withOther =
  (version: string) =>
  (name: string, lab: Lab, isFair: boolean): void => {
    lab.registry.good.publish(plugin(name, lab));
    if (!isFair) lab.registry.good.publish({ ...plugin(name, lab, { version, whose: "evil" }), tag: "next" });
  };

const digest = (algorithm: string, bytes: Uint8Array): string =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`;
const sha1 = (bytes: Uint8Array): string => createHash("sha1").update(bytes).digest("hex");
const OTHER = Buffer.from("other bytes");

/** A checksum that is not the usual one. */
const checksum = (what: string, of: (good: Buffer) => object, says?: string): RegistryTrick => ({
  what: `a checksum: ${what}`,
  lie: async (name, { registry: { good } }) => {
    const answer = await fetch(`${good.url}${name}/-/${name}-1.0.0.tgz`);
    return dist(of(Buffer.from(await answer.arrayBuffer())));
  },
  ...(says !== undefined && { says }),
});

/** The address of a package on another host. */
const elsewhere = (whose: "good" | "evil", name: string, { registry }: Lab): string =>
  `${registry.elsewhere}${whose}/${name}`;
const tarballElsewhere = (...of: Parameters<typeof elsewhere>): string => `${elsewhere(...of)}/-/${of[1]}-1.0.0.tgz`;

/** Another answer when the tarball is asked for. */
const download = (
  what: string,
  change: (body: Buffer, name: string, lab: Lab) => Partial<Answer>,
  says?: string | RegExp,
): RegistryTrick => ({
  what,
  publish: both,
  lie: (name, lab): Lie => ({
    edit: (answer, { kind }) => void Object.assign(answer, kind === "tarball" && change(answer.body, name, lab)),
  }),
  ...(says !== undefined && { says }),
});

const NOT_IT = /damaged|more than one way|does not match/;

export const registryTricks: readonly RegistryTrick[] = [
  // Answers that depend on the client.
  twoFaced("other bytes for every client but Hugo", (asked) => !isHugo(asked)),
  twoFaced("other bytes for clients that accept other kinds of answers", ({ headers }) =>
    ["application/json", "*/*"].includes(headers.accept ?? ""),
  ),
  {
    what: "a short document that contradicts the long one",
    publish: both,
    lie: () => ({ isEvil: ({ headers }) => headers.accept?.includes("install-v1") === true }),
  },
  twoFaced("other bytes for clients with npm's name", ({ headers }) => /^npm\//.test(headers["user-agent"] ?? "")),
  twoFaced("other bytes from the second question on", ({ before }) => before > 0, {
    ciSays: "does not match the lock",
  }),
  {
    what: "a tarball that is another one at the second download",
    publish: both,
    lie: () => ({ isEvil: ({ kind, before }) => kind === "tarball" && before > 0 }),
    ciSays: MISMATCH,
  },

  // Tags and versions.
  {
    what: "a newest version that is another one at the second question",
    publish: withOther("1.0.1"),
    lie: () =>
      document(({ "dist-tags": tags }, { before }) => void Object.assign(tags, before > 0 && { latest: "1.0.1" })),
    fools: (name) => name,
  },
  {
    what: "tags that are called like versions",
    publish: withOther("6.6.6"),
    lie: () => document(({ "dist-tags": tags }) => void Object.assign(tags, { "1.0.0": "6.6.6", "^1.0.0": "6.6.6" })),
  },
  {
    what: "a newest version that does not exist",
    lie: () => document(({ "dist-tags": tags }) => void Object.assign(tags, { latest: "9.9.9" })),
    says: "has no tag latest",
  },
  download("a version that is gone when it is downloaded", () => ({ status: 404 }), "does not have the tarball"),
  {
    what: "a version under the number of another one",
    publish: withOther("6.6.6"),
    lie: () => document(({ versions }) => void Object.assign(versions, { "1.0.0": versions["6.6.6"] })),
    says: /calls itself ".*" 6\.6\.6/,
    fools: exact,
  },
  {
    what: "a package under the name of another one",
    publish: (name, lab, isFair) => {
      lab.registry.good.publish(plugin(name, lab));
      if (!isFair) lab.registry.good.publish(plugin(`${name}-evil`, lab, { whose: "evil" }));
    },
    lie: async (name, { registry }) => {
      const { versions } = (await (await fetch(`${registry.url}${name}-evil`)).json()) as Document;
      return release({ dist: versions["1.0.0"]?.dist });
    },
    says: /calls itself ".*-evil"/,
    fools: exact,
  },

  // A document that contradicts the package.json in the tarball, which is the one that counts.
  {
    what: "another main file in its document than in the package",
    publish: (name, lab, isFair) => {
      const files = isFair ? {} : { "other.js": lab.mark + code(name, '"evil"') };
      lab.registry.good.publish(plugin(name, lab, { files }));
    },
    lie: () => release({ main: "other.js", exports: { "./server": "./other.js" } }),
  },
  {
    what: "a dependency in its document that the package does not have",
    publish: (name, lab) =>
      lab.registry.good.publish(library(tool(name), lab, "evil", { manifest: {} }), plugin(name, lab)),
    lie: (name) => release({ dependencies: { [tool(name)]: "1.0.0" } }),
  },
  ...(
    [
      ["another version of a dependency in its document than in the package", () => "6.6.6"],
      ["a dependency in its document that is another package", (name: string) => `npm:${name}-evil@1.0.0`],
    ] as const
  ).map(
    ([what, spec]): RegistryTrick => ({
      what,
      publish: (name, lab) => {
        const dependencies = { [tool(name)]: "1.0.0" };
        lab.registry.good.publish(
          library(tool(name), lab, "shown"),
          library(tool(name), lab, "evil", { version: "6.6.6", tag: "next" }),
          library(`${name}-evil`, lab, "evil"),
          plugin(name, lab, { manifest: { dependencies }, imports: tool(name) }),
        );
      },
      lie: (name) => release({ dependencies: { [tool(name)]: spec(name) } }),
      shows: (name) => `${tool(name)} 1.0.0`,
      fools: exact,
    }),
  ),
  {
    what: "a dependency that its document conceals",
    publish: (name, lab) => {
      lab.registry.good.publish(library(tool(name), lab, "shown"));
      const manifest = { dependencies: { [tool(name)]: "1.0.0" } };
      lab.registry.good.publish(plugin(name, lab, { manifest, imports: tool(name) }));
    },
    lie: () => release({ dependencies: {} }),
    shows: (name) => `${tool(name)} 1.0.0`,
  },

  // Checksums.
  checksum("none", () => ({ integrity: undefined, shasum: undefined }), "no checksum"),
  checksum("an empty one", () => ({ integrity: "", shasum: "" }), "no checksum"),
  checksum("SHA-1 alone", (good) => ({ integrity: undefined, shasum: sha1(good) })),
  checksum("SHA-1 alone, of other bytes", () => ({ integrity: undefined, shasum: sha1(OTHER) }), MISMATCH),
  checksum("SHA-256 alone", (good) => ({ integrity: digest("sha256", good) })),
  checksum("MD5 alone", (good) => ({ integrity: digest("md5", good) }), MISMATCH),
  checksum("SHA-3 alone", (good) => ({ integrity: digest("sha3-512", good) }), MISMATCH),
  checksum(
    "a strong one of other bytes beside a weak one of these",
    (good) => ({ integrity: `${digest("sha1", good)} ${digest("sha512", OTHER)}` }),
    MISMATCH,
  ),
  checksum("a weak one of other bytes beside a strong one of these", (good) => ({
    integrity: `${digest("sha1", OTHER)} ${digest("sha512", good)}`,
  })),
  checksum("two strong ones, one of them of other bytes", (good) => ({
    integrity: `${digest("sha512", OTHER)} ${digest("sha512", good)}`,
  })),
  checksum("one with options", (good) => ({ integrity: `${digest("sha512", good)}?x=y` })),
  checksum(
    "in capital letters",
    (good) => ({ integrity: digest("sha512", good).replace("sha512", "SHA512") }),
    MISMATCH,
  ),
  checksum("with an invisible character", (good) => ({ integrity: `\u200b${digest("sha512", good)}` }), MISMATCH),
  checksum("cut short", (good) => ({ integrity: digest("sha512", good).slice(0, 40) }), MISMATCH),

  // The way of the bytes.
  download(
    "a tarball of another package",
    () => ({ body: tarball(packageEntries({ "package.json": "{}" })) }),
    MISMATCH,
  ),
  download("a tarball that another host has", (_, ...of) => ({
    status: 302,
    headers: { location: tarballElsewhere("good", ...of) },
  })),
  download(
    "other bytes that another host has",
    (_, ...of) => ({ status: 302, headers: { location: tarballElsewhere("evil", ...of) } }),
    MISMATCH,
  ),
  {
    what: "a tarball whose address is that of another host",
    lie: (...of) => dist({ tarball: tarballElsewhere("good", ...of) }),
  },
  {
    what: "other bytes whose address is that of another host",
    publish: both,
    lie: (...of) => dist({ tarball: tarballElsewhere("evil", ...of) }),
    says: MISMATCH,
  },
  {
    what: "a tarball whose address has a password",
    lie: (...of) => dist({ tarball: tarballElsewhere("good", ...of).replace("//", "//me:secret@") }),
  },
  {
    what: "a tarball on the user's disk",
    lie: (name) => dist({ tarball: `file:///tmp/${name}.tgz` }),
    says: "does not say where",
  },
  {
    what: "a document that another host has",
    lie: (...of) => ({
      edit: (answer, { kind }) => {
        if (kind === "packument")
          Object.assign(answer, { status: 301, headers: { location: elsewhere("good", ...of) } });
      },
    }),
  },
  download("a tarball that is said to be packed twice", () => ({ headers: { "content-encoding": "gzip" } })),
  download("a tarball that is packed twice", (body) => ({ body: gzipSync(body) }), NOT_IT),
  download(
    "a tarball that is packed twice, and said to be",
    (body) => ({ body: gzipSync(body), headers: { "content-encoding": "gzip" } }),
    NOT_IT,
  ),
  download("half a tarball", (body) => ({ body: body.subarray(0, body.length / 2) }), NOT_IT),
  download("a tarball with more behind it", (body) => ({ body: Buffer.concat([body, gzipSync("more")]) }), NOT_IT),
  download("a page instead of a tarball", () => ({ body: Buffer.from("<html>Log in</html>") }), NOT_IT),
  download("the answer that nothing has changed", () => ({ status: 304, body: Buffer.alloc(0) }), "returned 304"),
  download("a part of the tarball", () => ({ status: 206 }), "returned 206"),
];
