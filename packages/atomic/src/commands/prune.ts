import type { Command, FlagSpec, InputOf, ParsedSpec } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import { UsageError } from "@atomic/terminal/usage-error";
import type { Pruned, PrunePolicy } from "@atomic/workflows/run/engine";
import type { Context } from "../context.ts";
import { formatBytes } from "../report/amounts.ts";
import type { Where } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { durationOption, sizeOption } from "../values.ts";

type Options = {
  readonly "older-than": ParsedSpec<number>;
  readonly "max-size": ParsedSpec<number>;
  readonly "dry-run": FlagSpec;
};

interface PruneResult extends Pruned {
  readonly where: Where;
  readonly dryRun: boolean;
}

export const prune: Command<Context, Record<never, never>, Options, PruneResult> = {
  name: "prune",
  summary: "Remove runs that have ended, the oldest first",
  arguments: {},
  options: {
    "older-than": durationOption("Those that ended longer ago: 30d, 12h"),
    "max-size": sizeOption("As many as it takes to keep all runs below this size: 500MB"),
    "dry-run": { kind: "flag", summary: "Only tell which they are" },
  },
  details: ["What has ended is removed whether its journal can still be read or not."],
  examples: [
    { command: "atomic prune --older-than 30d --dry-run", shows: "What would be removed." },
    { command: "atomic prune --max-size 500MB", shows: "The oldest go until the rest takes less." },
  ],
  run: pruneRuns,
  report: {
    text: ({ removed }) => removed.map((runId) => `${runId}\n`).join(""),
    notes: ({ removed, bytes, dryRun }) =>
      `${count(removed.length, "run")}${dryRun ? " would be" : ""} removed, ${formatBytes(bytes)}\n`,
    json: ({ where, removed, bytes, dryRun }) => ({
      version: 1,
      project: where.project,
      home: where.home,
      removed,
      bytes,
      dryRun,
    }),
    exitCode: () => 0,
  },
};

async function pruneRuns(context: Context, input: InputOf<Record<never, never>, Options>): Promise<PruneResult> {
  const policy: PrunePolicy = {
    ...(input["older-than"] !== undefined && { olderThanMs: input["older-than"] }),
    ...(input["max-size"] !== undefined && { maxBytes: input["max-size"] }),
    dryRun: input["dry-run"],
  };
  if (policy.olderThanMs === undefined && policy.maxBytes === undefined) {
    throw new UsageError("nothing says which runs to remove", { hint: "Give --older-than, --max-size, or both." });
  }
  const { where, engine } = await runsOf(context);
  return { where, ...(await engine.prune(policy)), dryRun: input["dry-run"] };
}
