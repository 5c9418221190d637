// Archives that show one plugin.js to one program and another one to the next.
import { gzipSync } from "node:zlib";
import { octal, pax, paxRecord, type RawEntry, rawEntry, zeros } from "../raw-archive.ts";

export interface ArchiveTrick {
  /** Completes "a tarball with …". */
  readonly what: string;
  /** The archive: `good` is what an honest one consists of, `evil` is a file that must never be loaded. */
  make(good: readonly RawEntry[], evil: RawEntry): Buffer;
  /** What Hugo says about it. */
  readonly says: string | RegExp;
  /** npm's reader, the one inside OpenCode, takes the evil file. */
  readonly isReadByNpm?: true;
}

type Part = RawEntry | Buffer;

const tar = (...parts: readonly Part[]): Buffer =>
  Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : rawEntry(part))));
const whole = (...parts: readonly Part[]): Buffer => gzipSync(tar(...parts, zeros(2)));

/** More entries behind those of the honest package. */
const added = (
  what: string,
  more: (evil: RawEntry, inner: Buffer) => readonly Part[],
  says: ArchiveTrick["says"],
  isReadByNpm?: true,
): ArchiveTrick => ({
  what,
  make: (good, evil) => whole(...good, ...more(evil, tar(evil))),
  says,
  ...(isReadByNpm && { isReadByNpm }),
});

const zipped = (what: string, zip: (bytes: Buffer, other: Buffer) => Buffer, says: string): ArchiveTrick => ({
  what,
  make: (good, evil) => zip(tar(...good, zeros(2)), tar(evil, zeros(2))),
  says,
});

const TWICE = "occurs twice";
const AFTER = "content after its end";
const NUMBER = "invalid number";
const PAX = "invalid pax header";
const OUTSIDE = "points outside";
const BOTH = "both a file and a folder";
const CONTENT = "link or folder with content";
const NAMES = "several names";
const docs = "package/docs.txt";

export const archiveTricks: readonly ArchiveTrick[] = [
  // Where an archive ends.
  added("a file after one empty block", (evil) => [zeros(1), evil], AFTER, true),
  added("a file after its end", (evil) => [zeros(2), evil], AFTER),
  added("a byte after its end", () => [zeros(2), Buffer.from("x")], AFTER),
  added("a block of text after its end", () => [zeros(3), Buffer.alloc(512, "x")], AFTER),

  // What a file is called.
  added("a file twice", (evil) => [evil], TWICE, true),
  {
    what: "a file twice, the first of them another",
    make: (good, evil) => whole(evil, ...good),
    says: TWICE,
  },
  {
    what: "a second top folder called .",
    make: (good, evil) => {
      const rest = good.filter(({ path }) => path !== evil.path);
      return whole(
        ...rest,
        evil,
        ...good.filter(({ path }) => path === evil.path).map((own) => ({ ...own, path: `./${own.path}` })),
      );
    },
    says: "several top folders",
    isReadByNpm: true,
  },
  added("a dot in a path", (evil) => [{ ...evil, path: "package/./plugin.js" }], OUTSIDE, true),
  added("two slashes in a path", (evil) => [{ ...evil, path: "package//plugin.js" }], OUTSIDE, true),
  added("a file of another top folder", (evil) => [{ ...evil, path: "other/plugin.js" }], TWICE, true),
  added("another file of another top folder", (evil) => [{ ...evil, path: "other/x.js" }], "several top folders"),
  added("a name in capitals", (evil) => [{ ...evil, path: "package/PLUGIN.js" }], "same file on many file systems"),
  added(
    "two forms of an accent",
    (evil) => [
      { ...evil, path: "package/\u00e9.js" },
      { ...evil, path: "package/e\u0301.js" },
    ],
    "same file on many file systems",
  ),
  added("a drive in a path", (evil) => [{ ...evil, path: "package/c:/plugin.js" }], "unsafe name", true),
  added("a backslash in a path", (evil) => [{ ...evil, path: "package/lib\\plugin.js" }], "not allowed"),
  added("a folder where a file is", () => [{ path: "package/plugin.js/", flag: "5" }], BOTH),
  added("a file below a file", (evil) => [{ ...evil, path: "package/plugin.js/x.js" }], BOTH),
  added("a link where a file is", () => [{ path: "package/plugin.js", flag: "2", target: "docs.js" }], TWICE),
  added(
    "a file below a link",
    (evil) => [
      { path: "package/l", flag: "2", target: "." },
      { ...evil, path: "package/l/x" },
    ],
    BOTH,
  ),
  added("a file without a name", (_, inner) => [{ path: "", content: inner }], "without a name", true),
  added(
    "text after the end of a name",
    (evil) => [{ ...evil, path: "package/docs\0", fields: { 14: "\n/../plugin.js" } }],
    "text after its end",
  ),
  added(
    "a prefix without ustar's version",
    (evil) => [{ ...evil, magic: "ustar\0 x", prefix: "package/docs" }],
    "neither ustar",
    true,
  ),
  added(
    "a prefix in a GNU header",
    (evil) => [{ ...evil, magic: "ustar  \0", prefix: "package/docs" }],
    "neither ustar",
    true,
  ),
  added(
    "a prefix in a header from before ustar",
    (evil) => [{ ...evil, magic: "", prefix: "package/docs" }],
    "neither ustar",
    true,
  ),
  added("text after the end of a prefix", (evil) => [{ ...evil, prefix: "package/docs\0\n/x" }], "text after its end"),

  // What is content, and what is the next header.
  added(
    "a link with content",
    (_, inner) => [{ path: "package/l", flag: "1", target: "package/package.json", content: inner }],
    CONTENT,
  ),
  {
    what: "a link that hides the file that Hugo would show",
    make: (good, evil) => {
      const own = good.filter(({ path }) => path === evil.path);
      const rest = good.filter(({ path }) => path !== evil.path);
      return whole(...rest, evil, { path: "package/l", flag: "1", target: "package/x", content: tar(...own) });
    },
    says: CONTENT,
    isReadByNpm: true,
  },
  added(
    "a symbolic link with content",
    (_, inner) => [{ path: "package/l", flag: "2", target: "x", content: inner }],
    CONTENT,
  ),
  added("a device with content", (_, inner) => [{ path: "package/d", flag: "3", content: inner }], CONTENT),
  added("a folder with content", (_, inner) => [{ path: "package/d/", flag: "5", content: inner }], CONTENT, true),
  added(
    "a file with content that is called like a folder",
    (_, inner) => [{ path: "package/d/", content: inner }],
    CONTENT,
    true,
  ),
  added("a file that is also a link", (_, inner) => [{ path: docs, target: "x", content: inner }], "also a file", true),
  added("a link without a target", () => [{ path: "package/l", flag: "2" }], "also a file"),
  added(
    "an owner that is not a number",
    (_, inner) => [{ path: docs, content: inner, fields: { 108: "\x81\0\0\0\0\0\0\x01" } }],
    NUMBER,
    true,
  ),
  added(
    "a time that is not a number",
    (_, inner) => [{ path: docs, content: inner, fields: { 136: "\x90\0\0\0" } }],
    NUMBER,
    true,
  ),
  added(
    "an invalid device number",
    (_, inner) => [{ path: docs, content: inner, fields: { 329: "\x81" } }],
    NUMBER,
    true,
  ),
  added(
    "a checksum without an end",
    (_, inner) => [{ path: docs, content: inner, checksum: (sum) => octal(sum, 8) }],
    "checksum",
    true,
  ),
  added(
    "a wrong checksum",
    (_, inner) => [{ path: docs, content: inner, checksum: (sum) => octal(sum + 1, 6) }],
    "checksum",
    true,
  ),
  added(
    "a size in base 256",
    (_, inner) => [{ path: docs, content: inner, size: `\x80${"\0".repeat(10)}\x01` }],
    NUMBER,
  ),
  added("a size in hexadecimal digits", (_, inner) => [{ path: docs, content: inner, size: "0x400\0" }], NUMBER, true),
  added("a size without digits", (_, inner) => [{ path: docs, content: inner, size: "\0" }], NUMBER, true),
  added(
    "a size that ends with other digits",
    (_, inner) => [{ path: docs, content: inner, size: "0\x002000\0" }],
    NUMBER,
    true,
  ),

  // What a pax or GNU header says about the next file.
  added("two sizes", (_, inner) => [pax(paxRecord("size", "0")), { path: docs, content: inner }], "two sizes", true),
  added("a size for all files", (_, inner) => [pax(paxRecord("size", "0"), "g"), { path: docs, content: inner }], PAX),
  added("a name for all files", (evil) => [pax(paxRecord("path", docs), "g"), evil], PAX, true),
  added(
    "a name twice in a pax header",
    (evil) => [pax(paxRecord("path", docs) + paxRecord("path", "package/plugin.js")), evil],
    PAX,
    true,
  ),
  added(
    "two pax headers for a file",
    (evil) => [pax(paxRecord("path", docs)), pax(paxRecord("path", "package/plugin.js")), evil],
    NAMES,
    true,
  ),
  added(
    "a pax record inside of another",
    (evil) => [pax(paxRecord("comment", `x\n${paxRecord("path", "package/plugin.js")}`)), { ...evil, path: docs }],
    PAX,
    true,
  ),
  added("a pax record whose length begins with 0", (evil) => [pax(`0${paxRecord("path", docs)}`), evil], PAX, true),
  added("a pax record that is too long", (evil) => [pax(paxRecord("path", docs, 1)), evil], PAX, true),
  added(
    "a pax name that ends early",
    (evil) => [pax(paxRecord("path", "package/plugin.js\0.txt")), { ...evil, path: docs }],
    PAX,
    true,
  ),
  added("a pax name that is empty", (evil) => [pax(paxRecord("path", "")), evil], PAX),
  added(
    "names in another character set",
    (evil) => [pax(paxRecord("hdrcharset", "ISO-IR 8859 1 1998")), { ...evil, path: docs }],
    PAX,
  ),
  added(
    "a sparse file",
    (evil) => [pax(paxRecord("GNU.sparse.name", "package/plugin.js")), { ...evil, path: docs }],
    PAX,
  ),
  added(
    "another type for a file",
    (evil) => [pax(paxRecord("SCHILY.filetype", "sparse")), { ...evil, path: docs }],
    PAX,
  ),
  added("a pax header for no file", () => [pax(paxRecord("path", docs))], "belongs to no file"),
  added(
    "another name in the header than in pax",
    (evil) => [pax(paxRecord("path", "package/\u00e9.txt")), evil],
    NAMES,
  ),
  added(
    "a GNU name behind a pax name",
    (evil) => [pax(paxRecord("path", docs)), { path: "x", flag: "L", content: "package/plugin.js\0" }, evil],
    NAMES,
    true,
  ),
  added(
    "text after the end of a GNU name",
    (evil) => [{ path: "x", flag: "L", content: "package/\0x\nplugin.js" }, evil],
    "text after its end",
  ),
  added("a type that few programs know", (evil) => [{ ...evil, path: docs, flag: "S" }], "unknown type"),
  added("a contiguous file", (evil) => [{ ...evil, flag: "7" }], "unknown type", true),

  // What is zipped.
  zipped(
    "a second zipped archive behind it",
    (bytes, other) => Buffer.concat([gzipSync(bytes), gzipSync(other)]),
    AFTER,
  ),
  zipped(
    "a second part that is zipped apart",
    (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 512)), gzipSync(bytes.subarray(512))]),
    AFTER,
  ),
  zipped("an empty part in front of it", (bytes) => Buffer.concat([gzipSync(Buffer.alloc(0)), gzipSync(bytes)]), AFTER),
  zipped("zeros behind what is zipped", (bytes) => Buffer.concat([gzipSync(bytes), Buffer.alloc(512)]), AFTER),
  zipped(
    "text behind what is zipped",
    (bytes) => Buffer.concat([gzipSync(bytes), Buffer.from("trailing text")]),
    AFTER,
  ),
  zipped(
    "a wrong checksum of what is zipped",
    (bytes) => Buffer.concat([gzipSync(bytes).subarray(0, -8), Buffer.alloc(8)]),
    "checksum",
  ),
  zipped(
    "more in its gzip header",
    (bytes) => {
      const zip = gzipSync(bytes);
      zip[3] = 4;
      return Buffer.concat([zip.subarray(0, 10), Buffer.from([2, 0, 0x78, 0x78]), zip.subarray(10)]);
    },
    "unknown parts",
  ),
];
