import { expect, test } from "bun:test";
import { fitted, formatQuestion } from "../../src/plugin/gate.ts";

test("capabilities come before the rest, and all text is escaped", () => {
  const text = formatQuestion(
    {
      title: "Install \u001b[31mreview\n1.0.0",
      capabilities: [
        { kind: "shell", subject: "commands/ship.md", detail: "git push\u202e" },
        { kind: "agent", subject: "reviewer", detail: "edit: yes", rights: {} },
      ],
      notes: ["Agent \u0007 is also\nthere."],
    },
    "hugo install review",
  );
  expect(text).toBe(
    [
      "Install \\x1b[31mreview 1.0.0",
      "What it can do:",
      "  shell        git push\\u{202e} (commands/ship.md)",
      "  agents       reviewer: edit: yes",
      "  Agent \\x07 is also there.",
      "",
    ].join("\n"),
  );
});

test("a summary says where the details are", () => {
  const capabilities = [1, 2, 3].map((n) => ({ kind: "code", subject: `${n}.js`, detail: "runs programs" }) as const);
  const notes = [{ summary: "9 names are taken", all: ["a", "b"] }];
  expect(formatQuestion({ title: "Install a", capabilities, notes }, "hugo install a")).toBe(
    [
      "Install a",
      "What it can do:",
      "  runs code    runs programs: 3 files, such as 1.js",
      "  9 names are taken",
      "To see all details: hugo install a",
      "",
    ].join("\n"),
  );
});

test("a package without capabilities gets no list of them", () => {
  expect(formatQuestion({ title: "Install a", capabilities: [], notes: ["Text."] }, "hugo")).toBe(
    "Install a\n  Text.\n",
  );
});

test("lines that do not fit the screen are counted in plain sight", () => {
  const lines = Array.from({ length: 80 }, (_, index) => `line ${index}`);
  const shown = fitted(`${lines.join("\n")}\n`, "hugo install a").split("\n");
  const missing = "… 30 more lines that cannot be shown here. To see them all: hugo install a";
  expect(shown).toEqual(["line 0", missing, ...lines.slice(1, 50), missing]);
  expect(fitted(lines.slice(0, 50).join("\n"), "hugo install a").split("\n")).toEqual(lines.slice(0, 50));
});

test("no line pushes the others off the screen", () => {
  expect(fitted(`a\n${"x".repeat(500)}\nb\n`, "hugo")).toBe(`a\n${"x".repeat(400)}… and 100 more characters\nb`);
});
