/** Samples become rows and verdicts. Pure. */
import { claimsOf, type Group, type Metric, type RatioClaim } from "./bench.ts";
import type { Machine } from "./machine.ts";
import type { Sample } from "./sample.ts";
import { pairedRatio, type Spread, spread } from "./statistics.ts";

export interface Row {
  readonly name: string;
  readonly ours: boolean;
  readonly wallMs: Spread;
  readonly cpuMs: Spread;
  readonly rssBytes: Spread;
  readonly rssAtMost: boolean;
  /** To the baseline, paired by round. The baseline itself has none. */
  readonly wallRatio?: Spread;
  readonly cpuRatio?: Spread;
  readonly cpuAdded?: Spread;
  /** Per round, so readers can do their own math. */
  readonly byRound: Readonly<Record<Metric, readonly number[]>>;
}

export interface Verdict {
  readonly claim: string;
  readonly measured: Spread | undefined;
  readonly holds: boolean;
}

export interface GroupSummary {
  readonly title: string;
  readonly baseline: string;
  readonly rows: readonly Row[];
  readonly verdicts: readonly Verdict[];
}

/** All that a reader of a finished bench gets to see. */
export interface Report {
  readonly bench: string;
  readonly title: string;
  readonly about: string;
  readonly rounds: number;
  readonly warmups: number;
  readonly seed: number;
  readonly machine: Machine;
  readonly groups: readonly GroupSummary[];
}

export function summarize(group: Group, samples: readonly (readonly Sample[])[]): GroupSummary {
  const of = (name: string) => samples[group.contestants.findIndex((contestant) => contestant.name === name)]!;
  const rows = group.contestants.map(({ name, ours = false }): Row => {
    const own = of(name);
    const byRound = { wall: series(own, "wall"), cpu: series(own, "cpu"), rss: series(own, "rss") };
    return {
      name,
      ours,
      wallMs: spread(byRound.wall),
      cpuMs: spread(byRound.cpu),
      rssBytes: spread(byRound.rss),
      rssAtMost: own.some((sample) => sample.rssAtMost),
      ...(name !== group.baseline && ratiosTo(of(group.baseline), own)),
      ...(name !== group.baseline && group.showAdded === true && { cpuAdded: addedTo(of(group.baseline), own) }),
      byRound,
    };
  });
  const verdicts = group.contestants.flatMap((contestant) =>
    claimsOf(contestant).map((claim) => judge(contestant.name, claim, of(contestant.name), of(claim.of))),
  );
  return { title: group.title, baseline: group.baseline, rows, verdicts };
}

function ratiosTo(base: readonly Sample[], own: readonly Sample[]): Pick<Row, "wallRatio" | "cpuRatio"> {
  const wallRatio = pairedRatio(series(own, "wall"), series(base, "wall"));
  const cpuRatio = pairedRatio(series(own, "cpu"), series(base, "cpu"));
  return { ...(wallRatio && { wallRatio }), ...(cpuRatio && { cpuRatio }) };
}

function addedTo(base: readonly Sample[], own: readonly Sample[]): Spread {
  return spread(own.map(({ cpuMs }, round) => cpuMs - base[round]!.cpuMs));
}

function judge(name: string, claim: RatioClaim, own: readonly Sample[], other: readonly Sample[]): Verdict {
  const metric = claim.metric ?? "wall";
  // An "at most" in the denominator would make the ratio look smaller than it is.
  const known = metric !== "rss" || !other.some((sample) => sample.rssAtMost);
  const measured = known ? pairedRatio(series(own, metric), series(other, metric)) : undefined;
  return {
    claim: `${metric} of ${name} is at most ${claim.atMost}× that of ${claim.of}`,
    measured,
    holds: measured !== undefined && measured.median <= claim.atMost,
  };
}

function series(samples: readonly Sample[], metric: Metric): number[] {
  const key = ({ wall: "wallMs", cpu: "cpuMs", rss: "rssBytes" } as const)[metric];
  return samples.map((sample) => sample[key]);
}
