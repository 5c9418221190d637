// docs/promises.md is only worth something while every line of it points at a proof that is really there.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type NamedTest, problemWith } from "../scripts/reference/named-test.ts";
import { parsePromises, promiseProblems, readSections } from "../scripts/reference/promise-page.ts";

const root = dirname(import.meta.dir);
const TEST = /\[`[^`]+`\]\((?:\.\.\/)+([^)]+)\)((?: › "[^"]+")+)/g;

describe("docs/promises.md", () => {
  const sections = readSections(root);

  test("every promise has its own line and a proof: tests and benches that run, or decisions that exist", () => {
    const promises = sections.flatMap((section) => section.promises);
    expect(promises.length).toBeGreaterThan(700);
    expect(promises.flatMap(({ tests }) => tests).length).toBeGreaterThan(1000);
    expect(promises.flatMap(({ decisions }) => decisions).length).toBeGreaterThan(100);
    expect(promiseProblems(root, sections)).toEqual([]);
  });

  test.each([
    ["", '"Nothing is lost." has no proof'],
    ["because we say so", "because we say so is neither a test with its titles nor a decision"],
    ["test/promises.test.ts", "test/promises.test.ts is neither a test with its titles nor a decision"],
    ['test/gone.test.ts › "it"', "test/gone.test.ts is not a test"],
    ['scripts/reference/named-test.ts › "it"', "scripts/reference/named-test.ts is not a test"],
    ['test/promises.test.ts › "no test has this title"', 'test/promises.test.ts has no "no test has this title"'],
    ["decision 9999", "there is no decision 9999"],
    ["decision 3\n- Nothing is lost.\n  decision 3", '"Nothing is lost." is there twice'],
  ])("%j is refused", (proof, problem) => {
    const planted = parsePromises(`## Planted\n\n- Nothing is lost.\n  ${proof}`);
    expect(promiseProblems(root, planted)).toEqual([problem]);
  });
});

test("the guide names existing tests for each of Magnus Opus's success criteria", () => {
  const guide = readFileSync(join(root, "docs/guide/magnus-opus.md"), "utf8");
  const criteria = rowsOf(guide.split("\n## What it was built for\n")[1] ?? "");
  expect(criteria).toHaveLength(17);
  expect(
    criteria.filter(({ proof }) => proof.replaceAll(TEST, "·").replaceAll(" and ", "").replaceAll("·", "") !== ""),
  ).toEqual([]);
  expect(criteria.flatMap(({ proof }) => namedTests(proof)).flatMap((named) => problemWith(root, named) ?? [])).toEqual(
    [],
  );
});

test("the page about stability names existing tests for what it calls checked", () => {
  const page = readFileSync(join(root, "docs/reference/stability.md"), "utf8");
  const [, held = ""] = page.split("\n## Stable, and checked by a test\n");
  const rows = rowsOf(held.split("\n\n| module ")[0] ?? "");
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter(({ proof }) => namedTests(proof).length === 0)).toEqual([]);
  expect(rows.flatMap(({ proof }) => namedTests(proof)).flatMap((named) => problemWith(root, named) ?? [])).toEqual([]);
});

/** What a program needs to talk to others, or to have others talk for it. */
const talkative = /^node:(?:http|https|http2|net|tls|dgram|dns|child_process|worker_threads|cluster|inspector)\b/;

test("nothing that reads entities can reach a network", () => {
  const source = join(root, "packages/workflows/src");
  const doors = ["entities.ts", "entities/watch.ts", "entities/lint/lint.ts"];
  const files = reachableFrom(doors.map((door) => join(source, door)));
  expect(files.size).toBeGreaterThan(40);
  const foreign = [...files.values()].flatMap(({ foreign }) => foreign);
  expect(foreign).toContain("node:fs");
  expect(foreign.filter((name) => talkative.test(name) || !/^(?:node:|#?yaml$)/.test(name))).toEqual([]);
  const calling = [...files].filter(([, { text }]) => /\b(?:fetch|WebSocket|EventSource|XMLHttpRequest)\b/.test(text));
  expect(calling.map(([path]) => path)).toEqual([]);
});

interface ProofRow {
  readonly proof: string;
}

/** The rows of all tables, without their heads. */
function rowsOf(text: string): ProofRow[] {
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  const rows = lines.filter((line, at) => !/^\|(?:-+\|)+$/.test(line) && !/^\|-/.test(lines[at + 1] ?? ""));
  return rows.map((row) => {
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
    expect(cells).toHaveLength(4);
    return { proof: cells[2] ?? "" };
  });
}

function namedTests(proof: string): NamedTest[] {
  return Array.from(proof.matchAll(TEST), ([, file = "", titles = ""]) => ({
    file,
    titles: Array.from(titles.matchAll(/"([^"]+)"/g), ([, title = ""]) => title),
  }));
}

interface SourceFile {
  readonly text: string;
  readonly foreign: readonly string[];
}

/** The files of this repository that a file needs, directly or not, each with what it takes from elsewhere. */
function reachableFrom(doors: readonly string[]): Map<string, SourceFile> {
  const found = new Map<string, SourceFile>();
  const waiting = [...doors];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const text = readFileSync(path, "utf8");
    const specifiers = Array.from(
      text.matchAll(/(?:\bfrom |^import |\bimport\(|createRequire\([^)]*\)\()"([^"]+)"/gm),
      ([, name = ""]) => name,
    );
    const own = specifiers.map((specifier) => ownFile(specifier, path)).filter((file) => file !== undefined);
    found.set(path, { text, foreign: specifiers.filter((specifier) => ownFile(specifier, path) === undefined) });
    waiting.push(...own);
  }
  return found;
}

function ownFile(specifier: string, from: string): string | undefined {
  if (specifier.startsWith(".")) return resolve(dirname(from), specifier);
  const [, name, subpath] = /^@atomic\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const folder = join(root, "packages", name);
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const target = exports[`./${subpath}`] ?? exports["./*"];
  return join(folder, target.bun.replace("*", subpath));
}
