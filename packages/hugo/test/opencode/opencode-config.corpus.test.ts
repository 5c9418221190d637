import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HugoError } from "../../src/errors.ts";
import { findPlugin, identifyPlugins } from "../../src/opencode/find-plugin.ts";
import { addPlugin, editConfig, movePin, remember, removePlugins } from "../../src/opencode/plugin-edits.ts";
import { type ConfigDocument, readOpencodeConfig } from "../../src/opencode/read-config.ts";

// Configs as people write them: tabs, CRLF, comments in every place, byte order marks, one line, no final line end.
const folder = join(import.meta.dir, "../../../durable-files/test/jsonc/fixtures");
const texts = readdirSync(folder)
  .filter((name) => /\.jsonc?$/.test(name))
  .map((name): [string, string] => [name, readFileSync(join(folder, name), "utf8")]);

/** The ones that OpenCode accepts as far as plugins go. */
const configs = texts.flatMap(([name, text]): ConfigDocument[] => {
  try {
    const config = readOpencodeConfig(name, text);
    return text.trim() === "" ? [] : [config];
  } catch (error) {
    if (error instanceof HugoError) return [];
    throw error;
  }
});

const target = { packageName: "@sample/added" };
const entryIn = (file: string, text: string) => {
  const config = readOpencodeConfig(file, text);
  const [entry] = findPlugin(identifyPlugins([config]), target);
  if (entry === undefined) throw new Error(`${file}: the entry is not there`);
  return { config, entry };
};

test("the corpus is large enough to mean something", () => {
  expect(configs.length).toBeGreaterThan(20);
});

describe.each(configs.map((config) => [config.file, config] as const))("%s", (file, config) => {
  test("is byte for byte as before after an installation and a removal", () => {
    const { edits, makes } = addPlugin(config, { spec: "@sample/added@1.0.0" });
    const installed = editConfig(config, edits);
    const { config: now, entry } = entryIn(file, installed);
    const removal = removePlugins(now, [entry], makes);
    expect(removal.kind === "edit" && editConfig(now, removal.edits)).toBe(config.text);
  });

  test("keeps all but the version when the pin changes, and is restored when it changes back", () => {
    const installed = editConfig(config, addPlugin(config, { spec: "@sample/added@1.0.0", options: { a: [1] } }).edits);
    const first = entryIn(file, installed);
    const updated = editConfig(first.config, movePin(first.entry, "@sample/added@1.1.0"));
    expect(updated).toBe(installed.replace("@sample/added@1.0.0", "@sample/added@1.1.0"));
    const second = entryIn(file, updated);
    expect(editConfig(second.config, movePin(second.entry, "@sample/added@1.0.0"))).toBe(installed);
  });

  test("has an entry with options back in its place after disabling and enabling", () => {
    const { edits, makes } = addPlugin(config, { spec: "@sample/added@1.0.0", options: { a: [1] }, index: 0 });
    const { config: enabled, entry } = entryIn(file, editConfig(config, edits));
    const memory = remember(entry);
    const removal = removePlugins(enabled, [entry], makes);
    const disabled = readOpencodeConfig(file, removal.kind === "edit" ? editConfig(enabled, removal.edits) : undefined);
    const back = editConfig(disabled, addPlugin(disabled, memory).edits);
    expect(back).toBe(enabled.text);
  });
});
