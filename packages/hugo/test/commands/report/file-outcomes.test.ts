import { describe, expect, test } from "bun:test";
import { formatOutcomes, outcomeWarnings, translationWarnings } from "../../../src/commands/shared/file-outcomes.ts";
import { exitCodeOf, failureOf } from "../../../src/commands/shared/notes.ts";
import type { FileOutcome } from "../../../src/delivery/decision.ts";
import { HugoError, type HugoErrorCode } from "../../../src/errors.ts";
import { placeFor } from "../../../src/workspace/place.ts";

const plain = { colour: false } as const;
const place = placeFor({ cwd: "/p", home: "/home/me", env: {} }, { global: false });
const places = { folder: ".opencode", typedFolder: "../my project/.opencode", place } as const;
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

test("what is different in many files in the same way is said once", () => {
  const note = (file: string, message: string) => ({ source: file, at: `${file}:2:1`, message });
  const translated = [note("a.md", "model"), note("b.md", "model"), note("b.md", "tools"), note("b.md", "tools")];
  expect(translationWarnings({ stopped: [], translated }, plain)).toBe(
    "Different in OpenCode:\n  2 files   model\n  b.md:2:1  tools\n",
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
