// The overview of docs/promises.md: how many promises each area has, and how many tests (or benches) prove them, or decisions explain them.
import { table } from "./markdown.ts";

interface Area {
  readonly name: string;
  readonly promises: number;
  readonly tests: number;
  readonly decisions: number;
}

/** The page with its overview brought up to date; the promises themselves are written by people. */
export function withSummary(page: string): string {
  const areas = areasOf(page);
  const sum = (key: "promises" | "tests" | "decisions"): number => areas.reduce((all, area) => all + area[key], 0);
  const rows = areas.map(({ name, promises, tests, decisions }) => [
    ...[name, String(promises), String(tests), decisions === 0 ? "" : String(decisions)],
  ]);
  const total = ["all", String(sum("promises")), String(sum("tests")), String(sum("decisions"))];
  return page.replace(
    /(<!-- summary -->\n\n)[\s\S]*?(<!-- \/summary -->)/,
    (_, begin, end) =>
      `${begin}${table(["area", "promises", "tests that prove them", "decisions"], [...rows, total])}\n\n${end}`,
  );
}

/** Sections whose titles begin with the same word and a colon are one area. What comes later is not promised. */
function areasOf(page: string): readonly Area[] {
  const [promised = ""] = page.split("\n## Later\n");
  const areas = new Map<string, Area>();
  for (const section of promised.split("\n## ").slice(1)) {
    const [heading = ""] = section.split("\n");
    const [, prefix] = /^(\w+(?: Opus)?): /.exec(heading) ?? [];
    const name = prefix ?? heading;
    const lines = section.split("\n").filter((line) => /^\| (?!promise \|)/.test(line));
    const { promises, tests, decisions } = areas.get(name) ?? { promises: 0, tests: 0, decisions: 0 };
    const proofs = lines.join("\n");
    areas.set(name, {
      name,
      promises: promises + lines.length,
      tests: tests + (proofs.match(/\]\([^)]+\.ts\)/g) ?? []).length,
      decisions: decisions + (proofs.match(/\[decision \d+\]/g) ?? []).length,
    });
  }
  return [...areas.values()];
}
