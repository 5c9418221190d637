/**
 * Launches background agents one after the other and measures, for each, the time from the end of its session (`session.idle`) to the
 * message in the parent that reports it. Prints the median as a sample.
 */
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { errand, type LaunchingTool, launchingModel } from "./model.ts";

const [name = "", file = "", many = "5"] = process.argv.slice(2);
const common = { description: "run an errand", prompt: errand };
const contestants: Readonly<Record<string, { readonly agent?: string; readonly tool: LaunchingTool }>> = {
  "magnus-opus": { agent: "orchestrator", tool: { name: "background_task", args: { ...common, agent: "explorer" } } },
  "bare prompt": { tool: { name: "bare_task", args: {} } },
  "oh-my-opencode": {
    tool: {
      name: "task",
      args: { ...common, subagent_type: "explore", run_in_background: true, load_skills: [] },
    },
  },
};
const { agent, tool } = contestants[name]!;
const model = await launchingModel(tool);
await using project = await tmpProject({
  files: { "README.md": "# A project\n" },
  env: {
    ...{ CI: "1", DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1", OMO_SEND_ANONYMOUS_TELEMETRY: "0" },
    ...{ HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1,localhost" },
  },
});
const probe = import.meta.resolve("./probe.mjs");
const log = project.path("~/probe.jsonl");
await using server = await opencodeServe(project, {
  ...{ model, plugins: [probe, pathToFileURL(file).href], env: { DELIVERY_PROBE: log } },
});

interface Noted {
  readonly at: number;
  readonly type: string;
  readonly session: string;
  readonly message?: string;
}

function noted(): readonly Noted[] {
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  return lines.map((line) => JSON.parse(line) as Noted);
}

const latencies: number[] = [];
for (let round = 0; round < Number(many); round++) {
  const parent = (await server.session()).id;
  await server.reopen(parent).prompt("Launch it, please.", agent === undefined ? {} : { agent });
  await model.launched();
  const before = noted().length;
  const after = server.events.length;
  model.release();
  // The parent has been told, and has answered.
  await server.waitForEvent(({ type, sessionID }) => type === "session.idle" && sessionID === parent, { after });
  const since = noted().slice(before);
  const told = since.find(({ session, type }) => session === parent && type === "message.updated");
  const end = since.find(({ session, type }) => session !== parent && type === "session.idle");
  if (told === undefined || end === undefined) throw new Error(`${name} did not report the end of an agent.`);
  latencies.push(told.at - end.at);
}
const sorted = latencies.toSorted((one, other) => one - other);
process.stderr.write(`${name}: ${sorted.map((ms) => ms.toFixed(1)).join(", ")} ms\n`);
const wallMs = sorted[Math.floor(sorted.length / 2)]!;
console.log(JSON.stringify({ wallMs, cpuMs: 0, rssBytes: 0, rssAtMost: true, calls: 1 }));
await server[Symbol.asyncDispose]();
process.exit();
