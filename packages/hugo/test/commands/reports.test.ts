// Reports are pure, so they meet here what no honest package would bring.
import { describe, expect, test } from "bun:test";
import type { CommandReport } from "@atomic/terminal/command";
import { diff as diffCommand } from "../../src/commands/diff.ts";
import { disable as disableCommand } from "../../src/commands/disable.ts";
import type { StateChanges } from "../../src/commands/enable.ts";
import { enable as enableCommand } from "../../src/commands/enable.ts";
import { list as listCommand } from "../../src/commands/list.ts";
import { outdated as outdatedCommand } from "../../src/commands/outdated.ts";
import { remove as removeCommand } from "../../src/commands/remove.ts";
import { search as searchCommand } from "../../src/commands/search.ts";
import { status as statusCommand } from "../../src/commands/status.ts";
import { switchTo } from "../../src/commands/switch.ts";
import { undo as undoCommand } from "../../src/commands/undo.ts";
import { verify as verifyCommand } from "../../src/commands/verify.ts";
import { placeFor } from "../../src/workspace/place.ts";

const bad = "\x1b[2J\u202eevil\x07\n\rnext";
const place = placeFor({ cwd: "/p", home: "/home/me", env: {} }, { global: false });
const about = { dryRun: false, folder: ".opencode", typedFolder: ".opencode", place, notices: [bad] } as const;
const entry = { file: bad, spec: bad };
const toggled = { name: bad, version: bad, entries: [entry], elsewhere: [entry], redirected: [entry], files: [bad] };
const toggles: StateChanges = {
  ...about,
  workflows: (["enabled", "disabled", "already-enabled", "already-disabled", "enabled-elsewhere"] as const).flatMap(
    (change) => [
      { ...toggled, change, delivery: "plugin" },
      { ...toggled, change, delivery: "copy" },
    ],
  ),
  collisions: [
    {
      entity: "agent",
      name: bad,
      with: { kind: "builtin" },
      other: "agent",
      winner: "other",
      meeting: bad,
      verdict: bad,
      message: bad,
    },
  ],
};
const workflow = { name: bad, package: bad, version: bad, source: bad };
const content = { agents: [bad], commands: [bad], skills: [bad], selection: [bad] };
const hunk = { before: { start: 1, length: 1 }, after: { start: 1, length: 0 } };

function reported<Result>(name: string, report: CommandReport<Result>, result: Result): [string, () => string[]] {
  const pages = [{ colour: false }, { colour: false, columns: 40 }];
  return [name, () => pages.flatMap((page) => [report.text(result, page), report.notes(result, page)])];
}

const listed = { ...workflow, ...content, delivery: "plugin", enabled: true, entries: [entry], files: 1 } as const;
const status = { ...workflow, delivery: "copy", enabled: false, complete: false } as const;
const states = ["clean", "modified", "deleted", "skipped", "conflict"] as const;
const files = states.map((state) => ({ destination: bad, path: bad, state }));

const reports: readonly [name: string, texts: () => string[]][] = [
  reported("enable", enableCommand.report, toggles),
  reported("disable", disableCommand.report, toggles),
  reported("switch", switchTo.report, toggles),
  reported("remove", removeCommand.report, {
    ...about,
    workflows: [
      {
        ...workflow,
        delivery: "copy",
        entries: [entry],
        elsewhere: [entry],
        deleted: [bad],
        left: [
          { path: bad, because: "modified", owners: [] },
          { path: bad, because: "shared", owners: [bad] },
        ],
      },
    ],
  }),
  reported("undo", undoCommand.report, { ...about, title: bad, files: [{ path: bad, did: "deleted" }] }),
  reported("list", listCommand.report, {
    place,
    detailed: false,
    workflows: [listed],
    unmanaged: [{ name: bad, version: bad, entries: [{ file: bad, spec: bad }], adoption: { problem: bad } }],
    notices: [bad],
  }),
  reported("list of one", listCommand.report, {
    place,
    detailed: true,
    workflows: [listed],
    unmanaged: [],
    notices: [bad],
  }),
  reported("status", statusCommand.report, {
    ...about,
    workflows: [{ ...status, files, entries: [{ ...entry, state: "modified", pin: bad }] }],
  }),
  reported("diff", diffCommand.report, {
    ...about,
    files: (["deleted", "binary", "unknown-base"] as const).map((kind) => ({
      workflow: bad,
      version: bad,
      path: bad,
      side: "local" as const,
      change: { kind },
    })),
  }),
  reported("diff of a text", diffCommand.report, {
    ...about,
    files: [
      {
        workflow: bad,
        version: bad,
        path: bad,
        side: "update",
        change: { kind: "text", hunks: [{ ...hunk, lines: [{ mark: "-", text: "\x1b[2J\u202eevil\x07" }] }] },
      },
    ],
  }),
  reported("verify", verifyCommand.report, {
    ...about,
    workflows: [
      {
        name: bad,
        version: bad,
        hashed: 1,
        differences: [{ workflow: bad, kind: "store-changed", at: bad, detail: bad, next: bad }],
      },
    ],
  }),
  reported("outdated", outdatedCommand.report, {
    place,
    workflows: [{ ...workflow, installed: bad, wanted: bad, latest: bad, notices: [bad], problem: bad }],
    notices: [bad],
  }),
  reported("search", searchCommand.report, {
    words: [bad],
    packages: [{ name: bad, version: bad, description: bad }],
    isCut: true,
  }),
  reported("a search without result", searchCommand.report, { words: [bad], packages: [], isCut: false }),
];

describe("foreign text", () => {
  test.each(reports)("cannot act in the terminal through the report of %s", (_, texts) => {
    for (const text of texts()) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
      expect(text === "" || text.endsWith("\n")).toBe(true);
      // A line of its own could pass for a line of ours.
      expect(text).not.toMatch(/^next/m);
    }
  });
});

describe("colours", () => {
  test("contain the same text as without them", () => {
    const plain = listCommand.report.text(
      { place, detailed: false, workflows: [listed], unmanaged: [], notices: [] },
      { colour: false },
    );
    const coloured = listCommand.report.text(
      { place, detailed: false, workflows: [listed], unmanaged: [], notices: [] },
      { colour: true },
    );
    expect(coloured).not.toBe(plain);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    expect(coloured.replace(/\x1b\[\d+m/g, "")).toBe(plain);
  });
});
