import { describe, expect, test } from "bun:test";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashOf } from "../../src/packages/hash.ts";
import { type FileState, fileStates, placesOf } from "../../src/workspace/copied-files.ts";

const path = "agents/a.md";
const beside = `${path}.hugo-new`;
const installed: LockedFile = { kind: "installed", source: path, base: hashOf("base") };
const waiting: LockedFile = { ...installed, pending: hashOf("new") };
const skipped: LockedFile = { kind: "skipped", source: path };

function stateOf(file: LockedFile, texts: Readonly<Record<string, string>>, parked = false): FileState | undefined {
  const disk = Object.entries(texts).map(
    ([at, text]) => [at, { bytes: Buffer.from(text), executable: false }] as const,
  );
  return fileStates("w", { kind: "copy", parked, files: new Map([[path, file]]) }, new Map(disk))[0]?.state;
}

describe("the state of a copied file", () => {
  test.each<[FileState, LockedFile, Readonly<Record<string, string>>]>([
    ["clean", installed, { [path]: "base" }],
    ["modified", installed, { [path]: "mine" }],
    ["modified", installed, { [path]: "" }],
    ["deleted", installed, {}],
    ["skipped", skipped, {}],
    ["skipped", skipped, { [path]: "somebody's" }],
    ["conflict", waiting, { [path]: "mine", [beside]: "new" }],
    ["conflict", waiting, { [path]: "mine", [beside]: "being worked on" }],
    ["modified", waiting, { [path]: "mine" }],
    ["clean", waiting, { [path]: "new" }],
    ["modified", waiting, { [path]: "base" }],
    ["deleted", waiting, { [beside]: "new" }],
    ["clean", installed, { [path]: "base", [beside]: "a file of that name is nobody's business" }],
  ])("is %s", (state, file, texts) => {
    expect(stateOf(file, texts)).toBe(state);
    const parked = Object.fromEntries(Object.entries(texts).map(([at, text]) => [`hugo-disabled/w/${at}`, text]));
    expect(stateOf(file, parked, true)).toBe(state);
  });

  test("is looked up at every place where something of it may lie", () => {
    expect(placesOf("w", { kind: "copy", parked: false, files: new Map([[path, installed]]) })).toEqual([
      path,
      `hugo-disabled/w/${path}`,
      beside,
      `hugo-disabled/w/${beside}`,
    ]);
  });
});
