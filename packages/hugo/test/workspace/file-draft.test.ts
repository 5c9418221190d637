import { describe, expect, test } from "bun:test";
import type { FileChange } from "../../src/workspace/copied-files.ts";
import { FileDraft } from "../../src/workspace/draft.ts";

type Texts = Readonly<Record<string, string>>;

/** A disk in memory; what starts with "#!" is executable. */
function draftOn(texts: Texts): FileDraft {
  const files = new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { bytes: Buffer.from(text), executable: text.startsWith("#!") },
    ]),
  );
  return new FileDraft(
    (paths) => new Map([...paths].flatMap((path) => (files.has(path) ? [[path, files.get(path)!]] : []))),
  );
}

function write(path: string, text: string, executable = false): FileChange {
  return { kind: "write", path, bytes: Buffer.from(text), executable };
}

function shown(draft: FileDraft, ...paths: string[]): Record<string, string> {
  return Object.fromEntries([...draft.disk(paths)].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()]));
}

describe("a draft of files", () => {
  test("shows the disk as long as nothing is changed", () => {
    expect(shown(draftOn({ a: "1", b: "2" }), "a", "c")).toEqual({ a: "1" });
  });

  test("shows what was written and hides what was deleted", () => {
    const draft = draftOn({ a: "1", b: "2" });
    draft.change([write("c", "3"), { kind: "delete", path: "a" }, write("b", "two")]);
    expect(shown(draft, "a", "b", "c")).toEqual({ b: "two", c: "3" });
  });

  test("keeps only the last of several changes to a file", () => {
    const draft = draftOn({ a: "1" });
    draft.change([{ kind: "delete", path: "a" }]);
    draft.change([write("a", "2")]);
    draft.change([write("a", "3")]);
    expect(draft.changes()).toEqual([write("a", "3")]);
  });

  test("forgets changes that cancel out", () => {
    const draft = draftOn({ a: "1", run: "#!/bin/sh" });
    draft.change([write("new", "x"), { kind: "delete", path: "new" }]);
    draft.change([{ kind: "delete", path: "a" }, write("a", "1")]);
    draft.change([write("run", "#!/bin/sh", true)]);
    expect(draft.changes()).toEqual([]);
  });

  test("counts a lost executable bit as a change", () => {
    const draft = draftOn({ run: "#!/bin/sh" });
    draft.change([write("run", "#!/bin/sh", false)]);
    expect(draft.changes()).toEqual([write("run", "#!/bin/sh", false)]);
  });
});
