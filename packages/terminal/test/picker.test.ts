import { describe, expect, test } from "bun:test";
import { drawPicker, matchingItems, type Picker, pressKey, readKeys } from "../src/picker.ts";
import { displayWidth } from "../src/width.ts";

const item = (value: string, detail = "") => ({
  value,
  group: value.slice(0, value.indexOf("/")),
  label: value.slice(value.indexOf("/") + 1),
  detail,
});
const items = [
  item("plugins/python", "2 agents: Python 3.12"),
  item("agents/reviewer", "Reviews code"),
  item("skills/pdf", "Reads PDFs with Python"),
  item("skills/docx", "Reads documents"),
];
const fresh: Picker = { title: "Choose", items, filter: "", at: 0, chosen: new Set() };

/** The list after some keys, as a terminal sends them; the end if one of them ends it. */
function after(typed: string, picker = fresh): Picker | readonly string[] | "cancelled" {
  let now = picker;
  for (const key of readKeys(typed)) {
    const result = pressKey(now, key);
    if ("end" in result) return result.end ?? "cancelled";
    now = result.next;
  }
  return now;
}

describe("a list to choose from", () => {
  test.each([
    ["nothing", "", ["python", "reviewer", "pdf", "docx"]],
    ["a name", "pd", ["pdf"]],
    ["a description, after the names", "python", ["python", "pdf"]],
    ["upper case", "PYTHON 3", ["python"]],
    ["a kind", "skills/", ["pdf", "docx"]],
    ["what nothing has", "rust", []],
  ])("shows what matches %s", (_, filter, labels) => {
    expect(matchingItems({ items, filter }).map(({ label }) => label)).toEqual(labels);
  });

  test.each<[string, string, readonly string[] | "cancelled"]>([
    ["space and enter", " \r", ["plugins/python"]],
    ["arrows", "\x1b[B \x1b[B\x1b[B\x1b[A\x1b[B \r", ["agents/reviewer", "skills/docx"]],
    ["arrows of an application", "\x1bOB \r", ["agents/reviewer"]],
    ["what was typed", "docx \r", ["skills/docx"]],
    ["several searches", "docx \x15pdf \r", ["skills/docx", "skills/pdf"]],
    ["a corrected search", "docz\x7fx \r", ["skills/docx"]],
    ["the last one", "\x1b[F \r", ["skills/docx"]],
    ["all that match", "skills/\x01\r", ["skills/pdf", "skills/docx"]],
    ["all, and then none but one", "\x01\x01 \r", ["plugins/python"]],
    ["one that is taken back", " \x1b[B \x1b[A \r", ["agents/reviewer"]],
    ["Esc", " \x1b", "cancelled"],
    ["Ctrl-D", "\x04", "cancelled"],
  ])("is answered by %s", (_, typed, answer) => {
    expect(after(typed)).toEqual(answer);
  });

  test("stays if nothing is selected, and says how to", () => {
    expect(after("\r")).toMatchObject({ notice: "Nothing is selected yet: press space to select." });
    expect(after("\rx")).not.toHaveProperty("notice");
  });

  test("drops keys that mean nothing, and never leaves its ends", () => {
    expect(after("\x1b[1;5C\x1b[15~\x02\x1bx")).toEqual(fresh);
    expect(after("\x1b[A\x1b[5~")).toMatchObject({ at: 0 });
    expect(after("\x1b[6~\x1b[B")).toMatchObject({ at: 3 });
    expect(after("nothing like it \x1b[B ")).toMatchObject({ chosen: new Set() });
  });
});

describe("its picture", () => {
  const many = Array.from({ length: 500 }, (_, i) => item(`skills/skill-${i}`, "x".repeat(300)));

  test("shows the search, the list and the keys", () => {
    const picker = after("re \x1b[B") as Picker;
    expect(drawPicker(picker, { columns: 70, rows: 9, colour: false })).toEqual([
      "Choose",
      "Search: re                                   1 selected, 3 of 4 shown",
      "  [x] reviewer  agents   Reviews code",
      "> [ ] pdf       skills   Reads PDFs with Python",
      "  [ ] docx      skills   Reads documents",
      "",
      "Reads PDFs with Python",
      "",
      "type to search · ↑↓ move · space select · enter accept · esc cancel",
    ]);
  });

  test.each([
    [80, 24],
    [40, 10],
    [20, 6],
  ])("fits %d columns and %d rows", (columns, rows) => {
    for (const at of [0, 250, 499]) {
      const lines = drawPicker({ ...fresh, items: many, at }, { columns, rows, colour: false });
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines.filter((line) => line.startsWith(`> [ ] skill-${at}`.slice(0, columns - 2)))).toHaveLength(1);
      if (columns >= 40) expect(Math.max(...lines.map(displayWidth))).toBeLessThan(columns);
    }
  });

  test("escapes what an author wrote", () => {
    const hostile = { ...fresh, items: [item("skills/a", "\x1b[31mred\nand more")], title: "\x1b]0;x\x07" };
    expect(drawPicker(hostile, { columns: 60, rows: 10, colour: false }).join("")).not.toMatch(/\p{Cc}/u);
  });
});
