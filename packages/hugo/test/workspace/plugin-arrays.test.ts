import { describe, expect, test } from "bun:test";
import type { MadeByHugo } from "@atomic/workflows/internal/hugo-lock/lock";
import { readOpencodeConfig } from "../../src/opencode/read-config.ts";
import { PluginArrays } from "../../src/workspace/plugin-arrays.ts";

const [one, two] = ["/project/opencode.json", "/project/.opencode/opencode.jsonc"];

function arrays(
  texts: Readonly<Record<string, string>>,
  made: Readonly<Record<string, MadeByHugo>> = {},
): PluginArrays {
  const configs = Object.entries(texts).map(([file, text]) => readOpencodeConfig(file, text));
  return new PluginArrays(configs, new Map(Object.entries(made)));
}

describe("plugin arrays", () => {
  test("mention only files that change", () => {
    const both = arrays({ [one]: '{ "plugin": ["a", "b"] }', [two]: '{ "plugin": ["c"] }' });
    both.take(both.entriesIn(one).slice(1));
    expect([...both.texts()]).toEqual([[one, '{ "plugin": ["a"] }']]);
  });

  test("change nothing if removed entries are put back", () => {
    const same = arrays({ [one]: '{ "plugin": ["a", "b", "c"] }' });
    same.take(same.entriesIn(one).slice(1, 2));
    same.put(one, { spec: "b", index: 1 });
    expect([...same.texts()]).toEqual([]);
  });

  test("remove several entries from several files at once", () => {
    const both = arrays({ [one]: '{ "plugin": ["a", "b", "c"] }', [two]: '{ "plugin": ["d", "e"] }' });
    both.take([...both.entriesIn(one).slice(0, 2), ...both.entriesIn(two).slice(0, 1)]);
    expect(Object.fromEntries(both.texts())).toEqual({ [one]: '{ "plugin": ["c"] }', [two]: '{ "plugin": ["e"] }' });
  });

  test("remember what they made, and forget it when it goes", () => {
    const empty = arrays({});
    empty.put(one, { spec: "a", index: 0 });
    expect([...empty.made]).toEqual([[one, "file"]]);
    expect(empty.texts().get(one)).toContain('"plugin"');
    empty.take(empty.entriesIn(one));
    expect([...empty.made]).toEqual([]);
    expect([...empty.texts()]).toEqual([]);
  });

  test("remove an array that they made, and keep one that they did not", () => {
    const text = '{ "model": "m", "plugin": ["a"] }';
    const own = arrays({ [one]: text }, { [one]: "array" });
    own.take(own.entriesIn(one));
    expect(own.texts().get(one)).toBe('{ "model": "m" }');
    const foreign = arrays({ [one]: text });
    foreign.take(foreign.entriesIn(one));
    expect(foreign.texts().get(one)).toBe('{ "model": "m", "plugin": [] }');
  });

  test("delete a file that they created, unless something was added to it", () => {
    const empty = arrays({});
    empty.put(one, { spec: "a", index: 0 });
    const text = empty.texts().get(one)!;
    const untouched = arrays({ [one]: text }, { [one]: "file" });
    untouched.take(untouched.entriesIn(one));
    expect([...untouched.texts()]).toEqual([[one, undefined]]);
    const edited = arrays({ [one]: text.replace("{", '{\n  "model": "m",') }, { [one]: "file" });
    edited.take(edited.entriesIn(one));
    expect(edited.texts().get(one)).toContain('"model": "m"');
  });
});
