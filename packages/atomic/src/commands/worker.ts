import { join } from "node:path";
import type { ParsedSpec } from "@atomic/terminal/command";
import { UsageError } from "@atomic/terminal/refusal";
import { hostNames } from "@atomic/workflows/internal/hosts/host-makers";
import { type AtomicCommand, liveCommandOf } from "../command.ts";
import { engineOption, textOption } from "../options.ts";
import { requireEngine } from "../runs/engine-for.ts";

const runsOption: ParsedSpec<number> = {
  kind: "parsed",
  value: "n",
  takes: "a positive whole number",
  parse: (word) => (/^0*[1-9]\d*$/.test(word) ? Number(word) : undefined),
  summary: "Work on at most this many runs at a time; the default is 2. Waiting runs do not count",
};

const limitOption: ParsedSpec<readonly [string, number]> & { readonly many: true } = {
  kind: "parsed",
  value: "host=n",
  many: true,
  takes: "a host and a number below a billion, such as opencode=5",
  parse: (word) => {
    const [, host = "", count = ""] = /^([a-z]+)=(\d{1,9})$/.exec(word) ?? [];
    return (hostNames as readonly string[]).includes(host) ? [host, Number(count)] : undefined;
  },
  summary: "Take no run that needs a host if this many runs of all workers use it; give every worker the same limits",
};

const metricsOption: ParsedSpec<{ readonly host: string; readonly port: number }> = {
  kind: "parsed",
  value: "[host:]port",
  takes: "a port up to 65535, or a host and a port",
  parse: (word) => {
    const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(word) ?? [];
    return port === "" || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
  },
  summary: "Serve numbers for Prometheus at /metrics; without a host, only to this machine",
};

export const worker: AtomicCommand = liveCommandOf({
  name: "worker",
  summary: "Work on the runs in a database, each in a process of its own",
  arguments: {},
  options: {
    runs: runsOption,
    hosts: textOption("hosts", "Take only runs that need these hosts, separated by commas; the default is all"),
    limit: limitOption,
    workspaces: textOption("folder", "Where to keep repositories and clones; the default is ~/.atomic/workspaces"),
    metrics: metricsOption,
    engine: engineOption,
  },
  details: [
    "A run that names a repository gets a clone of its own, which is saved to refs/atomic/<run> after each step that changed files; any other run is worked on in the current project. A run that waits for an answer or a date is left, and taken again when it can continue. What cannot be executed here is left to other workers and tried again later.",
    "SIGTERM or Ctrl-C releases the runs and exits. Every event is one line of JSON.",
  ],
  examples: [
    {
      command: "atomic worker --runs 4 --limit opencode=5",
      shows: "Work on up to four runs, with at most five on OpenCode in the whole fleet.",
    },
  ],
  live: async (context, input) => {
    const {
      where: { project, home },
      url,
    } = await requireEngine(context, input.engine);
    const hosts = input.hosts?.split(",").map((each) => each.trim());
    const unknown = hosts?.find((each) => !(hostNames as readonly string[]).includes(each));
    if (unknown !== undefined) {
      throw new UsageError(`unknown host "${unknown}"`, { hint: `Known hosts: ${hostNames.join(", ")}.` });
    }
    const { superviseRuns } = await import("../fleet/supervise.ts");
    return await superviseRuns(context, {
      url,
      hosts,
      project,
      runs: input.runs ?? 2,
      limits: Object.fromEntries(input.limit),
      workspaces: input.workspaces ?? join(home, ".atomic", "workspaces"),
      metrics: input.metrics,
    });
  },
});
