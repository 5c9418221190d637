/**
 * `measure.ts <plugins, with commas> <first frame | idle | keys> [ms]`: what OpenCode's terminal costs with these plugins. The last
 * number is added to the sample: a claim such as "stock, and 100 ms more". Prints a sample.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { greetingModel } from "../magnus-plugin/model.ts";

const [plugins = "", what = "", added = "0"] = process.argv.slice(2);
const packages = join(import.meta.dirname, "../../packages");
const atomic = ["node", join(packages, "atomic/bin/atomic.js")];

/** It waits for an answer, so the plugin has something to show. */
const waiting = `import { defineGraph, waitNode } from "@atomic/workflows";
export default defineGraph({ name: "waiting" }, (graph) => graph.start(waitNode({ id: "sure", prompt: "Are you sure?" })));
`;

/** Each turn is a step: about 200 records a second. */
const busy = `import { defineGraph, loopNode, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "busy" }, (graph) =>
  graph.loop(
    [toolNode({ id: "step", run: () => new Promise((resolve) => setTimeout(resolve, 8, "done")) })],
    { id: "turns", maxIterations: 100_000, until: () => false },
  ));
`;

const model = await greetingModel();
await using project = await tmpProject({
  files: { ".atomic/workflows/waiting.ts": waiting, ".atomic/workflows/busy.ts": busy },
});
await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, { autoupdate: false }));
const paths = plugins === "" ? [] : plugins.split(",").map((name) => join(packages, name));
await project.write(".opencode/tui.json", { $schema: "https://opencode.ai/tui.json", plugin: paths });
await project.skipPluginInstall();

if (what !== "keys") {
  const { code, stderr } = await project.run([...atomic, "run", "waiting", "--no-wait"]);
  if (code !== 4) throw new Error(`The run does not wait: ${stderr}`);
}
const run = what === "keys" ? await project.start([...atomic, "run", "busy"], { leash: true }) : undefined;

// Starts differ by more than what is claimed: in the time until the first frame, and in how often Bun collects garbage from then on.
const samples: { readonly wallMs: number; readonly cpuMs: number }[] = [];
const starts = { "first frame": 3, idle: 5, keys: 1 }[what] ?? 1;
for (let start = 0; start < starts; start++) samples.push(await measure());
const [fastest] = samples.toSorted((one, other) => one.wallMs - other.wallMs);
// The mean of all, because the middle one would hide the starts in which garbage is collected all the time.
const cpu = samples.map((each) => each.cpuMs);
if (what === "idle")
  console.error(`CPU in an idle second of each start: ${cpu.map((ms) => `${Math.round(ms)} ms`).join(", ")}`);
const sample = what === "idle" ? { wallMs: 0, cpuMs: cpu.reduce((sum, ms) => sum + ms, 0) / starts } : fastest;
console.log(JSON.stringify({ ...sample, calls: 1, rssBytes: 0, rssAtMost: true }));
await run?.stop();
await project[Symbol.asyncDispose]();
process.exit();

async function measure(): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  const more = Number(added);
  const began = performance.now();
  await using shown = await terminal([opencodeBinary], { cols: 120, rows: 36, cwd: project.dir, env: project.env });
  await shown.waitFor("Ask anything", { deadline: 120_000 });
  const firstFrame = performance.now() - began;
  // So a plugin that shows nothing is not measured as a fast one.
  const isShown = (): boolean => /atomic (?:waiting|busy) /.test(shown.screen().join("\n"));
  if (plugins.includes("atomic")) await shown.waitFor(isShown, { deadline: 60_000 });
  if (what === "first frame") return { wallMs: firstFrame + more, cpuMs: 0 };
  await pause(3000);
  if (what === "idle") {
    const [before, at] = [cpuMs(shown.pid), performance.now()];
    await pause(6000);
    const seconds = (performance.now() - at) / 1000;
    return { wallMs: 0, cpuMs: (cpuMs(shown.pid) - before) / seconds + more };
  }
  const took: number[] = [];
  let typed = "";
  for (let key = 0; key < 60; key++) {
    typed += String.fromCharCode(97 + (key % 26));
    const start = performance.now();
    shown.type(typed.at(-1)!);
    await shown.waitFor(typed, { deadline: 20_000 });
    took.push(performance.now() - start);
    await pause(40);
  }
  took.sort((a, b) => a - b);
  return { wallMs: took[Math.floor(took.length * 0.95)]! + more, cpuMs: 0 };
}

/** Of the process with all its threads; in clock ticks of 10 ms. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
