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
  return groupOn(runtime, "Load a project's entities", nameOf(1_000), contestants);
}

export default bench({
  title: "How load time grows with the number of entities",
  about: `The same files as in [entities](entities.md), but 100 to 100,000 of them. Each row has ten times as many files as the one before, and takes at
most ten times as long if the time grows linearly. Runtime startup, the import and compilation are included; they weigh more on small
projects, so the first rows grow less.`,
  rounds: 3,
  groups: runtimes.map(growth),
});
