/**
 * `session-cost.ts <plugin file or nothing> <tool calls | messages> <how many>`: what each of them costs OpenCode, in a session that
 * has already begun. Prints a sample.
 */
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { greetingModel } from "./model.ts";
import { quiet } from "./places.ts";

const [file = "", what = "", many = "1"] = process.argv.slice(2);
const model = await greetingModel();
await using project = await tmpProject({ files: { "README.md": "# A project\n" }, env: quiet });
const log = project.path("~/cpu.jsonl");
const plugins = [import.meta.resolve("./cpu-probe.mjs"), ...(file === "" ? [] : [pathToFileURL(file).href])];
await using server = await opencodeServe(project, { model, plugins, env: { CPU_PROBE: log } });
const session = await server.session();

interface Noted {
  readonly session: string;
  readonly cpuMs: number;
  readonly at: number;
}

/** Sends a prompt, and returns what OpenCode had used when the session was idle again. */
async function prompt(text: string): Promise<Noted> {
  const after = server.events.length;
  await session.prompt(text);
  await server.waitForEvent("session.idle", { sessionID: session.id, after });
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  const own = lines.map((line) => JSON.parse(line) as Noted).filter((each) => each.session === session.id);
  return own.at(-1)!;
}

await prompt("read 2 times"); // everything is loaded
const before = await prompt("hi");
let after = before;
if (what === "messages") for (let sent = 0; sent < Number(many); sent++) after = await prompt("hi");
else after = await prompt(`read ${many} times`);
const each = (total: number): number => total / Number(many);
const sample = { wallMs: each(after.at - before.at), cpuMs: each(after.cpuMs - before.cpuMs), calls: Number(many) };
console.log(JSON.stringify({ ...sample, rssBytes: 0, rssAtMost: true }));
await server[Symbol.asyncDispose]();
process.exit();
