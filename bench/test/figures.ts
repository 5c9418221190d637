import type { Group } from "../harness/bench.ts";
import type { Sample } from "../harness/sample.ts";
import { type Report, summarize } from "../harness/summary.ts";

export function sample(wallMs: number, part: Partial<Sample> = {}): Sample {
  return { wallMs, cpuMs: wallMs / 2, rssBytes: 20e6, rssAtMost: false, calls: 1, ...part };
}

export function group(names: readonly string[], part: Partial<Group> = {}): Group {
  const contestants = names.map((name) => ({ name, run: () => undefined }));
  return { title: "the job", baseline: names[0]!, contestants, ...part };
}

/** A finished bench in which the n-th contestant took the n-th wall time. */
export function report(wall: Readonly<Record<string, number>>, part: Partial<Report> = {}): Report {
  const names = Object.keys(wall);
  const samples = names.map((name) => [sample(wall[name]!), sample(wall[name]!)]);
  return {
    bench: "demo",
    title: "A demo",
    about: "What it shows.",
    rounds: 2,
    warmups: 1,
    seed: 1,
    machine: {
      cores: 2,
      platform: "linux x64",
      fileSystem: "ext4",
      loadBefore: 0.1,
      loadAfter: 0.2,
      versions: { bun: "1.0.0" },
      warnings: [],
    },
    groups: [summarize(group(names), samples)],
    ...part,
  };
}
