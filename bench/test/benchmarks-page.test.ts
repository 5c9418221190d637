import { describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchmarksPage } from "../harness/benchmarks-page.ts";
import { stableJson } from "../harness/report.ts";
import type { Report, Row } from "../harness/summary.ts";
import { pageOf } from "../run.ts";
import { reasonIn } from "../run-steps/peers.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const bench = join(import.meta.dirname, "..");

test("docs/benchmarks.md is what the results say: `npm run bench -- --report` writes it", async () => {
  expect(await readFile(join(bench, "../docs/benchmarks.md"), "utf8")).toBe(await pageOf(bench));
});

describe("the page of all results", () => {
  test("says first which claims do not hold and who is faster, and not what is only there for scale", () => {
    const rows = [row("node -e 0", 1), row("theirs", 20), row("slow", 90), { ...row("ours", 40), ours: true }];
    const page = benchmarksPage({ reports: [reportOf(rows, false)], texts: new Map(), unmeasured: ["late"] });
    const [, top = ""] = page.split("## Where we are behind\n");
    const [behind = ""] = top.split("\n## ");
    expect(behind).toContain("- Listing, Two: cpu of ours is at most 2× that of node -e 0 (measured 40× (40–40))");
    expect(behind).toContain("| Listing | Two | ours | theirs | 2.0× (2.0–2.0) | 2.0× (2.0–2.0) |");
    expect(behind).not.toContain("| node -e 0 |");
    expect(behind).not.toContain("slow");
    expect(behind).toContain("no published results yet: `late`");
    expect(page).toContain("| [Listing](#listing) | 0 of 1 |");
    expect(page).toContain("![Listing](../bench/results/list.svg)");
    expect(page.match(/^# /gm)).toHaveLength(1);
  });

  test("says so where nothing is faster and every claim holds", () => {
    const reports = [reportOf([row("node -e 0", 1), row("theirs", 90), { ...row("ours", 40), ours: true }], true)];
    const page = benchmarksPage({ reports, texts: new Map(), unmeasured: [] });
    expect(page).toContain("All of our claims hold.");
    expect(page).toContain("No program that does the same job is faster than ours.");
  });

  test("has results that are only a text, and names benches without any", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "results"));
    await writeFile(join(folder.path, "other.bench.ts"), "");
    await writeFile(join(folder.path, "results/list.json"), stableJson(reportOf([row("node -e 0", 1)], true)));
    await writeFile(join(folder.path, "results/list.md"), "# Not shown, because there is a list.json\n");
    await writeFile(join(folder.path, "results/fleet.md"), "# A fleet\n\nText.\n");
    const page = await pageOf(folder.path);
    expect(page).toContain("\n## A fleet\n\nText.\n");
    expect(page).not.toContain("Not shown");
    expect(page).toContain("no published results yet: `other`, `run-steps`");
  });
});

test.each([
  [
    "node:internal\n\nError: Could not locate the bindings file. Tried:\n → /x/y/build.node",
    "Error: Could not locate the bindings file. Tried:",
  ],
  [
    "error: Cannot find module '/home/me/peers/node_modules/a/b.js' from '/x/job.mjs'",
    "error: Cannot find module '…/b.js' from '…/job.mjs'",
  ],
  ["it\nbroke\n\n", "broke"],
  ["", "it failed without a message"],
])("the reason in %j names no folder of the machine", (stderr, reason) => {
  expect(reasonIn(stderr)).toBe(reason);
});

function row(name: string, ms: number): Row {
  const [spread, rounds] = [{ min: ms, median: ms, max: ms }, [ms, ms]];
  const rss = { min: 1e6, median: 1e6, max: 1e6 };
  const byRound = { wall: rounds, cpu: rounds, rss: [1e6, 1e6] };
  return { name, ours: false, wallMs: spread, cpuMs: spread, rssBytes: rss, rssAtMost: false, byRound };
}

function reportOf(rows: readonly Row[], holds: boolean): Report {
  const measured = { min: 40, median: 40, max: 40 };
  const verdicts = [{ claim: "cpu of ours is at most 2× that of node -e 0", measured, holds }];
  const machine = {
    cores: 2,
    platform: "linux x64",
    fileSystem: "ext4",
    loadBefore: 0,
    loadAfter: 0,
    versions: {},
    warnings: [],
  };
  const groups = [{ title: "Two", baseline: "node -e 0", rows, verdicts }];
  return { bench: "list", title: "Listing", about: "About.", rounds: 2, warmups: 0, seed: 1, machine, groups };
}
