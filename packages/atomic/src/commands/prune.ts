import { count } from "@atomic/terminal/count";
import { UsageError } from "@atomic/terminal/refusal";
import { safeLine } from "@atomic/terminal/safe-text";
import type { PrunePolicy } from "@atomic/workflows/internal/run/engine";
import { type AtomicCommand, commandOf } from "../command.ts";
import type { KeptRef } from "../fleet/remove-leftovers.ts";
import { durationOption, engineOption, parseSize } from "../options.ts";
import { formatBytes } from "../report/format.ts";
import { documentOf } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";

export const prune: AtomicCommand = commandOf({
  name: "prune",
  summary: "Remove ended runs, oldest first",
  arguments: {},
  options: {
    "older-than": durationOption("Remove runs that ended longer ago than this (30d, 12h)"),
    "max-size": {
      kind: "parsed",
      value: "size",
      takes: "a size such as 500MB or 2GB",
      parse: parseSize,
      summary: "Remove the oldest runs until the total size is below this (500MB)",
    },
    transcripts: { kind: "flag", summary: "Remove only what agents were told and did in detail, and keep the runs" },
    engine: engineOption,
    "dry-run": { kind: "flag", summary: "Show which runs would be removed, without removing them" },
  },
  details: [
    "An ended run is removed even if its journal can no longer be read. With --engine, its files are also removed from the repository (refs/atomic/<run>), by this command or later by a worker; workers remove their clones of it.",
  ],
  examples: [
    { command: "atomic prune --older-than 30d --dry-run", shows: "Show what would be removed." },
    {
      command: "atomic prune --transcripts --older-than 7d",
      shows: "Remove the details of what agents did in runs that ended over a week ago, and keep the runs.",
    },
    {
      command: "atomic prune --max-size 500MB",
      shows: "Remove the oldest runs until the rest take up less than 500 MB.",
    },
  ],
  run: async (context, input) => {
    const policy: PrunePolicy = {
      ...(input["older-than"] !== undefined && { olderThanMs: input["older-than"] }),
      ...(input["max-size"] !== undefined && { maxBytes: input["max-size"] }),
      ...(input.transcripts && { transcripts: true }),
      dryRun: input["dry-run"],
    };
    if (input.transcripts && policy.maxBytes !== undefined) {
      throw new UsageError("--max-size cannot be combined with --transcripts", {
        hint: "Use --older-than to choose the runs; 0s means all that have ended.",
      });
    }
    if (policy.olderThanMs === undefined && policy.maxBytes === undefined) {
      throw new UsageError("missing --older-than or --max-size", {
        hint: "These options choose which runs to remove; pass one or both.",
      });
    }
    const { where, engine, database } = await runsOf(context, input.engine);
    const what = input.transcripts ? "transcript" : "run";
    const pruned = await engine.prune(policy);
    const hasRefs = database !== undefined && !input.transcripts && !input["dry-run"];
    return { where, ...pruned, refs: hasRefs ? await removeRefsOf(database) : [], what, dryRun: input["dry-run"] };
  },
  report: {
    text: ({ removed }) => removed.map((runId) => `${runId}\n`).join(""),
    notes: ({ removed, bytes, refs, what, dryRun }) => {
      const [first] = refs;
      const kept = `The files of ${count(refs.length, "removed run")} are still in their repositories: ${safeLine(first?.problem ?? "")}\nWorkers try again to remove them.\n`;
      return `${count(removed.length, what)}${dryRun ? " would be" : ""} removed, ${formatBytes(bytes)}\n${first === undefined ? "" : kept}`;
    },
    json: ({ where, removed, bytes, refs, dryRun }) =>
      documentOf(where, { removed, bytes, ...(refs.length > 0 && { keptRefs: refs }), dryRun }),
    exitCode: () => 0,
  },
});

/** Of all runs that were removed, by this command or an earlier one that was interrupted. */
async function removeRefsOf(url: string): Promise<KeptRef[]> {
  const [{ Database }, { parseEngineUrl }, { removeRefs }] = await Promise.all([
    import("@atomic/engine-postgres/database"),
    import("@atomic/engine-postgres/engine-url"),
    import("../fleet/remove-leftovers.ts"),
  ]);
  const database = new Database(parseEngineUrl(url));
  try {
    return await removeRefs(database);
  } finally {
    await database.close();
  }
}
