import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { promptFile } from "../../src/graph/prompt-file.ts";

async function promptOf(text: string, values?: Record<string, string | number | undefined>): Promise<string> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "ask me.md");
  await Bun.write(path, text);
  return promptFile(pathToFileURL(path), () => values ?? {})({});
}

describe("a prompt in a file", () => {
  test("is the file, byte for byte, with values in their places", async () => {
    expect(await promptOf("# {{ what }}\r\n\n{{what}}, {{count}} times{ {x} }\n", { what: "Go", count: 2 })).toBe(
      "# Go\r\n\nGo, 2 times{ {x} }\n",
    );
  });

  test("inserts values unchanged, even those that look like placeholders", async () => {
    expect(await promptOf("{{a}}", { a: "$& {{b}} $1", b: "no" })).toBe("$& {{b}} $1");
  });

  test.each([["{{gone}}"], ["{{toString}}"], ["{{nothing}}"]])(
    "names %s, which has no value, and the file",
    async (text) => {
      expect(promptOf(text, { nothing: undefined })).rejects.toThrow(/ask me\.md: \{\{\w+\}\} has no value\./);
    },
  );

  test("that does not exist fails when it is needed, not before", () => {
    const prompt = promptFile(new URL("./gone.md", import.meta.url));
    expect(() => prompt({})).toThrow("gone.md");
  });
});
