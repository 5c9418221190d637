import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Bench } from "../harness/bench.ts";
import { type LoadedBench, type RunOptions, runGroup } from "../harness/rounds.ts";
import { ContestantFailure } from "../harness/sample.ts";

const options: RunOptions = { rounds: 2, warmups: 0, seed: 1, microMs: 5, timeoutMs: 60_000 };

async function load(name: string): Promise<LoadedBench> {
  const file = join(import.meta.dirname, "fixtures", `${name}.bench.ts`);
  const { default: definition } = (await import(file)) as { default: Bench };
  return { name, file, definition };
}

test.each([
  ["exits with 3", "exit code 3", "the disk is full"],
  ["is killed", "exit code 1", "sh was ended by SIGSEGV"],
  ["does not exist", 'there is no program "no-such-program-anywhere"', ""],
  ["throws", "exit code 1", "the parser gave up"],
  ["rejects", "exit code 1", "the promise broke"],
  ["does nothing", "exit code 1", "nothing was written"],
  ["exits in silence", "no result", ""],
  ["cannot be prepared", "exit code 1", "no input file"],
])("a contestant that %s fails its bench, with its own words", async (name, how, words) => {
  const bench = await load("failing");
  const group = bench.definition.groups.find((candidate) => candidate.title === name)!;
  const failure = await runGroup(bench, group, options, () => undefined).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ContestantFailure);
  const { message } = failure as ContestantFailure;
  expect(message).toStartWith(`failing: "${name}" failed in round 1: ${how}`);
  expect(message).toContain(words);
});

test("contestants take turns: everyone in each round, warm-ups first and left out of the samples", async () => {
  const bench = await load("claims");
  const seen: [number, string][] = [];
  const samples = await runGroup(bench, bench.definition.groups[0]!, { ...options, warmups: 1 }, (...turn) => {
    seen.push(turn);
  });
  expect(samples.map((own) => own.length)).toEqual([2, 2]);
  expect(seen.map(([round]) => round)).toEqual([0, 0, 1, 1, 2, 2]);
  for (const round of [0, 1, 2]) {
    expect(
      seen
        .filter(([its]) => its === round)
        .map(([, name]) => name)
        .sort(),
    ).toEqual(["big", "small"]);
  }
});
