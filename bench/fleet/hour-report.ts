// What an hour of runs in Postgres came to: checks, percentiles for every ten minutes, and the text of the report.
import { type Machine, machineLine } from "../harness/machine.ts";
import type { TreeUsage } from "./process-tree.ts";

interface HourRecord {
  readonly n: number;
  readonly type: string;
  readonly key: string;
  readonly at: number;
}

export interface HourRun {
  readonly runId: string;
  /** When it was submitted. */
  readonly at: number;
  readonly records: HourRecord[];
  readonly answers: { readonly key: string; readonly at: number }[];
}

export interface HourSample {
  readonly atMs: number;
  readonly load: number;
  readonly clientCpuMs: number;
  /** Each with the processes of its runs. */
  readonly workers: readonly TreeUsage[];
  readonly database: TreeUsage;
  readonly open: number;
  readonly waiting: number;
  readonly ended: number;
  readonly records: number;
  readonly bytes: number;
  readonly connections: number;
  readonly transactions: number;
  readonly deadRows: number;
  readonly vacuums: number;
}

export interface HourFacts {
  readonly minutes: number;
  readonly count: number;
  readonly slots: number;
  readonly runtimes: readonly string[];
  readonly runs: readonly HourRun[];
  readonly samples: readonly HourSample[];
  /** The idempotency key of every effect that happened. */
  readonly effects: readonly string[];
  readonly expectedEffects: number;
  /** Of the workers, when they were asked to stop. */
  readonly exits: readonly (number | null)[];
  /** The events in each worker's log. */
  readonly logs: readonly (readonly string[])[];
  readonly postgres: string;
  readonly machine: Machine;
}

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

interface Period {
  readonly fromMinute: number;
  readonly submitted: number;
  /** From the submission to the first step. */
  readonly firstStepMs: Percentiles;
  /** From an answer to the next step. */
  readonly answerMs: Percentiles;
  /** From the submission to the end, without the time in which the run waited for an answer. */
  readonly workMs: Percentiles;
  readonly load: number;
  /** Cores in use. */
  readonly workerCores: number;
  readonly databaseCores: number;
  readonly workerMb: number;
  readonly databaseMb: number;
  readonly open: number;
  readonly waiting: number;
}

export interface HourSummary {
  readonly bench: "fleet-hour";
  readonly minutes: number;
  readonly runs: number;
  readonly workers: readonly string[];
  readonly slots: number;
  readonly postgres: string;
  /** From the last submission to the last end. */
  readonly drainMs: number;
  /** Nothing may be here. */
  readonly problems: readonly string[];
  readonly repeatedEffects: number;
  readonly logEvents: Readonly<Record<string, number>>;
  /** How many times each worker took a run. */
  readonly taken: readonly number[];
  readonly periods: readonly Period[];
  readonly last: HourSample | undefined;
  readonly machine: Machine;
  readonly series: Readonly<Record<string, readonly number[]>>;
}

const plainSeries = [
  ...(["atMs", "load", "clientCpuMs", "open", "waiting", "ended", "records", "bytes"] as const),
  ...(["connections", "transactions", "deadRows", "vacuums"] as const),
];

const periodMs = 10 * 60_000;

export function summarizeHour(facts: HourFacts): HourSummary {
  const { runs, samples, effects, minutes, count, runtimes, slots, postgres, machine, logs } = facts;
  const begin = Math.min(...runs.map(({ at }) => at));
  const kinds = new Set(effects);
  const ends = runs.map(({ records }) => records.filter(({ type }) => type === "run-ended").length);
  const isDense = ({ records }: HourRun): boolean => records.every(({ n }, index) => n === index + 1);
  const problems = [
    ...(runs.length === count ? [] : [`${runs.length} of ${count} runs were submitted`]),
    ...ends.flatMap((each, index) => (each === 1 ? [] : [`${runs[index]?.runId} ended ${each} times`])),
    ...runs.flatMap((run) => (isDense(run) ? [] : [`the journal of ${run.runId} has a gap`])),
    ...(kinds.size === facts.expectedEffects ? [] : [`${kinds.size} of ${facts.expectedEffects} effects happened`]),
    ...(facts.exits.every((code) => code === 0) ? [] : [`the workers ended with ${facts.exits.join(", ")}`]),
  ];
  const logEvents: Record<string, number> = {};
  for (const event of logs.flat()) logEvents[event] = (logEvents[event] ?? 0) + 1;
  const periods = Array.from({ length: Math.ceil((minutes * 60_000) / periodMs) }, (_, index) => {
    const [from, to] = [index * periodMs, (index + 1) * periodMs];
    const submitted = runs.filter(({ at }) => at - begin >= from && at - begin < to);
    return periodOf(
      from,
      submitted,
      samples.filter(({ atMs }) => atMs >= from && atMs <= to + 10_000),
    );
  });
  return {
    ...({ bench: "fleet-hour", minutes, runs: count, workers: runtimes, slots, postgres, problems } as const),
    drainMs: Math.max(...runs.map(({ records }) => records.at(-1)?.at ?? 0)) - Math.max(...runs.map(({ at }) => at)),
    taken: logs.map((events) => events.filter((event) => event === "taken").length),
    ...{ repeatedEffects: effects.length - kinds.size, logEvents, periods, last: samples.at(-1), machine },
    series: {
      ...Object.fromEntries(plainSeries.map((name) => [name, samples.map((each) => each[name])])),
      workerCpuMs: samples.map(({ workers }) => sum(workers.map(({ cpuMs }) => cpuMs))),
      workerMb: samples.map(({ workers }) => sum(workers.map(({ memoryMb }) => memoryMb))),
      databaseCpuMs: samples.map(({ database }) => database.cpuMs),
      databaseMb: samples.map(({ database }) => database.memoryMb),
    },
  };
}

function periodOf(from: number, runs: readonly HourRun[], samples: readonly HourSample[]): Period {
  const firstStep = runs.flatMap(({ at, records }) => {
    const first = records.find(({ type }) => type === "step-started");
    return first === undefined ? [] : first.at - at;
  });
  const answered = runs.flatMap(({ answers, records }) =>
    answers.flatMap(({ key, at }) => {
      const from = records.findIndex((each) => each.type === "wait-ended" && each.key === key);
      const next = from < 0 ? undefined : records.slice(from).find(({ type }) => type === "step-started");
      return next === undefined ? [] : next.at - at;
    }),
  );
  const work = runs.flatMap(({ at, records, answers }) => {
    const end = records.at(-1);
    if (end?.type !== "run-ended") return [];
    const waited = answers.reduce((sum, answer) => {
      const asked = records.find(({ type, key }) => type === "wait-started" && key === answer.key);
      return sum + (asked === undefined ? 0 : answer.at - asked.at);
    }, 0);
    return end.at - at - waited;
  });
  const [first, last] = [samples.at(0), samples.at(-1)];
  const seconds = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1000;
  const workerCpu = (each: HourSample | undefined): number => sum(each?.workers.map(({ cpuMs }) => cpuMs) ?? []);
  const cores = (cpuMs: number): number => (seconds === 0 ? 0 : cpuMs / 1000 / seconds);
  const mean = (of: (each: HourSample) => number): number => sum(samples.map(of)) / Math.max(1, samples.length);
  return {
    fromMinute: from / 60_000,
    submitted: runs.length,
    firstStepMs: percentiles(firstStep),
    answerMs: percentiles(answered),
    workMs: percentiles(work),
    load: mean(({ load }) => load),
    workerCores: cores(workerCpu(last) - workerCpu(first)),
    databaseCores: cores((last?.database.cpuMs ?? 0) - (first?.database.cpuMs ?? 0)),
    workerMb: mean(({ workers }) => sum(workers.map(({ memoryMb }) => memoryMb))),
    databaseMb: mean(({ database }) => database.memoryMb),
    open: mean(({ open }) => open),
    waiting: mean(({ waiting }) => waiting),
  };
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

export function hourMarkdown(summary: HourSummary): string {
  const { minutes, runs, workers, slots, postgres, periods, last, problems, logEvents, machine, taken } = summary;
  const seconds = ({ p50, p95, p99, max }: Percentiles): string =>
    [p50, p95, p99, max].map((ms) => (ms / 1000).toFixed(1)).join(" / ");
  const period = (each: Period): string =>
    `| ${[
      `${each.fromMinute}–${each.fromMinute + 10}`,
      each.submitted,
      seconds(each.firstStepMs),
      seconds(each.answerMs),
      seconds(each.workMs),
      each.workerCores.toFixed(2),
      each.databaseCores.toFixed(2),
      each.workerMb.toFixed(0),
      each.databaseMb.toFixed(0),
      `${each.open.toFixed(0)} (${each.waiting.toFixed(0)})`,
      each.load.toFixed(1),
    ].join(" | ")} |`;
  const perRun = (count: number): string => (count / runs).toFixed(1);
  return `# ${minutes} minutes at the rate of 100,000 runs a day

${runs.toLocaleString("en")} runs, one every 0.864 seconds, on ${workers.length} \`atomic worker\` (${workers.join(", ")}) with ${slots} slots each and one Postgres ${postgres}, all on
one machine that others used as well: the column "load" has the machine's load average. Every run has three steps that append a line to a file, and one question; every fourth has two.
Each question is answered after 2 to 60 seconds, so a run is taken two or three times, and each time gets a process of its own. There is no repository and no agent.
The runs are submitted and answered by one process, with what \`atomic run --detach\` and \`atomic approve\` would send.

Percentiles are p50 / p95 / p99 / max in seconds: from the submission to the first step, from an answer to the next step, and from the submission to the end without the time
in which the run waited for an answer. CPU is in cores, memory in MB (shared pages are divided among processes), both of all processes of the workers, and of the database.

| minutes | submitted | to the first step | from an answer | in all | CPU, workers | CPU, database | MB, workers | MB, database | open (waiting) | load |
|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${periods.map(period).join("\n")}

- ${problems.length === 0 ? `Every run ended once, and no effect is missing; ${summary.repeatedEffects} of them happened twice.` : `**${problems.length} problems:** ${problems.slice(0, 20).join("; ")}.`}
- The last run ended ${(summary.drainMs / 1000).toFixed(0)} seconds after the last submission.
- The workers' logs: ${Object.entries(logEvents)
    .map(([event, count]) => `${count.toLocaleString("en")} × ${event}`)
    .join(", ")}. They took runs ${taken.map((each) => each.toLocaleString("en")).join(", ")} times.
- The database at the end: ${((last?.bytes ?? 0) / 1e6).toFixed(0)} MB, ${(last?.records ?? 0).toLocaleString("en")} records (${perRun(last?.records ?? 0)} for each run), ${(last?.deadRows ?? 0).toLocaleString("en")} dead rows, ${last?.vacuums} automatic
  vacuums, ${last?.connections} connections, ${perRun(last?.transactions ?? 0)} transactions for each run.
- CPU in all: ${perRun(sum(last?.workers.map(({ cpuMs }) => cpuMs) ?? []))} ms for each run in workers, ${perRun(last?.database.cpuMs ?? 0)} ms in the database.

${machineLine(machine)} · load average ${machine.loadBefore.toFixed(1)} before, ${machine.loadAfter.toFixed(1)} after.
`;
}
