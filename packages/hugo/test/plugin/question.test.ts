import { expect, test } from "bun:test";
import { fitted, formatQuestion } from "../../src/plugin/gate.ts";

test("capabilities come before the rest, and all text is escaped", () => {
  const text = formatQuestion({
    title: "Install \u001b[31mreview\n1.0.0",
    capabilities: [
      { kind: "shell", subject: "commands/ship.md", detail: "git push\u202e" },
      { kind: "agent", subject: "reviewer", detail: "edit: yes" },
    ],
    notes: ["Agent \u0007 is also\nthere."],
  });
  expect(text).toBe(
    [
      "Install \\x1b[31mreview 1.0.0",
      "It can do 2 things:",
      "  runs shell  commands/ship.md  git push\\u{202e}",
      "  agent       reviewer          edit: yes",
      "  Agent \\x07 is also there.",
      "",
    ].join("\n"),
  );
});

test("a package without capabilities gets no list of them", () => {
  expect(formatQuestion({ title: "Install a", capabilities: [], notes: ["Text."] })).toBe("Install a\n  Text.\n");
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
