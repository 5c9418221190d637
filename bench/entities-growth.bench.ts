import { isQuick, shareFixtures } from "./entities/fixtures.ts";
import { groupOn, loading, type Runtime, runtimes } from "./entities/processes.ts";
import { bench, type Group } from "./harness/bench.ts";

shareFixtures();

/** With `--quick` the largest is left out: to write 100,000 files takes longer than to read them a few times. */
const counts: readonly number[] = isQuick ? [100, 1_000, 10_000] : [100, 1_000, 10_000, 100_000];

const nameOf = (count: number): string => `${count.toLocaleString("en")} files`;

/** Ten times the files take at most twelve times as long. */
function growth(runtime: Runtime): Group {
  const contestants = counts.map((count) => {
    const before = count / 10;
    const claim = counts.includes(before) ? { of: nameOf(before), atMost: 12 } : undefined;
    const contestant = { ...loading(runtime, count, nameOf(count), "atomic"), ours: true };
    return claim === undefined ? contestant : { ...contestant, expectRatio: claim };
  });
  return groupOn(runtime, "Load all entities of a project", nameOf(1_000), contestants);
}

export default bench({
  title: "How the time to load entities grows with their number",
  about: `The same files as in [entities](entities.md), in 100 to 100,000: each step is ten times as many, and takes at most ten times as long if
the time grows in proportion. The start of the runtime, the import, and the time until the code is compiled are included; they weigh
on the small projects, so that the first steps are shorter.`,
  rounds: 3,
  groups: runtimes.map(growth),
});
