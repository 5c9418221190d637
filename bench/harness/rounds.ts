import type { Bench, Group } from "./bench.ts";
import { shuffledOrder } from "./order.ts";
import { ContestantFailure, type Sample, type SampleOptions, takeSample } from "./sample.ts";

/** A bench definition together with the file that children load it from again. */
export interface LoadedBench {
  readonly name: string;
  readonly file: string;
  readonly definition: Bench;
}

export interface RunOptions extends SampleOptions {
  readonly rounds: number;
  readonly warmups: number;
  readonly seed: number;
}

/** Rounds from zero down are warm-ups. */
export type OnProgress = (round: number, contestant: string) => void;

/** Every contestant once in each round; samples[contestant][round], without the warm-ups. */
export async function runGroup(
  bench: LoadedBench,
  group: Group,
  options: RunOptions,
  onProgress: OnProgress,
): Promise<Sample[][]> {
  const groupIndex = bench.definition.groups.indexOf(group);
  const samples: Sample[][] = group.contestants.map(() => []);
  for (let round = 1 - options.warmups; round <= options.rounds; round++) {
    for (const index of shuffledOrder(group.contestants.length, options.seed, round)) {
      const contestant = group.contestants[index]!.name;
      onProgress(round, contestant);
      const where = { file: bench.file, group: groupIndex, contestant: index };
      const sample = await takeSample(where, options).catch((error: unknown) => {
        if (!(error instanceof ContestantFailure)) throw error;
        throw new ContestantFailure(`${bench.name}: "${contestant}" failed in ${roundName(round)}: ${error.message}`);
      });
      if (round > 0) samples[index]!.push(sample);
    }
  }
  return samples;
}

export function roundName(round: number): string {
  return round > 0 ? `round ${round}` : "a warm-up round";
}
