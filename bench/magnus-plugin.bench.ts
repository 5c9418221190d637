import { fileURLToPath } from "node:url";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { bench, type CommandContestant, type Group } from "./harness/bench.ts";
import { type Place, places } from "./magnus-plugin/places.ts";

const all = await places();
const stock = all[0]!;
const plugins = all.flatMap(({ plugin }) => plugin ?? []);

const budget = { bundleBytes: 300_000, importMs: 60, requestRatio: 1.15, startRatio: 1.1 };

/** A common estimate for English and JSON; each model has its own way to count. */
const bytesPerToken = 4;

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

/** What a session that is under way costs OpenCode: each of its tool calls, or each of its messages. */
function inSession(title: string, what: "tool calls" | "messages", many: number): Group {
  const program = fileURLToPath(import.meta.resolve("./magnus-plugin/session-cost.ts"));
  const contestant = ({ name, plugin }: Place): CommandContestant => ({
    name,
    command: [process.execPath, program, plugin?.file ?? "", what, String(many)],
    measuresItself: true,
    ...(isOurs(name) && {
      ours: true,
      expectRatio: { of: stock.name, atMost: budget.startRatio, metric: "cpu" },
    }),
  });
  return { title, baseline: stock.name, contestants: all.map(contestant), showAdded: true };
}

/** What needs no clock, and is the same in every run. */
function sizes(): string {
  const rows = all.map(({ name, plugin, request }) => {
    const ratio = (request.bytes / stock.request.bytes).toFixed(2);
    const bundle = plugin === undefined ? "" : plugin.bytes.toLocaleString("en");
    const tokens = Math.round(request.bytes / bytesPerToken / 100) * 100;
    return `| ${name} | ${bundle} | ${request.bytes.toLocaleString("en")} | ${tokens.toLocaleString("en")} | ${ratio} | ${request.tools} |`;
  });
  const head =
    "| | loaded at start, bytes | first request, bytes | tokens, about | ratio to stock | tools |\n| :-- | --: | --: | --: | --: | --: |";
  return [head, ...rows].join("\n");
}

function verdicts(): string {
  const ours = all.find(({ name }) => isOurs(name))!;
  const bundle = ours.plugin!.bytes < budget.bundleBytes;
  const request = ours.request.bytes <= budget.requestRatio * stock.request.bytes;
  return `- ${bundle ? "holds" : "does not hold"}: OpenCode starts with less than 300 kB of magnus-opus
- ${request ? "holds" : "does not hold"}: the first request with magnus-opus is at most ${budget.requestRatio}× that of stock`;
}

export default bench({
  title: "What a plugin costs a session that does not use it",
  about: `OpenCode alone (\`stock\`), with a plugin that adds one agent (\`trivial plugin\`), with the published Magnus Opus, and with
oh-my-opencode in its default settings. Each has its own project and home. The model on loopback answers every prompt with "hello";
everything else goes to a nonexistent proxy, so the figures for oh-my-opencode do not include what it would do over the network.

\`start, work ${budget.importMs} ms\` is a claim: the runtime starts and uses that much CPU time. A plugin that uses less was imported within that time.

The last two groups measure OpenCode's own process in a session that is under way, divided by the calls or messages: the request to the
model, what OpenCode stores, and what the plugin does about it.

The first request contains the system prompt and the tools, without the user's prompt:

${sizes()}

${verdicts()}`,
  rounds: 5,
  warmups: 0, // each place has started OpenCode once to measure its first request
  versions: Object.fromEntries(
    plugins.flatMap(({ name, version }) => (version === undefined ? [] : [[name, version]])),
  ),
  groups: [
    importing(),
    opencode("Start OpenCode (`opencode debug config`)", "debug", "config"),
    opencode("First prompt (`opencode run hi`)", "run", "--format", "json", "hi"),
    inSession("Each tool call of a session (`read`, 40 times)", "tool calls", 40),
    inSession("Each message of a session, answered with a word", "messages", 20),
  ],
});
