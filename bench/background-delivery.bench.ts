import { fileURLToPath } from "node:url";
import { bench, type CommandContestant } from "./harness/bench.ts";
import { findPlugins } from "./magnus-plugin/plugins.ts";

const launches = 5;
const limit = "50 ms, for scale";
const program = fileURLToPath(import.meta.resolve("./background-delivery/measure.ts"));
const bare = fileURLToPath(import.meta.resolve("./background-delivery/bare-plugin.mjs"));

/** Child processes inherit what was prepared. */
const variable = "BACKGROUND_BENCH_PLUGINS";
process.env[variable] ??= JSON.stringify(findPlugins().filter(({ name }) => name !== "trivial plugin"));
const plugins = JSON.parse(process.env[variable]) as ReturnType<typeof findPlugins>;

function job(name: string, file: string): CommandContestant {
  return { name, command: [process.execPath, program, name, file, String(launches)], measuresItself: true };
}

const fifty = { wallMs: 50, cpuMs: 0, rssBytes: 0, rssAtMost: true, calls: 1 };

export default bench({
  title: "From the end of a background agent to its parent",
  about: `A session launches an agent in the background and ends its turn; then the agent ends. Measured, inside OpenCode, is the time from the
agent's \`session.idle\` to the message in the parent that reports it: the median of ${launches} launches in each round. CPU and memory are not
measured here.

\`bare prompt\` is a plugin that prompts the parent as soon as the agent is idle. It remembers nothing, so it shows what OpenCode itself takes
for a prompt; Magnus Opus also writes the result to disk first. oh-my-opencode does not accept the end of an agent during the agent's first
five seconds, so the longer its agents work, the less of that shows here. All of it depends on the machine's load, so the ratios say more
than the times. \`${limit}\` is a claim, for a machine that does nothing else.`,
  rounds: 3,
  warmups: 0,
  versions: Object.fromEntries(
    plugins.flatMap(({ name, version }) => (version === undefined ? [] : [[name, version]])),
  ),
  groups: [
    {
      title: "An agent has ended; its parent is idle",
      baseline: "bare prompt",
      contestants: [
        {
          name: limit,
          command: [process.execPath, "-e", `console.log(${JSON.stringify(JSON.stringify(fifty))})`],
          measuresItself: true,
        },
        job("bare prompt", bare),
        ...plugins.map(
          ({ name, file }): CommandContestant => ({
            ...job(name, file),
            ...(name === "magnus-opus" && { ours: true, expectRatio: { of: limit, atMost: 1, metric: "wall" } }),
          }),
        ),
      ],
    },
  ],
});
