import { describe, expect, test } from "bun:test";
import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { type CopySituation, planCopy } from "../../src/delivery/plan-copy.ts";
import type { CopiedFile } from "../../src/delivery/translate/package-translation.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { besideOf, recordsOf } from "../../src/workspace/copied-files.ts";
import { refusal } from "../refusal.ts";
import { describeStep } from "./describe-step.ts";

const path = "agents/reviewer.md";
const beside = besideOf(path);
const installed = (base: string, pending?: string): Extract<LockedFile, { kind: "installed" }> => ({
  kind: "installed",
  source: path,
  base: hashOf(base),
  ...(pending !== undefined && { pending: hashOf(pending) }),
});
/** It was there before Hugo came. */
const away = (base: string): LockedFile => ({ ...installed(base), deleted: true });
const adopted = (base: string, pending?: string): LockedFile => ({ ...installed(base, pending), adopted: true });
const skipped: LockedFile = { kind: "skipped", source: path };
const copied = (text: string | Uint8Array): CopiedFile => ({
  source: path,
  bytes: Buffer.from(text),
  executable: false,
});

interface Given {
  recorded?: LockedFile;
  next?: string | Uint8Array;
  disk?: string | Uint8Array;
  beside?: string;
  others?: string[];
  wasThere?: boolean;
  modified?: "merge" | "skip";
  bases?: readonly (string | Uint8Array)[];
}

function situation({
  recorded,
  next,
  disk,
  others = [],
  wasThere = false,
  modified = "merge",
  bases = [],
  ...given
}: Given): CopySituation {
  const contents = new Map<Hash, Uint8Array>(bases.map((text) => [hashOf(text), Buffer.from(text)]));
  const present: [string, Uint8Array][] = [];
  if (disk !== undefined) present.push([path, Buffer.from(disk)]);
  if (given.beside !== undefined) present.push([beside, Buffer.from(given.beside)]);
  return {
    recorded: new Map(recorded === undefined ? [] : [[path, recorded]]),
    next: new Map(next === undefined ? [] : [[path, copied(next)]]),
    disk: new Map(present),
    baseOf: (hash) => contents.get(hash),
    othersOf: () => others,
    wasThere: () => wasThere,
    modified,
  };
}

const v1 = "one\ntwo\nthree\n";
const v2 = "one\ntwo\nTHREE\n";
const edited = "ONE\ntwo\nthree\n";
const clash = "one\ntwo\ntres\n";
const write = (text: string) => `write ${path}=${JSON.stringify(text)}`;

describe("what happens to a copied file", () => {
  test.each<[string, Given, string]>([
    // Installation.
    ["it is new", { next: v1 }, `added; ${write(v1)}; base`],
    ["it is there already, unmanaged and identical", { next: v1, disk: v1 }, "adopted; base of yours"],
    ["an unmanaged file is in its place", { next: v1, disk: "mine" }, "skipped (unmanaged); skipped"],
    ["another workflow has the identical file", { next: v1, disk: v1, others: ["b"] }, "adopted; base"],
    // Update: the cases of the first design.
    [
      "it is clean and the package changed it",
      { recorded: installed(v1), next: v2, disk: v1 },
      `updated; ${write(v2)}; base`,
    ],
    [
      "it is clean and the package did not change it",
      { recorded: installed(v1), next: v1, disk: v1 },
      "unchanged; base",
    ],
    [
      "it is edited and the package did not change it",
      { recorded: installed(v1), next: v1, disk: edited },
      "unchanged; base",
    ],
    [
      "it is edited, with --skip-modified",
      { recorded: installed(v1), next: v2, disk: edited, modified: "skip" },
      "skipped (modified); base",
    ],
    ["it is deleted", { recorded: installed(v1), next: v2 }, "kept-deleted; base, away"],
    ["it is deleted and known to be", { recorded: away(v1), next: v2 }, "kept-deleted; base, away"],
    ["it was deleted and is there again", { recorded: away(v1), next: v1, disk: v1 }, "unchanged; base"],
    ["it was deleted and is another one now", { recorded: away(v1), next: v1, disk: edited }, "unchanged; base"],
    ["it is new in the package", { next: v2 }, `added; ${write(v2)}; base`],
    [
      "it is gone from the package, and clean",
      { recorded: installed(v1), disk: v1 },
      `removed; delete ${path}; forgotten`,
    ],
    [
      "it is gone from the package, and edited",
      { recorded: installed(v1), disk: edited },
      "left (modified); forgotten",
    ],
    ["it is gone from the package, and deleted", { recorded: installed(v1) }, "removed; forgotten"],
    // Update: merging.
    [
      "both changed it in different places",
      { recorded: installed(v1), next: v2, disk: edited, bases: [v1] },
      `merged; ${write("ONE\ntwo\nTHREE\n")}; base`,
    ],
    [
      "both changed the same place",
      { recorded: installed(v1), next: v2, disk: clash, bases: [v1] },
      `conflict; write ${beside}=${JSON.stringify(v2)}; pending`,
    ],
    ["both changed it alike", { recorded: installed(v1), next: v2, disk: v2, bases: [v1] }, "adopted; base"],
    [
      "the edit includes the change",
      { recorded: installed(v1), next: v2, disk: "ONE\ntwo\nTHREE\n", bases: [v1] },
      "merged; base",
    ],
    [
      "it is edited and the base is lost",
      { recorded: installed(v1), next: v2, disk: edited },
      `conflict; write ${beside}=${JSON.stringify(v2)}; pending`,
    ],
    [
      "it is not text",
      { recorded: installed("\0a"), next: "\0b", disk: "\0c", bases: ["\0a"] },
      `conflict; write ${beside}="\\u0000b"; pending`,
    ],
    [
      "it has a line end of another system",
      { recorded: installed(v1), next: v2, disk: v1.replaceAll("\n", "\r\n"), bases: [v1] },
      `merged; ${write(v2.replaceAll("\n", "\r\n"))}; base`,
    ],
    // Update: conflicts of earlier times.
    [
      "a conflict was resolved by removing the other version",
      { recorded: installed(v1, v2), next: "zero\none\ntwo\nTHREE\n", disk: "one\ntwo\ntres\n", bases: [v1, v2] },
      `merged; ${write("zero\none\ntwo\ntres\n")}; base`,
    ],
    [
      "a conflict was resolved by taking the other version",
      { recorded: installed(v1, v2), next: v2, disk: v2, bases: [v1, v2] },
      "unchanged; base",
    ],
    [
      "a conflict is open and the package is the same",
      { recorded: installed(v1, v2), next: v2, disk: clash, beside: v2, bases: [v1] },
      `conflict; write ${beside}=${JSON.stringify(v2)}; pending`,
    ],
    [
      "a conflict is open and the package went back",
      { recorded: installed(v1, v2), next: v1, disk: clash, beside: v2, bases: [v1] },
      "unchanged; pending",
    ],
    [
      "a conflict is open and a new version merges",
      { recorded: installed(v1, v2), next: "0\none\ntwo\nthree\n", disk: clash, beside: v2, bases: [v1] },
      `merged; ${write("0\none\ntwo\ntres\n")}; delete ${beside}; base`,
    ],
    [
      "a conflict is open and the user edits the other version",
      { recorded: installed(v1, v2), next: "one\ntwo\nX\n", disk: clash, beside: "edited", bases: [v1] },
      "skipped (modified); pending",
    ],
    [
      "a file of that name is in the way of the other version",
      { recorded: installed(v1), next: v2, disk: clash, beside: "foreign", bases: [v1] },
      "skipped (modified); base",
    ],
    [
      "a conflict is open and the workflow is removed",
      { recorded: installed(v1, v2), disk: clash, beside: v2 },
      `left (modified); delete ${beside}; forgotten`,
    ],
    [
      "a conflict is open, the other version edited, and the workflow is removed",
      { recorded: installed(v1, v2), disk: clash, beside: "x" },
      "left (modified); forgotten",
    ],
    [
      "a conflict was resolved and the workflow is removed",
      { recorded: installed(v1, v2), disk: v2 },
      `removed; delete ${path}; forgotten`,
    ],
    // Files that were there before.
    [
      "it was there before and the workflow is removed",
      { recorded: adopted(v1), disk: v1 },
      "left (adopted); forgotten",
    ],
    [
      "it was there before and is edited, and the workflow is removed",
      { recorded: adopted(v1), disk: edited },
      "left (modified); forgotten",
    ],
    [
      "it was there before and is deleted, and the workflow is removed",
      { recorded: adopted(v1) },
      "removed; forgotten",
    ],
    [
      "it was there before and the package did not change it",
      { recorded: adopted(v1), next: v1, disk: v1 },
      "unchanged; base of yours",
    ],
    [
      "it was there before and the package changed it",
      { recorded: adopted(v1), next: v2, disk: v1 },
      `updated; ${write(v2)}; base`,
    ],
    [
      "it was there before and its user changed it as the package did",
      { recorded: adopted(v1), next: v2, disk: v2 },
      "adopted; base of yours",
    ],
    [
      "it was there before and both changed the same place",
      { recorded: adopted(v1), next: v2, disk: clash, bases: [v1] },
      `conflict; write ${beside}=${JSON.stringify(v2)}; pending of yours`,
    ],
    [
      "it was there before, the other version was taken, and the workflow is removed",
      { recorded: adopted(v1, v2), disk: v2 },
      `removed; delete ${path}; forgotten`,
    ],
    [
      "it was there before and another workflow has adopted it",
      { next: v1, disk: v1, others: ["b"], wasThere: true },
      "adopted; base of yours",
    ],
    // Files that were skipped, or are shared.
    ["it was skipped and the place is free now", { recorded: skipped, next: v1 }, `added; ${write(v1)}; base`],
    ["it was skipped and is identical now", { recorded: skipped, next: v1, disk: v1 }, "adopted; base of yours"],
    [
      "it was skipped and something is still in its place",
      { recorded: skipped, next: v2, disk: "mine" },
      "skipped (unmanaged); skipped",
    ],
    [
      "it was skipped and the place is another workflow's now",
      { recorded: skipped, next: v2, disk: "b", others: ["b"] },
      "skipped (unmanaged); skipped",
    ],
    [
      "it is shared and the package changed it",
      { recorded: installed(v1), next: v2, disk: v1, others: ["b"] },
      "skipped (shared); base",
    ],
    [
      "it is shared and the other one was updated first",
      { recorded: installed(v1), next: v2, disk: v2, others: ["b"] },
      "adopted; base",
    ],
    [
      "it is shared and the workflow is removed",
      { recorded: installed(v1), disk: v1, others: ["b"] },
      "left (shared); forgotten",
    ],
  ])("when %s", (_, given, expected) => {
    expect(planCopy(situation(given)).map(describeStep)).toEqual([expected]);
  });

  test("when it was skipped and is gone from the package is nothing", () => {
    expect(planCopy(situation({ recorded: skipped, disk: "mine" }))).toEqual([]);
  });

  test("when it belongs to another workflow stops everything, with the name of that workflow", () => {
    const error = refusal(() => planCopy(situation({ next: v1, disk: "theirs", others: ["other-workflow"] })));
    expect(error.code).toBe("file-taken");
    expect(error.message).toBe('.opencode/agents/reviewer.md already exists from workflow "other-workflow"');
    expect(error.hint).toBe(
      "Install this one with --prefix <word> to have both, or first remove the other (`hugo remove other-workflow`). Nothing was changed.",
    );
  });

  test("when a merge would break the frontmatter is a conflict: OpenCode would not start", () => {
    const matter = (keys: string) => `---\n${keys}---\nBody\n`;
    const given = {
      recorded: installed(matter("a: 1\nb: 2\nc: 3\n")),
      disk: matter("mode: all\na: 1\nb: 2\nc: 3\n"),
      next: matter("a: 1\nb: 2\nc: 3\nmode: subagent\n"),
      bases: [matter("a: 1\nb: 2\nc: 3\n")],
    };
    expect(planCopy(situation(given))[0]?.verdict).toBe("conflict");
  });

  test("keeps what the next merge needs", () => {
    const [step] = planCopy(situation({ recorded: installed(v1), next: v2, disk: clash, bases: [v1] }));
    expect(step?.record).toEqual(installed(v1, v2));
    expect(step?.keep?.hash).toBe(hashOf(v2));
    const [added] = planCopy(situation({ next: v1 }));
    expect(added?.keep).toEqual({ hash: hashOf(v1), bytes: Buffer.from(v1) });
  });

  test("keeps its executable bit", () => {
    const next = new Map([
      ["skills/s/run.sh", { source: "skills/s/run.sh", bytes: Buffer.from("#!"), executable: true }],
    ]);
    expect(planCopy({ ...situation({}), next })[0]?.changes).toMatchObject([{ kind: "write", executable: true }]);
  });
});

describe("a plan of many files", () => {
  const files = (texts: Record<string, string>) =>
    new Map(
      Object.entries(texts).map(([at, text]) => [at, { source: at, bytes: Buffer.from(text), executable: false }]),
    );

  test("is sorted, and includes what the lock will record", () => {
    const next = files({ "skills/b/SKILL.md": "b", "agents/a.md": "a", "commands/c.md": "c" });
    const disk = new Map([["commands/c.md", Buffer.from("mine")]]);
    const steps = planCopy({ ...situation({}), next, disk });
    expect(steps.map(({ verdict, destination }) => `${verdict} ${destination}`)).toEqual([
      "added agents/a.md",
      "skipped commands/c.md",
      "added skills/b/SKILL.md",
    ]);
    expect(recordsOf(steps)).toEqual(
      new Map<string, LockedFile>([
        ["agents/a.md", { kind: "installed", source: "agents/a.md", base: hashOf("a") }],
        ["commands/c.md", { kind: "skipped", source: "commands/c.md" }],
        ["skills/b/SKILL.md", { kind: "installed", source: "skills/b/SKILL.md", base: hashOf("b") }],
      ]),
    );
  });

  test("for an installation and its removal leaves nothing", () => {
    const next = files({ "skills/b/SKILL.md": "b", "skills/b/scripts/deep/x.sh": "x", "agents/a.md": "a" });
    const install = planCopy({ ...situation({}), next });
    const disk = new Map([...next].map(([at, { bytes }]) => [at, bytes]));
    const removal = planCopy({ ...situation({}), recorded: recordsOf(install), disk });
    expect(removal.map(({ verdict }) => verdict)).toEqual(["removed", "removed", "removed"]);
    expect(recordsOf(removal).size).toBe(0);
  });
});
