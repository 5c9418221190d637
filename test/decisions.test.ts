// The index of decision records lists every record, and a record that was overruled says by which.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../docs/decisions");
const files = readdirSync(folder).filter((name) => /^\d/.test(name));
const index = readFileSync(join(folder, "README.md"), "utf8");
const rows = Array.from(index.matchAll(/^\| (\d+) \| \[(.+)\]\((.+)\) \| (.*) \|$/gm), ([, n, title, file, note]) => ({
  n: Number(n),
  title,
  file: file ?? "",
  by: Array.from((note ?? "").matchAll(/by (\d+)/g), ([, by]) => Number(by)),
}));

test("the index lists every record by its title", () => {
  expect(rows.map(({ file }) => file)).toEqual(files.toSorted());
  for (const { n, title, file } of rows)
    expect(readFileSync(join(folder, file), "utf8")).toStartWith(`# ${n}. ${title}\n`);
});

test("an overruled record names its successor, and the index says the same", () => {
  for (const { file, by } of rows) {
    const [, later = ""] = readFileSync(join(folder, file), "utf8").split("**Later.**");
    const named = Array.from(later.matchAll(/\[record (\d+)\]/g), ([, n]) => Number(n));
    expect({ file, by: named }).toEqual({ file, by });
  }
});
