// docs/promises.md is only worth something while every line of it points at a proof that is really there.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const root = dirname(import.meta.dir);
const [kept = "", later = ""] = readFileSync(join(root, "docs/promises.md"), "utf8")
  .replace(/<!-- summary -->[\s\S]*?<!-- \/summary -->/, "")
  .split("\n## Later\n");

interface Promised {
  readonly promise: string;
  readonly proof: string;
}

/** A test or a bench by its file and titles, from the outermost `describe` to the test. */
interface NamedTest {
  readonly file: string;
  readonly titles: readonly string[];
}

const TEST = /\[`[^`]+`\]\((?:\.\.\/)+([^)]+)\)((?: › "[^"]+")+)/g;
const DECISION = /\[decision (\d+)\]\((decisions\/(\d{4})-[^)]+\.md)\)/g;

describe("every promise", () => {
  const promises = rowsOf(kept);

  test("has its own line", () => {
    expect(promises.length).toBeGreaterThan(60);
    const lines = promises.map(({ promise }) => promise);
    expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
  });

  test("has a proof: tests, benches or decisions, and nothing else", () => {
    const unproved = promises.filter(({ proof }) => {
      const rest = proof.replaceAll(TEST, "·").replaceAll(DECISION, "·");
      return !/^·(?: and ·)*$/.test(rest);
    });
    expect(unproved).toEqual([]);
  });

  test("names tests that exist and run", () => {
    const wrong = promises.flatMap(({ proof }) => namedTests(proof)).flatMap((named) => problemWith(named) ?? []);
    expect([...new Set(wrong)]).toEqual([]);
  });

  test("names decisions that exist, by their number", () => {
    const decisions = promises.flatMap(({ proof }) => [...proof.matchAll(DECISION)]);
    expect(decisions.length).toBeGreaterThan(5);
    const wrong = decisions.filter(
      ([, number, path = "", digits]) => Number(number) !== Number(digits) || !existsSync(join(root, "docs", path)),
    );
    expect(wrong.map(([link]) => link)).toEqual([]);
  });
});

test("the guide names existing tests for each of Magnus Opus's success criteria", () => {
  const guide = readFileSync(join(root, "docs/guide/magnus-opus.md"), "utf8");
  const criteria = rowsOf(guide.split("\n## What it was built for\n")[1] ?? "");
  expect(criteria).toHaveLength(17);
  expect(
    criteria.filter(({ proof }) => proof.replaceAll(TEST, "·").replaceAll(" and ", "").replaceAll("·", "") !== ""),
  ).toEqual([]);
  expect(criteria.flatMap(({ proof }) => namedTests(proof)).flatMap((named) => problemWith(named) ?? [])).toEqual([]);
});

test("the page about stability names existing tests for what it calls held", () => {
  const page = readFileSync(join(root, "docs/reference/stability.md"), "utf8");
  const [, held = ""] = page.split("\n## Stable, and held by a test\n");
  const rows = rowsOf(held.split("\n\n| module ")[0] ?? "");
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter(({ proof }) => namedTests(proof).length === 0)).toEqual([]);
  expect(rows.flatMap(({ proof }) => namedTests(proof)).flatMap((named) => problemWith(named) ?? [])).toEqual([]);
});

test("a link is called like its file", () => {
  const links = [...kept.matchAll(/\[`([^`]+\.ts)`\]\(([^)]+)\)/g)];
  expect(links.length).toBeGreaterThan(500);
  expect(links.filter(([, name, path = ""]) => name !== basename(path)).map(([link]) => link)).toEqual([]);
});

test("a planned promise names the part of the product it belongs to, and claims no proof", () => {
  const rows = rowsOf(later);
  const wrong = rows.filter(({ proof }) => !/^the |^Hugo /.test(proof) || /\]\(/.test(proof));
  expect(wrong).toEqual([]);
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

/** The rows of all tables, without their heads. */
function rowsOf(text: string): Promised[] {
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  const rows = lines.filter((line, at) => !/^\|(?:-+\|)+$/.test(line) && !/^\|-/.test(lines[at + 1] ?? ""));
  return rows.map((row) => {
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
    expect(cells).toHaveLength(4);
    return { promise: cells[1] ?? "", proof: cells[2] ?? "" };
  });
}

function namedTests(proof: string): NamedTest[] {
  return Array.from(proof.matchAll(TEST), ([, file = "", titles = ""]) => ({
    file,
    titles: Array.from(titles.matchAll(/"([^"]+)"/g), ([, title = ""]) => title),
  }));
}

function problemWith({ file, titles }: NamedTest): string | undefined {
  const path = join(root, file);
  if (!existsSync(path) || !isRun(path)) return `${file} is not a test`;
  const text = readFileSync(path, "utf8");
  let at = 0;
  for (const title of titles) {
    const found = titleFrom(text, title, at);
    if (found === undefined) return `${file} has no "${title}"`;
    if (found.isSkipped) return `${file} skips "${title}"`;
    at = found.end;
  }
  return undefined;
}

/** A test, a bench, or a suite that tests beside it run for every implementation. */
function isRun(path: string): boolean {
  if (path.endsWith(".test.ts") || dirname(path) === join(root, "bench")) return true;
  const beside = readdirSync(dirname(path)).filter((name) => name.endsWith(".test.ts"));
  return beside.some((name) => readFileSync(join(dirname(path), name), "utf8").includes(`"./${basename(path)}"`));
}

/** A title is the first argument of `test`, `describe` or one of their `each`, or what a bench calls a group. */
function titleFrom(text: string, title: string, from: number): { end: number; isSkipped: boolean } | undefined {
  const quoted = title.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const pattern = new RegExp(`(?:[(,]\\s*|title: )(["'\`])${quoted}\\1`, "g");
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const line = text.slice(text.lastIndexOf("\n", match.index) + 1, match.index);
  return { end: pattern.lastIndex, isSkipped: /\.(?:skip|todo)\b/.test(line) };
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
