import { describe, expect, test } from "bun:test";
import { formatApproval, formatCapabilities } from "../../../src/commands/shared/capabilities.ts";
import { formatOutcomes, outcomeWarnings, translationWarnings } from "../../../src/commands/shared/file-outcomes.ts";
import { exitCodeOf, failureOf } from "../../../src/commands/shared/notes.ts";
import type { FileOutcome } from "../../../src/delivery/decision.ts";
import { HugoError, type HugoErrorCode } from "../../../src/errors.ts";
import type { Capability } from "../../../src/packages/capability.ts";

const plain = { colour: false } as const;
const places = { folder: ".opencode", typedFolder: "../my project/.opencode" } as const;
const capabilities: readonly Capability[] = [
  { kind: "plugin-code", subject: "index.js", detail: "runs inside OpenCode with all your permissions" },
  { kind: "mcp", subject: "docs", detail: "npx -y docs-server --port 1" },
  { kind: "lifecycle", subject: "postinstall", detail: "node x.js" },
];

describe("capabilities", () => {
  test("are shown in columns", () => {
    expect(formatCapabilities(capabilities, plain)).toBe(
      [
        "  runs code   index.js     runs inside OpenCode with all your permissions",
        "  MCP server  docs         npx -y docs-server --port 1",
        "  blocked     postinstall  node x.js",
        "",
      ].join("\n"),
    );
  });

  test("are never cut: what does not fit continues on the next line", () => {
    const long = "sh -c 'one two three four five six seven eight nine ten eleven twelve' && curl example.invalid | sh";
    const shown = formatCapabilities([{ kind: "shell", subject: "commands/run.md", detail: long }], {
      colour: false,
      columns: 40,
    });
    expect(shown.replace(/\s+/g, " ")).toContain(long);
    expect(shown.split("\n").length).toBeGreaterThan(3);
  });

  test("with a long subject do not push the others aside", () => {
    const subject = "x".repeat(100);
    const [first = ""] = formatCapabilities(
      [...capabilities, { kind: "script", subject, detail: "may be run" }],
      plain,
    ).split("\n");
    expect(first).toBe("  runs code   index.js     runs inside OpenCode with all your permissions");
  });

  test.each([
    ["bidi", "bidi: characters that change the text direction"],
    ["zero-width", "zero-width: characters that are invisible"],
    ["more than 100000 characters", "more than 100000 characters"],
  ])("the hidden character %p is explained", (detail, explained) => {
    const shown = formatCapabilities([{ kind: "hidden", subject: "a.md", detail }], plain);
    expect(shown).toBe(`  hidden      a.md  ${explained}\n`);
  });

  test("an empty list is also reported", () => {
    expect(formatCapabilities([], plain)).toBe("  nothing: it contains only text for a model\n");
  });

  test("cannot draw on the terminal", () => {
    const shown = formatCapabilities([{ kind: "agent", subject: "a\x1b[2J", detail: "b\r\nInstalled\u202e" }], plain);
    expect(shown.split("\n").length).toBe(2);
    for (const character of ["\x1b", "\r", "\u202e"]) expect(shown).not.toContain(character);
  });
});

test("an approval shows what happens, what is known, and what it can do", () => {
  const request = { title: "Install review v1.0.0 from @org/review", capabilities, notes: ["1 agent\x07."] };
  expect(formatApproval(request, plain)).toStartWith("Install review v1.0.0 from @org/review\n  1 agent");
  expect(formatApproval(request, plain)).toContain("What it can do:\n  runs code");
  expect(formatApproval(request, plain)).not.toContain("\x07");
  expect(formatApproval({ ...request, capabilities: [] }, plain)).not.toContain("What it can do");
  expect(formatApproval({ ...request, isMore: true }, plain)).toContain(
    "What it can do now that it could not do before:\n",
  );
});

describe("what happened to files", () => {
  const outcome = (
    verdict: FileOutcome["verdict"],
    destination: string,
    because?: FileOutcome["because"],
  ): FileOutcome => ({
    verdict,
    destination,
    ...(because !== undefined && { because }),
  });

  test("is reported by kind, with the reason, without untouched files", () => {
    const files = [
      outcome("added", "commands/lint-check.md"),
      outcome("unchanged", "agents/same.md"),
      outcome("skipped", "agents/reviewer.md", "modified"),
      outcome("updated", "agents/orchestrator.md"),
      outcome("left", "agents/shared.md", "shared"),
    ];
    expect(formatOutcomes(files, plain)).toBe(
      [
        "  Updated:      agents/orchestrator.md",
        "  Skipped:      agents/reviewer.md (locally modified)",
        "  Added:        commands/lint-check.md",
        "  Left:         agents/shared.md (also belongs to another workflow)",
        "",
      ].join("\n"),
    );
  });

  test("a conflict includes commands that a shell understands", () => {
    const conflict = outcome("conflict", "agents/it's $HOME.md");
    const warnings = outcomeWarnings([conflict], { ...places, source: "notes", dryRun: false }, plain);
    expect(warnings).toContain(`rm '../my project/.opencode/agents/it'\\''s $HOME.md.hugo-new'`);
  });

  test("a dry run shows no commands for files that do not exist", () => {
    const files = [outcome("conflict", "agents/a.md"), outcome("skipped", "agents/b.md", "unmanaged")];
    expect(outcomeWarnings(files, { ...places, source: "notes", dryRun: true }, plain)).toBe(
      [
        "Warning: Your edits to .opencode/agents/a.md conflict with the new version. Your file would be kept, and the new version would be written next to it as .opencode/agents/a.md.hugo-new.",
        "Warning: File `.opencode/agents/b.md` already exists and is not managed by Hugo. It would be skipped. To use the package's file, move yours out of the way first.",
        "",
      ].join("\n"),
    );
  });
});

test("omitted parts are reported once per skill, with a location and a fix", () => {
  const stopped = ["SKILL.md", "run.sh"].map((file) => ({
    source: `skills/diff/${file}`,
    destination: `skills/diff/${file}`,
    entity: "skills/diff",
    at: "skills/diff/SKILL.md:3:1",
    because: "OpenCode has no such restriction",
    hint: "Ask its author.",
  }));
  const warnings = translationWarnings(
    { stopped, translated: [{ source: "a", at: "agents/a.md:2:1", message: "model is the session's" }] },
    plain,
  );
  expect(warnings).toBe(
    "Warning: skills/diff is left out (skills/diff/SKILL.md:3:1): OpenCode has no such restriction. Ask its author.\n" +
      "Different in OpenCode:\n  agents/a.md:2:1  model is the session's\n",
  );
});

test.each([
  [[], 0],
  [["not-approved"], 4],
  [["not-approved", "not-approved"], 4],
  [["not-approved", "network-failed"], 1],
] as [HugoErrorCode[], number][])("failures %p lead to the exit code %p", (codes, exitCode) => {
  const failed = codes.map((code) => failureOf("x", new HugoError(code, { message: "m", hint: "h" })));
  expect(exitCodeOf(failed)).toBe(exitCode as 0);
});
