import { bench, type CommandContestant, type Group } from "./harness/bench.ts";
import { preparePeers, quiet, versionOf } from "./run-steps/peers.ts";

/** Child processes inherit it, so only the first process prepares something. */
process.env.RUN_BENCH_PEERS ??= preparePeers("peers");
const folder = process.env.RUN_BENCH_PEERS;

const runtimes = [
  { name: "Node", program: "node", budget: 40 },
  { name: "Bun", program: process.execPath, budget: 25 },
] as const;

function importing({ name, program, budget }: (typeof runtimes)[number]): Group {
  const job = (title: string, ...args: string[]): CommandContestant => ({
    name: title,
    command: [program, `${folder}/import.mjs`, ...args],
    env: quiet,
  });
  const limit = `start, work ${budget} ms`;
  return {
    title: `Import the graph builder, checker and runner, on ${name}`,
    baseline: "startup only",
    contestants: [
      job("startup only", "nothing"),
      job(limit, "work", String(budget)),
      { ...job("atomic", "atomic"), ours: true, expectRatio: { of: limit, atMost: 1, metric: "cpu" } },
      job("Mastra", "mastra"),
      job("LangGraph", "langgraph"),
    ],
  };
}

export default bench({
  title: "Importing the graph runner",
  about: `\`atomic\` imports the builder, the compiler, the interpreter and the engine that stores runs in a folder, all from the published package.
\`Mastra\` imports \`@mastra/core/workflows\`, \`LangGraph\` imports \`@langchain/langgraph\`; neither includes a store.
\`start, work n ms\` is a claim: the runtime starts and uses that much CPU time. A contestant that uses less was imported within n ms.`,
  rounds: 10,
  versions: {
    "@mastra/core": versionOf(folder, "@mastra/core") ?? "missing",
    "@langchain/langgraph": versionOf(folder, "@langchain/langgraph") ?? "missing",
  },
  groups: runtimes.map(importing),
});
