import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { tar } from "@atomic/testing/npm/tarball";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { PackageWriter } from "../../src/sources/package-writer.ts";
import { ByteReader } from "../../src/sources/tarball/byte-reader.ts";
import { AmbiguousTar, DamagedTar, readTar, type TarEntry } from "../../src/sources/tarball/read-tar.ts";
import { isPromised, unpack } from "../../src/sources/tarball/unpack.ts";
import { pax, paxRecord, rawTarball } from "../raw-archive.ts";
import { refusalOf } from "./fetching.ts";

async function* pieces(bytes: Uint8Array, length = bytes.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield Buffer.from(bytes.subarray(at, at + length));
}

async function entriesOf(bytes: Uint8Array, length?: number): Promise<[TarEntry, string][]> {
  const found: [TarEntry, string][] = [];
  for await (const { entry, content } of readTar(new ByteReader(pieces(bytes, length)), () => undefined)) {
    found.push([entry, content.toString()]);
  }
  return found;
}

test("an archive reads the same in pieces of any length", async () => {
  const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 150 }).filter((text) => !/[\0/]/.test(text));
  const files = fc.uniqueArray(fc.tuple(name, fc.string({ maxLength: 1500 })), {
    selector: ([path]) => path,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 2000 }), async (wanted, length) => {
      const bytes = tar(wanted.map(([path, content]) => ({ path: `p/${path}`, content })));
      const found = await entriesOf(bytes, length);
      expect(found.map(([{ path }, content]) => [path, content])).toEqual(
        wanted.map(([path, content]) => [`p/${path}`, Buffer.from(content).toString()]),
      );
    }),
    { numRuns: 100 },
  );
});

test("any bytes at all end with entries or with a refusal", async () => {
  const one = tar([{ path: "p/a", content: "x".repeat(700) }]);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: one.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const bytes = Buffer.from(one);
      bytes[at] = (bytes[at] ?? 0) ^ change;
      const outcome = await entriesOf(bytes).catch((error: unknown) => error);
      const isRefused = outcome instanceof DamagedTar || outcome instanceof AmbiguousTar;
      expect(Array.isArray(outcome) || isRefused).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("every truncation inside an entry is detected", async () => {
  const bytes = tar([{ path: "p/a", content: "x".repeat(700) }]);
  for (let length = 1; length < 512 + 700; length += 61) {
    expect(await entriesOf(bytes.subarray(0, length)).catch((error: unknown) => error)).toBeInstanceOf(DamagedTar);
  }
});

const long = "a-folder-with-a-rather-long-name/".repeat(5);

test.each(["v7", "ustar", "gnu", "pax", "posix"])("reads what the system's tar writes as %s", async (format) => {
  await using folder = await temporaryFolder("tar-");
  const path = format === "v7" ? "p/sub/" : `p/${long}`;
  const make = `mkdir -p '${path}' && echo -n hi > '${path}file' && ln -s /etc p/link && chmod +x '${path}file'
    tar --format=${format} --sort=name -cf x.tar p`;
  const made = Bun.spawnSync(["sh", "-c", make], { cwd: folder.path });
  expect(made.stderr.toString()).toBe("");
  const found = await entriesOf(await Bun.file(`${folder.path}/x.tar`).bytes());
  const files = found
    .filter(([{ kind }]) => kind !== "folder")
    .map(([{ path: name, kind, executable }, text]) => [name, kind, executable, text]);
  expect(files.toSorted()).toEqual(
    [
      [`${path}file`, "file", true, "hi"],
      ["p/link", "link", true, ""],
    ].toSorted(),
  );
});

test.each([
  [
    "old npm's notes",
    [pax(`${paxRecord("path", "p/a")}${paxRecord("NODETAR.type", "File")}${paxRecord("size", "1")}`)],
  ],
  [
    "bun's word for names that are not ASCII",
    [pax(`${paxRecord("hdrcharset", "BINARY")}${paxRecord("path", "p/\u00e4")}`)],
  ],
  ["git's note about the commit", [pax(paxRecord("comment", "0".repeat(40)), "g")]],
])("%s are read", async (_, before) => {
  await using folder = await temporaryFolder("tar-");
  const writer = new PackageWriter(folder.path, "x", { files: 9, bytes: 99 });
  const ofLargeOwner = { path: "p", content: "x", fields: { 0: "PaxHeader", 108: "\x80\0\0\0NB\xba\x84" } };
  await unpack(pieces(rawTarball([...before, ofLargeOwner, { path: "p/b", content: "y" }])), writer, "x");
  expect(readdirSync(folder.path)).toContain("b");
});

test("an entry is announced before its content is read, so an endless one is never buffered", async () => {
  const huge = tar([{ path: "p/a", content: "" }]);
  huge.write("77777777777\0", 124, "latin1");
  huge.fill(" ", 148, 156);
  const sum = huge.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  huge.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  await using folder = await temporaryFolder("tar-");
  const writer = new PackageWriter(folder.path, "x", { files: 10, bytes: 1000 });
  expect(await refusalOf(unpack(pieces(huge), writer, "x"))).toMatchObject({ code: "package-unsafe" });
});

test("a small tarball that unpacks to much is stopped early", async () => {
  const bomb = gzipSync(tar([{ path: "p/bomb", content: new Uint8Array(20_000_000) }]));
  await using folder = await temporaryFolder("tar-");
  const writer = new PackageWriter(folder.path, "x", { files: 10, bytes: 1_000_000 });
  expect(bomb.length).toBeLessThan(50_000);
  expect(await refusalOf(unpack(pieces(bomb, 1000), writer, "x"))).toMatchObject({ code: "package-unsafe" });
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each([["agents/a.md"], ["workflow.json"], ["index.js"]])(
  "packages that are packed with %s are left out and named, in any order",
  async (path) => {
    await using folder = await temporaryFolder("tar-");
    const writer = new PackageWriter(folder.path, "x", { files: 9, bytes: 99 });
    for (const each of ["node_modules/@o/c/i.js", "node_modules/.bin/b", path, "node_modules/b/i.js", ".git/config"]) {
      writer.write(each, new Uint8Array(1), false);
    }
    expect(writer.finish()).toEqual(['Left out of x: folder ".git", folder "node_modules" (with @o/c, b)']);
    expect(readdirSync(folder.path)).toEqual([path.replace(/\/.*/, "")]);
  },
);

test("the strongest of several integrity hashes counts", async () => {
  await using folder = await temporaryFolder("tar-");
  const bytes = tar([{ path: "p/a", content: "x" }]);
  const unpacked = await unpack(pieces(bytes), new PackageWriter(folder.path, "x", { files: 9, bytes: 99 }), "x");
  const hash = (algorithm: "sha1" | "sha512") =>
    `${algorithm}-${new Bun.CryptoHasher(algorithm).update(bytes).digest("base64")}`;
  expect(isPromised(unpacked, hash("sha512"))).toBe(true);
  expect(isPromised(unpacked, hash("sha1"))).toBe(true);
  expect(isPromised(unpacked, `${hash("sha512")}?option`)).toBe(true);
  expect(isPromised(unpacked, `sha512-AAAA ${hash("sha512")}`)).toBe(true);
  expect(isPromised(unpacked, `${hash("sha1")} sha512-AAAA`)).toBe(false);
  expect(isPromised(unpacked, "md5-AAAA")).toBe(false);
  expect(isPromised(unpacked, "")).toBe(false);
});

test("bytes are handed out in the lengths that are asked for", async () => {
  const reader = new ByteReader(pieces(Buffer.from("abcdefgh"), 3));
  const taken = [
    await reader.take(2),
    await reader.take(0),
    await reader.take(5),
    await reader.take(9),
    await reader.take(1),
  ];
  expect(taken.map(String)).toEqual(["ab", "", "cdefg", "h", ""]);
});
