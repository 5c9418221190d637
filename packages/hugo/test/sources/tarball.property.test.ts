// Whatever an archive contains: Hugo refuses it, or Hugo and npm's own reader, which OpenCode uses, find the same files in it.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { HugoError } from "../../src/errors.ts";
import { readPackageTree } from "../../src/packages/read-tree.ts";
import { PackageWriter } from "../../src/sources/package-writer.ts";
import { unpack } from "../../src/sources/tarball/unpack.ts";
import { npmTree } from "../npm-reader.ts";
import { octal, pax, paxRecord, type RawEntry, rawEntry, zeros } from "../raw-archive.ts";

/** Nearly always the first; each further one is a trick. */
function mostly<Value>(usual: Value, ...tricks: Value[]): fc.Arbitrary<Value> {
  return fc.oneof({ arbitrary: fc.constant(usual), weight: 40 }, { arbitrary: fc.constantFrom(...tricks), weight: 1 });
}

const long = `package/${"a-rather-long-name/".repeat(6)}index.js`;
const path = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      ...["plugin.js", "lib/a.js", "lib/b.js", "agents/c.md", "d"].map((name) => `package/${name}`),
    ),
    weight: 4,
  },
  {
    arbitrary: fc.constantFrom(
      ...["./package/plugin.js", "package/./plugin.js", "package//plugin.js", "/package/plugin.js", "other/plugin.js"],
      ...[
        "package/Plugin.js",
        "package/plugin.js/",
        "package/plugin.js/x.js",
        "package/lib",
        "package/lib/",
        "plugin.js",
      ],
      ...["package/\u00e9.js", "package/e\u0301.js", "package/c:/plugin.js", "package/..", "package/lib/../plugin.js"],
      ...["package\\plugin.js", "package/lib\\a.js", "package/\ud83d\ude00.js", "../package/plugin.js", "package/", ""],
      ...["package/.npmignore", "package/plugin.js ", "package/plugin.js.", "package/a\nb.js", "package"],
    ),
    weight: 1,
  },
);

/** Looks like the beginning of another file to a reader that is at the wrong place. */
const smuggled = Buffer.concat([rawEntry({ path: "package/plugin.js", content: "smuggled" }), zeros(2)]);
const content = fc.oneof(
  fc.constantFrom("", "one", "x".repeat(511), "y".repeat(512), "z".repeat(513)),
  fc.constant(smuggled),
);

const field = (...values: string[]) => fc.constantFrom(...values);
const rightSize = Symbol("the right size");
const entry: fc.Arbitrary<Buffer> = fc
  .record({
    path,
    content,
    flag: mostly("0", "\0", "1", "2", "3", "4", "5", "6", "7", "L", "K", "S", "D", "V", "N", "X", "A"),
    target: mostly("", "package/d", "lib", "\0x"),
    magic: mostly("ustar\x0000", "ustar  \0", "", "ustar\0 x", "ustar\0  ", "ustar\x001", "USTAR\x0000"),
    prefix: mostly("", "package", "package/docs", `p${"/q".repeat(70)}`, "docs\0\n/lib", "package\0x"),
    size: mostly<typeof rightSize | string>(
      rightSize,
      "0",
      "00000000000\0",
      "00000001000\0",
      "1\0",
      "0x10\0",
      "\0",
      "8\0",
    ),
    checksum: mostly(
      (sum: number) => `${octal(sum, 6)}\0 `,
      (sum: number) => `${octal(sum, 7)}\0`,
      (sum: number) => `${octal(sum, 6)} \0`,
      (sum: number) => octal(sum, 8),
      (sum: number) => ` ${octal(sum, 5)}\0`,
      (sum: number) => `${octal(sum + 1, 6)}\0 `,
      (sum: number) => `\0${octal(sum, 6)}`,
      () => "\0\0\0\0\0\0\0\0",
    ),
    other: fc.oneof(
      { arbitrary: fc.constant({}), weight: 20 },
      {
        arbitrary: fc.dictionary(
          field("100", "108", "116", "136", "329", "337", "476", "488", "500", "90", "250").map(String),
          field(
            "\x80\0\0\0\0\0\0\x01",
            "\xff\xff\xff\xff\xff\xff\xff\xfe",
            "\x81",
            "zzz",
            "       ",
            "0000755\0",
            "\n/x",
            "-1",
          ),
          { maxKeys: 2 },
        ),
        weight: 1,
      },
    ),
  })
  .map(({ size, other, ...rest }) =>
    rawEntry({ ...rest, fields: other, ...(typeof size === "string" ? { size } : {}) } as RawEntry),
  );

const record = fc
  .tuple(
    mostly(
      "path",
      "size",
      "linkpath",
      "mtime",
      "comment",
      "hdrcharset",
      "charset",
      "GNU.sparse.name",
      "type",
      "SCHILY.filetype",
      "x",
    ),
    fc.oneof(
      { arbitrary: fc.constantFrom("package/lib/from-pax.js", long, "package/lib/\u00e9.js", "PaxHeader"), weight: 6 },
      { arbitrary: path, weight: 1 },
      {
        arbitrary: fc.constantFrom(
          "",
          "0",
          "512",
          "1e2",
          "BINARY",
          "0x10",
          "a\0b",
          `a\n${paxRecord("path", "package/plugin.js")}`,
          "-1",
          "a=b",
        ),
        weight: 1,
      },
    ),
    mostly(0, 1, -1, 700),
  )
  .map(([key, value, length]) => paxRecord(key, value, length));
const paxHeader = fc
  .tuple(
    fc.array(record, { minLength: 1, maxLength: 2 }),
    mostly<"x" | "g">("x", "g"),
    mostly("", "0", "\n", "junk", "9 a"),
  )
  .map(([records, flag, junk]) => pax(junk === "0" ? `0${records.join("")}` : records.join("") + junk, flag));
const gnuName = fc
  .tuple(fc.constantFrom("L", "K"), fc.constantFrom(`${long}\0`, long, "package/plugin.js\0\nx", "package/d.js\0", ""))
  .map(([flag, text]) => rawEntry({ path: "././@LongLink", flag, content: text, magic: "ustar  \0" }));

const parts = fc.array(
  fc.oneof(
    { arbitrary: entry, weight: 30 },
    { arbitrary: paxHeader, weight: 3 },
    { arbitrary: gnuName, weight: 1 },
    {
      arbitrary: fc.constantFrom(zeros(1), zeros(2), Buffer.alloc(512, "x"), Buffer.from("short"), smuggled),
      weight: 1,
    },
  ),
  { maxLength: 6 },
);
const end = mostly<Buffer>(
  zeros(2),
  zeros(20),
  zeros(1),
  Buffer.alloc(0),
  Buffer.alloc(700),
  Buffer.concat([zeros(2), smuggled]),
  Buffer.concat([zeros(1), smuggled]),
  Buffer.concat([zeros(2), Buffer.from("x")]),
);

const manifest = rawEntry({ path: "package/package.json", content: '{"name":"p","version":"1.0.0"}' });
const other = gzipSync(
  Buffer.concat([rawEntry({ path: "package/plugin.js", content: "of another member" }), zeros(2)]),
);
const zip = mostly(
  (bytes: Buffer): Buffer => gzipSync(bytes),
  (bytes: Buffer) => bytes,
  (bytes: Buffer) => Buffer.concat([gzipSync(bytes.subarray(0, 512)), gzipSync(bytes.subarray(512))]),
  (bytes: Buffer) => Buffer.concat([gzipSync(bytes), other]),
  (bytes: Buffer) => Buffer.concat([gzipSync(bytes), Buffer.alloc(9)]),
  (bytes: Buffer) => Buffer.concat([gzipSync(bytes), Buffer.from("trailing")]),
  (bytes: Buffer) => Buffer.concat([gzipSync(Buffer.alloc(0)), gzipSync(bytes)]),
  (bytes: Buffer) => gzipSync(bytes).subarray(0, -3),
  (bytes: Buffer) => Buffer.concat([gzipSync(bytes).subarray(0, -8), Buffer.alloc(8)]),
);
const archive = fc
  .tuple(parts, end, zip)
  .map(([list, tail, zipped]) => zipped(Buffer.concat([manifest, ...list, tail])));

/** Undefined if Hugo refuses it. */
async function hugoTree(bytes: Buffer, folder: string): Promise<Map<string, string> | undefined> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 300) yield bytes.subarray(at, at + 300);
  }
  try {
    const writer = new PackageWriter(folder, "p", { files: 100, bytes: 100_000 });
    await unpack(chunks(), writer, "p");
    writer.finish();
    const tree = [...readPackageTree(folder)].sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(tree.map(([name, file]) => [name, Buffer.from(file.bytes).toString("utf8")]));
  } catch (error) {
    if (error instanceof HugoError) return undefined;
    throw error;
  }
}

test("an archive that Hugo accepts contains the same files for npm, whatever its bytes are", async () => {
  await using folder = await temporaryFolder("tar-");
  let run = 0;
  const outcomes = { refused: 0, same: 0 };
  await fc.assert(
    fc.asyncProperty(archive, async (bytes) => {
      run += 1;
      const place = join(folder.path, String(run));
      const hugo = await hugoTree(bytes, join(place, "hugo"));
      outcomes[hugo === undefined ? "refused" : "same"] += 1;
      if (hugo !== undefined) expect([...hugo]).toEqual([...((await npmTree(bytes, place)) ?? [])]);
    }),
    { numRuns: 600 },
  );
  // Otherwise it would compare nothing, or try nothing.
  expect(outcomes.same).toBeGreaterThan(80);
  expect(outcomes.refused).toBeGreaterThan(80);
});
