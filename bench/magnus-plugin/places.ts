/** One project with a home of its own for each plugin, and one without any. All ask the same model, on loopback. */
import { pathToFileURL } from "node:url";
import { opencodeRun } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { type ChatRequest, type GreetingModel, greetingModel } from "./model.ts";
import { findPlugins, type Plugin } from "./plugins.ts";

export interface Place {
  readonly name: string;
  readonly plugin: Plugin | undefined;
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the first request of a session says before the person's words. */
  readonly request: { readonly bytes: number; readonly tools: number };
}

/** Child processes inherit what was prepared; the model stays with the process that prepared it. */
const variable = "MAGNUS_BENCH_PLACES";

export async function places(): Promise<readonly Place[]> {
  const known = process.env[variable];
  if (known !== undefined) return JSON.parse(known) as readonly Place[];
  const model = await greetingModel();
  const all: Place[] = [];
  for (const plugin of [undefined, ...findPlugins()]) all.push(await prepare(model, plugin));
  process.env[variable] = JSON.stringify(all);
  return all;
}

/** Keeps plugins from phoning home: they are asked not to, and everything but loopback goes to a proxy that does not exist. */
export const quiet = {
  CI: "1",
  DISABLE_TELEMETRY: "1",
  DO_NOT_TRACK: "1",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  OMO_SEND_ANONYMOUS_TELEMETRY: "0",
};

async function prepare(model: GreetingModel, plugin: Plugin | undefined): Promise<Place> {
  const project = await tmpProject({ files: { "README.md": "# A project\n" }, env: quiet }); // gone when we are
  const plugins = plugin === undefined ? [] : [pathToFileURL(plugin.file).href];
  const already = model.requests.length;
  const { code, stderr, text } = await opencodeRun(project, { model, plugins, prompt: "hi", timeout: 300_000 });
  const name = plugin?.name ?? "stock";
  if (code !== 0 || text !== "hello") throw new Error(`OpenCode does not answer with ${name}:\n${stderr}${text}`);
  const request = sizeOf(model.requests.slice(already));
  return { name, plugin, dir: project.dir, env: project.env, request };
}

/** Of the one with tools; OpenCode asks for a title, too. */
function sizeOf(requests: readonly ChatRequest[]): Place["request"] {
  const { messages, tools = [] } = requests.find((each) => (each.tools ?? []).length > 0)!;
  const preamble = JSON.stringify([messages.filter(({ role }) => role === "system"), tools]);
  return { bytes: Buffer.byteLength(preamble), tools: tools.length };
}
