// docs/promises.md, written from test/promises/*.txt, where a promise is a line, and each of its proofs is an indented line below it.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { table } from "./markdown.ts";
import { type NamedTest, problemWith } from "./named-test.ts";

const promisesFolder = "test/promises";

interface PromiseSection {
  readonly heading: string;
  readonly intro: string;
  readonly promises: readonly ProvedPromise[];
}

interface ProvedPromise {
  readonly promise: string;
  readonly tests: readonly NamedTest[];
  /** The numbers of the decisions that explain it. */
  readonly decisions: readonly number[];
  /** As they are written. */
  readonly proofs: readonly string[];
}

const intro = `# Promises

This page lists what the designs promise to users, one line each, with the proof: a test, a bench if the promise is about time, or the
decision that replaced it with something better. First come the registry, the normalizers and the hints, then graphs, loops and runs, then
Hugo, then Magnus Opus, and last how it all reaches you. No promise of the designs is left for later.

\`npm run reference\` writes it from \`${promisesFolder}\`, and refuses a promise without a proof, or with a test that is missing or skipped.`;

export function promisePage(root: string): string {
  const sections = readSections(root);
  const problems = promiseProblems(root, sections);
  if (problems.length > 0) throw new Error(`${promisesFolder}:\n${problems.join("\n")}`);
  const decisions = new Map(readdirSync(join(root, "docs/decisions")).map((name) => [Number.parseInt(name, 10), name]));
  const link = (proof: string): string => {
    const named = testIn(proof);
    if (named !== undefined) return `[\`${basename(named.file)}\`](../${proof.replace(" › ", ") › ")}`;
    return `[${proof}](decisions/${decisions.get(Number(proof.replace(DECISION, "$1")))})`;
  };
  const written = sections.map(({ heading, intro, promises }) =>
    [
      `## ${heading}`,
      ...(intro === "" ? [] : [intro]),
      table(
        ["promise", "proof"],
        promises.map(({ promise, proofs }) => [promise, proofs.map(link).join(" and ")]),
      ),
    ].join("\n\n"),
  );
  return [intro, overview(sections), ...written].join("\n\n");
}

export function readSections(root: string): PromiseSection[] {
  const files = readdirSync(join(root, promisesFolder)).toSorted();
  return files.flatMap((file) => parsePromises(readFileSync(join(root, promisesFolder, file), "utf8")));
}

export function parsePromises(text: string): PromiseSection[] {
  const sections = `\n${text}`.split("\n## ").slice(1);
  return sections.map((section) => {
    const [head = "", ...promises] = section.trimEnd().split("\n- ");
    const [heading = "", ...lines] = head.split("\n");
    return { heading, intro: lines.join("\n").trim(), promises: promises.map(parsePromise) };
  });
}

function parsePromise(text: string): ProvedPromise {
  const [promise = "", ...lines] = text.trimEnd().split("\n");
  const proofs = lines.map((line) => line.trim());
  return {
    promise,
    proofs,
    tests: proofs.flatMap((proof) => testIn(proof) ?? []),
    decisions: proofs.filter((proof) => DECISION.test(proof)).map((proof) => Number(proof.replace(DECISION, "$1"))),
  };
}

const DECISION = /^decision (\d+)$/;

function testIn(proof: string): NamedTest | undefined {
  const [, file, titles = ""] = /^([\w./-]+\.ts)((?: › "[^"]+")+)$/.exec(proof) ?? [];
  if (file === undefined) return undefined;
  return { file, titles: Array.from(titles.matchAll(/"([^"]+)"/g), ([, title = ""]) => title) };
}

/** Why the page may not be written. */
export function promiseProblems(root: string, sections: readonly PromiseSection[]): string[] {
  const numbers = readdirSync(join(root, "docs/decisions")).map((name) => Number.parseInt(name, 10));
  const promises = sections.flatMap((section) => section.promises);
  const lines = promises.map(({ promise }) => promise);
  const problems = promises.flatMap(({ promise, proofs, tests, decisions }) => [
    ...(proofs.length === 0 ? [`"${promise}" has no proof`] : []),
    ...proofs
      .filter((proof) => testIn(proof) === undefined && !DECISION.test(proof))
      .map((proof) => `${proof} is neither a test with its titles nor a decision`),
    ...tests.flatMap((named) => problemWith(root, named) ?? []),
    ...decisions.filter((number) => !numbers.includes(number)).map((number) => `there is no decision ${number}`),
  ]);
  const twice = lines.filter((line, at) => lines.indexOf(line) !== at).map((line) => `"${line}" is there twice`);
  return [...new Set([...problems, ...twice])];
}

/** Sections whose headings begin with the same words and a colon are one area. */
function overview(sections: readonly PromiseSection[]): string {
  const areaOf = ({ heading }: PromiseSection): string => /^(\w+(?: Opus)?): /.exec(heading)?.[1] ?? heading;
  const row = (name: string, all: readonly PromiseSection[]): string[] => {
    const promises = all.flatMap((section) => section.promises);
    const files = promises.flatMap(({ tests }) => tests.map(({ file }) => file));
    const benches = files.filter((file) => /^bench\/[^/]+$/.test(file)).length;
    const decisions = promises.reduce((sum, { decisions }) => sum + decisions.length, 0);
    return [name, ...[promises.length, files.length - benches, benches, decisions].map((n) => (n === 0 ? "" : `${n}`))];
  };
  const names = [...new Set(sections.map(areaOf))];
  const rows = names.map((name) =>
    row(
      name,
      sections.filter((section) => areaOf(section) === name),
    ),
  );
  return table(["area", "promises", "tests that prove them", "benches", "decisions"], [...rows, row("all", sections)]);
}
