import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { readForEdit, readTextForEdit } from "@atomic/durable-files/files/read-for-edit";

test.each(["", "{}\n", "\ufeff{}\r\n", "é 😀 \ufffd\n"])("the text %j is read with every character it has", (text) => {
  withFile(text, (path) => {
    expect(readTextForEdit(path)).toEqual({ text, hash: readForEdit(path).hash });
  });
});

test("a missing file is absent", () => {
  expect(readTextForEdit(join(tmpdir(), "there is no such file"))).toEqual({ text: "", hash: "absent" });
});

test.each([
  ["a lone byte on the first line", [0x61, 0xff], "1:2"],
  ["a truncated character at the end", [0x7b, 0x0a, 0x22, 0xf0, 0x9f], "2:2"],
  ["a bad byte behind a real replacement character", [0x0a, 0xef, 0xbf, 0xbd, 0x80], "2:2"],
  ["a byte order mark of UTF-16", [0xff, 0xfe, 0x7b, 0x00], "1:1"],
])("%s is refused with its place", (_, bytes, place) => {
  withFile(new Uint8Array(bytes), (path) => {
    const read = () => readTextForEdit(path);
    expect(read).toThrow(DurableError);
    expect(read).toThrow(`${path}:${place}: this is not UTF-8 text`);
  });
});

function withFile(content: string | Uint8Array, use: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "read-text-"));
  try {
    writeFileSync(join(folder, "file"), content);
    use(join(folder, "file"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
