import { fileURLToPath } from "node:url";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { bench, type CommandContestant, type Group } from "./harness/bench.ts";
import { type Place, places } from "./magnus-plugin/places.ts";

const all = await places();
const stock = all[0]!;
const plugins = all.flatMap(({ plugin }) => plugin ?? []);

const budget = { bundleBytes: 300_000, importMs: 60, requestRatio: 1.15, startRatio: 1.1 };

function isOurs(name: string): boolean {
  return name === "magnus-opus";
}

/** `opencode …` with each plugin, beside OpenCode alone. */
function opencode(title: string, ...words: readonly string[]): Group {
  const contestant = ({ name, dir, env }: Place): CommandContestant => ({
    name,
    command: [opencodeBinary, ...words],
    cwd: dir,
    env,
    ...(isOurs(name) && {
      ours: true,
      expectRatio: { of: stock.name, atMost: budget.startRatio, metric: "cpu" },
    }),
  });
  return { title, baseline: stock.name, contestants: all.map(contestant) };
}

function importing(): Group {
  const program = fileURLToPath(import.meta.resolve("./magnus-plugin/import.mjs"));
  const job = (name: string, ...args: readonly string[]): CommandContestant => ({
    name,
    command: [opencodeBinary, program, ...args],
    env: { ...stock.env, BUN_BE_BUN: "1" },
  });
  const limit = `start, work ${budget.importMs} ms`;
  const contestants = plugins.map(
    ({ name, file }): CommandContestant => ({
      ...job(name, file),
      ...(isOurs(name) && { ours: true, expectRatio: { of: limit, atMost: 1, metric: "cpu" } }),
    }),
  );
  return {
    title: "Import the plugin, on OpenCode's embedded Bun",
    baseline: "startup only",
    contestants: [job("startup only", "nothing"), job(limit, "work", String(budget.importMs)), ...contestants],
  };
}

/** What needs no clock, and is the same in every run. */
function sizes(): string {
  const rows = all.map(({ name, plugin, request }) => {
    const ratio = (request.bytes / stock.request.bytes).toFixed(2);
    const bundle = plugin === undefined ? "" : plugin.bytes.toLocaleString("en");
    return `| ${name} | ${bundle} | ${request.bytes.toLocaleString("en")} | ${ratio} | ${request.tools} |`;
  });
  const head = "| | bundle, bytes | first request, bytes | ratio to stock | tools |\n| :-- | --: | --: | --: | --: |";
  return [head, ...rows].join("\n");
}

function verdicts(): string {
  const ours = all.find(({ name }) => isOurs(name))!;
  const bundle = ours.plugin!.bytes < budget.bundleBytes;
  const request = ours.request.bytes <= budget.requestRatio * stock.request.bytes;
  return `- ${bundle ? "holds" : "does not hold"}: the magnus-opus bundle is smaller than 300 kB
- ${request ? "holds" : "does not hold"}: the first request with magnus-opus is at most ${budget.requestRatio}× that of stock`;
}

export default bench({
  title: "What a plugin costs a session that does not use it",
  about: `OpenCode alone (\`stock\`), with a plugin that adds one agent (\`trivial plugin\`), with the published Magnus Opus, and with
oh-my-opencode in its default settings. Each has its own project and home. The model on loopback answers every prompt with "hello";
everything else goes to a nonexistent proxy, so the figures for oh-my-opencode do not include what it would do over the network.

\`start, work ${budget.importMs} ms\` is a claim: the runtime starts and uses that much CPU time. A plugin that uses less was imported within that time.

The first request contains the system prompt and the tools, without the user's prompt:

${sizes()}

${verdicts()}`,
  rounds: 7,
  warmups: 1,
  versions: Object.fromEntries(
    plugins.flatMap(({ name, version }) => (version === undefined ? [] : [[name, version]])),
  ),
  groups: [
    importing(),
    opencode("Start OpenCode (`opencode debug config`)", "debug", "config"),
    opencode("First prompt (`opencode run hi`)", "run", "--format", "json", "hi"),
  ],
});
