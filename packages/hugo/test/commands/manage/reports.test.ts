// Reports are pure, so they meet here what no honest package would bring.
import { describe, expect, test } from "bun:test";
import type { Report } from "@atomic/terminal/command";
import type { Toggles } from "../../../src/commands/enable.ts";
import { diffReport } from "../../../src/commands/report/diff.ts";
import { disableReport } from "../../../src/commands/report/disable.ts";
import { enableReport } from "../../../src/commands/report/enable.ts";
import { listReport } from "../../../src/commands/report/list.ts";
import { outdatedReport } from "../../../src/commands/report/outdated.ts";
import { removeReport } from "../../../src/commands/report/remove.ts";
import { searchReport } from "../../../src/commands/report/search.ts";
import { statusReport } from "../../../src/commands/report/status.ts";
import { switchReport } from "../../../src/commands/report/switch.ts";
import { undoReport } from "../../../src/commands/report/undo.ts";
import { verifyReport } from "../../../src/commands/report/verify.ts";

const bad = "\x1b[2J\u202eevil\x07\n\rnext";
const about = { dryRun: false, folder: ".opencode", typedFolder: ".opencode", notices: [bad] } as const;
const entry = { file: bad, spec: bad };
const toggled = { name: bad, version: bad, entries: [entry], elsewhere: [entry], files: [bad] };
const toggles: Toggles = {
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

function reported<Result>(name: string, report: Report<Result>, result: Result): [string, () => string[]] {
  const pages = [{ colour: false }, { colour: false, columns: 40 }];
  return [name, () => pages.flatMap((page) => [report.text(result, page), report.notes(result, page)])];
}

const listed = { ...workflow, ...content, delivery: "plugin", enabled: true, entries: [entry], files: 1 } as const;
const status = { ...workflow, delivery: "copy", enabled: false, complete: false } as const;
const states = ["clean", "modified", "deleted", "skipped", "conflict"] as const;
const files = states.map((state) => ({ destination: bad, path: bad, state }));

const reports: readonly [name: string, texts: () => string[]][] = [
  reported("enable", enableReport, toggles),
  reported("disable", disableReport, toggles),
  reported("switch", switchReport, toggles),
  reported("remove", removeReport, {
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
  reported("undo", undoReport, { ...about, title: bad, files: [{ path: bad, did: "deleted" }] }),
  reported("list", listReport, { detailed: false, workflows: [listed], notices: [bad] }),
  reported("list of one", listReport, { detailed: true, workflows: [listed], notices: [bad] }),
  reported("status", statusReport, {
    ...about,
    workflows: [{ ...status, files, entries: [{ ...entry, state: "modified", pin: bad }] }],
  }),
  reported("diff", diffReport, {
    ...about,
    files: (["deleted", "binary", "unknown-base"] as const).map((kind) => ({
      workflow: bad,
      version: bad,
      path: bad,
      side: "local" as const,
      change: { kind },
    })),
  }),
  reported("diff of a text", diffReport, {
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
  reported("verify", verifyReport, {
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
  reported("outdated", outdatedReport, {
    workflows: [{ ...workflow, installed: bad, wanted: bad, latest: bad, notices: [bad], problem: bad }],
    notices: [bad],
  }),
  reported("search", searchReport, { words: [bad], packages: [{ name: bad, version: bad, description: bad }] }),
  reported("a search without result", searchReport, { words: [bad], packages: [] }),
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
  test("say the same as the text without them", () => {
    const plain = listReport.text({ detailed: false, workflows: [listed], notices: [] }, { colour: false });
    const coloured = listReport.text({ detailed: false, workflows: [listed], notices: [] }, { colour: true });
    expect(coloured).not.toBe(plain);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    expect(coloured.replace(/\x1b\[\d+m/g, "")).toBe(plain);
  });
});
