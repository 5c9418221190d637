import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { LARGEST_FILE, readSmallText, readTextFile } from "../src/entities/read-file.ts";

const root = process.getuid?.() === 0;

describe("reads text", () => {
  test.each<[string, string]>([
    ["nothing", ""],
    ["one line", "hello"],
    ["a byte order mark, which stays", "\ufeff---\nname: x\n"],
    ["CRLF, which stays", "a\r\nb\r\n"],
    ["letters beyond ASCII", "größe 日本 😀\n"],
    ["a NUL", "a\0b"],
    ["a replacement character that is really there", "a\ufffdb"],
    ["more than the shared buffer", "é".repeat(100_000)],
    ["exactly the shared buffer", "x".repeat(64 * 1024)],
    ["a byte less than the shared buffer", "x".repeat(64 * 1024 - 1)],
    ["as much as is allowed", "x".repeat(LARGEST_FILE)],
  ])("%s", async (_name, text) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    writeFileSync(path, text);
    utimesSync(path, 1_000, 1_234.5);
    expect(readTextFile(path)).toEqual({ kind: "text", text, bytes: Buffer.byteLength(text), modifiedMs: 1_234_500 });
  });

  test("through links", async () => {
    await using folder = await temporaryFolder();
    writeFileSync(join(folder.path, "real.md"), "text");
    symlinkSync("real.md", join(folder.path, "link.md"));
    expect(readTextFile(join(folder.path, "link.md"))).toMatchObject({ kind: "text", text: "text" });
  });

  test("a file whose size is not known beforehand", () => {
    expect(readTextFile("/proc/self/status")).toMatchObject({ kind: "text", text: expect.stringContaining("Pid:") });
  });

  // The kernel gives a page at a time of this one, and the stack comes last but one.
  test.each([readSmallText, (path: string) => (readTextFile(path) as { text?: string }).text])(
    "that comes in pieces, to its end (%#)",
    (read) => {
      expect(read("/proc/self/maps")).toContain("[stack]");
    },
  );

  test("and text does not change when the next file is read", async () => {
    await using folder = await temporaryFolder();
    const paths = ["first text", "other text"].map((text, at) => {
      const path = join(folder.path, `${at}.md`);
      writeFileSync(path, text);
      return path;
    });
    const texts = paths.map((path) => readTextFile(path));
    expect(texts).toMatchObject([{ text: "first text" }, { text: "other text" }]);
  });
});

describe("refuses with one error, and never waits", () => {
  test("a FIFO", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "pipe.md");
    execFileSync("mkfifo", [path]);
    expect(refusal(path)).toMatchObject({ code: "file-not-regular", message: "This is a FIFO, not a file." });
  });

  test("a folder with the name of a file", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "x.md");
    mkdirSync(path);
    expect(refusal(path)).toMatchObject({ code: "file-not-regular", message: "This is a folder, not a file." });
  });

  test("a device", () => {
    expect(refusal("/dev/zero")).toMatchObject({ code: "file-not-regular", message: "This is a device, not a file." });
    expect(refusal("/dev/null").code).toBe("file-not-regular");
  });

  test("a socket", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "socket.md");
    const server = createServer().listen(path);
    try {
      await new Promise((listening) => server.once("listening", listening));
      expect(refusal(path).code).toBe("file-not-regular");
    } finally {
      server.close();
    }
  });

  test("a missing file", () => {
    expect(refusal("/nowhere/a.md")).toMatchObject({ code: "file-missing", path: "/nowhere/a.md" });
    expect(refusal("").code).toBe("file-missing");
  });

  test("links to nothing and circular links", async () => {
    await using folder = await temporaryFolder();
    symlinkSync("nothing.md", join(folder.path, "dead.md"));
    symlinkSync("round.md", join(folder.path, "round.md"));
    expect(refusal(join(folder.path, "dead.md")).code).toBe("file-missing");
    expect(refusal(join(folder.path, "round.md")).code).toBe("file-unreadable");
  });

  test("impossible paths", async () => {
    await using folder = await temporaryFolder();
    writeFileSync(join(folder.path, "a.md"), "");
    expect(refusal(join(folder.path, "a.md", "b.md")).code).toBe("file-unreadable");
    expect(refusal(join(folder.path, `${"x".repeat(5_000)}.md`)).code).toBe("file-unreadable");
    expect(refusal(`${folder.path}/a\0.md`).code).toBe("file-unreadable");
  });

  test("20 MB, without reading them", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "big.md");
    writeFileSync(path, Buffer.alloc(20 * 1024 * 1024, "x"));
    expect(refusal(path)).toMatchObject({
      code: "file-too-large",
      message: `The file is larger than ${LARGEST_FILE} bytes.`,
    });
  });

  test("one byte more than the caller allows", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    writeFileSync(path, "12345678");
    expect(readTextFile(path, { maxBytes: 8 }).kind).toBe("text");
    expect(readTextFile(path, { maxBytes: 7 })).toMatchObject({ diagnostic: { code: "file-too-large" } });
  });

  test("a file without a size that never ends", () => {
    expect(readTextFile("/proc/self/status", { maxBytes: 10 })).toMatchObject({
      diagnostic: { code: "file-too-large" },
    });
  });

  test("a file that this user may not read", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "secret.md");
    writeFileSync(path, "x");
    chmodSync(path, 0);
    chmodSync(folder.path, 0o755);
    expect(codeWithoutRights(path)).toBe("file-unreadable");
  });
});

describe("refuses text that is not UTF-8 and reports the position", () => {
  test.each<[string, (string | number[])[], number, number]>([
    ["a stray byte", ["ab\ncd", [0xff], "e"], 2, 3],
    ["Latin-1", ["caf", [0xe9], "\n"], 1, 4],
    ["after a real replacement character", ["\ufffd\n\ufffdx", [0x80]], 2, 3],
    ["after letters of four bytes", ["😀", [0xc0, 0x80]], 1, 3],
    ["a sequence cut off at the end", ["ab", [0xe2, 0x82]], 1, 3],
    ["UTF-16 with its mark", [[0xff, 0xfe, 0x2d, 0]], 1, 1],
    ["a surrogate in UTF-8", [[0xed, 0xa0, 0x80]], 1, 1],
  ])("%s", async (_name, parts, line, column) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    writeFileSync(path, Buffer.concat(parts.map((part) => Buffer.from(part as string))));
    expect(refusal(path)).toMatchObject({ code: "file-not-utf8", line, column });
  });
});

test("any bytes are read exactly or refused", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.md");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      writeFileSync(path, bytes);
      const file = readTextFile(path);
      if (file.kind === "text") return Buffer.from(file.text).equals(Buffer.from(bytes));
      return file.diagnostic.code === "file-not-utf8";
    }),
    { numRuns: 500 },
  );
});

describe("the quick reader", () => {
  test.each<[string, string | Buffer, boolean]>([
    ["one line", "hello", true],
    ["a byte order mark, which stays", "\ufeff---\nname: x\n", true],
    ["letters beyond ASCII", "größe 日本 😀\n", true],
    ["a byte less than the shared buffer", "x".repeat(64 * 1024 - 1), true],
    ["exactly the shared buffer", "x".repeat(64 * 1024), false],
    ["more than the shared buffer", "x".repeat(100_000), false],
    ["nothing", "", false],
    ["a replacement character, which may stand for other bytes", "a\ufffdb", false],
    ["bytes that are not UTF-8", Buffer.from([0x61, 0xff]), false],
  ])("with %s", async (_name, content, isTaken) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    writeFileSync(path, content);
    expect(readSmallText(path)).toBe(isTaken ? String(content) : undefined);
  });

  test.each(["/dev/zero", "/dev/null", "/dev/tty", "/nowhere/a.md", "", "/proc/self", "/proc/self/fd", "/a\0b"])(
    "leaves %j to the careful one",
    (path) => {
      expect(readSmallText(path)).toBeUndefined();
    },
  );

  test("leaves a FIFO to the careful one, even while another process writes to it", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "pipe.md");
    execFileSync("mkfifo", [path]);
    expect(readSmallText(path)).toBeUndefined();
    const both = openSync(path, "r+");
    try {
      writeSync(both, "text");
      expect(readSmallText(path)).toBeUndefined();
    } finally {
      closeSync(both);
    }
  });

  test("agrees with the careful one on any bytes", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        writeFileSync(path, bytes);
        const small = readSmallText(path);
        const file = readTextFile(path);
        return small === undefined || (file.kind === "text" && file.text === small);
      }),
      { numRuns: 500 },
    );
  });
});

test("closes every file", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.md");
  writeFileSync(path, Buffer.from([0xff]));
  const before = readdirSync("/proc/self/fd").length;
  for (const target of [path, folder.path, "/dev/zero", "/nowhere", "/proc/self/status"]) {
    readTextFile(target);
    readSmallText(target);
  }
  expect(readdirSync("/proc/self/fd").length).toBe(before);
});

function refusal(path: string) {
  const file = readTextFile(path);
  if (file.kind === "text") throw new Error(`${path} was read`);
  expect(file.diagnostic).toMatchObject({ severity: "error", path });
  expect(file.diagnostic.hint).toBeString();
  return file.diagnostic;
}

/** Root may read everything, so the question is asked by a process without rights. */
function codeWithoutRights(path: string): string {
  if (!root) return refusal(path).code;
  const module = JSON.stringify(join(import.meta.dir, "../src/entities/read-file.ts"));
  const script = `import { readTextFile } from ${module}; console.log(readTextFile(${JSON.stringify(path)}).diagnostic?.code)`;
  const drop = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "-e", script];
  return execFileSync("setpriv", drop, { encoding: "utf8", env: { ...process.env, HOME: "/dev/null/home" } }).trim();
}
