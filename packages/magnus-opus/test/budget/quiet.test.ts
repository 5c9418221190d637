// Before a workflow starts, Magnus Opus writes nothing and asks nothing.
import { beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeRun } from "@atomic/testing/opencode";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { type Project, tmpProject } from "@atomic/testing/project";
import { projectFiles } from "../plugin/opencode-with-magnus.ts";
import { publishedPlugin } from "./published-plugin.ts";
import { connectionsIn, type Traced, tracedRun, traceMissing, wholeCalls, writtenIn } from "./traced-run.ts";

let plugin = "";
beforeAll(async () => {
  plugin = (await publishedPlugin()).url;
}, 180_000);

const idlePlugin = import.meta.resolve("./idle-plugin.ts");

const missing = traceMissing();
if (missing !== undefined) console.warn(`skipped: what is written and connected to, because ${missing}`);

/** One prompt that uses a tool, in a project of its own. */
async function plainPrompt(loaded: string): Promise<Traced & { readonly model: string }> {
  await using model = await modelServer();
  await using project = await tmpProject({ files: projectFiles });
  model.expect("hi").tool("read", { filePath: "src/app.html" }).then.reply("hello");
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, { plugin: [loaded] }));
  // The first prompt makes OpenCode's database, and Bun's cache of every larger file that was loaded; the second is like all others.
  model.expect("first").reply("hello");
  await project.run([opencodeBinary, "run", "--format", "json", "first"]);
  const traced = await tracedRun(project, [opencodeBinary, "run", "--format", "json", "hi"]);
  return { ...traced, model: new URL(model.url).host };
}

test.skipIf(missing !== undefined)(
  "a plain prompt writes what it writes with a plugin that does nothing, and connects to its model alone",
  async () => {
    const idle = await plainPrompt(idlePlugin);
    const withMagnus = await plainPrompt(plugin);
    expect(withMagnus.stdout).toContain("hello");
    expect(withMagnus.written.filter((path) => !idle.written.includes(path))).toEqual([]);
    expect(withMagnus.connections).toEqual([withMagnus.model]);
  },
  120_000,
);

test("neither the project nor the user's own files have changed afterwards", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({ files: projectFiles });
  model.expect(/.*/).reply("hello").always();
  const run = () => opencodeRun(project, { model, plugins: [plugin], prompt: "hi" });
  await run();
  const before = await contents(project);
  await run();
  expect(await contents(project)).toEqual(before);
  expect(Object.keys(before).filter((path) => /magnus|ai-docs/.test(path))).toEqual([".opencode/magnus-opus.json"]);
}, 120_000);

/** Hashes of all files but those that OpenCode keeps for itself: its sessions, its logs, its cache. */
async function contents(project: Project): Promise<Record<string, string>> {
  const own = /^(\.local\/(share|state)|\.cache)\/opencode\//;
  const home = (await project.tree("~")).filter((path) => !own.test(path)).map((path) => `~/${path}`);
  const files = [...(await project.tree()), ...home].filter((path) => !path.endsWith("/"));
  const hash = (path: string) =>
    createHash("sha256")
      .update(readFileSync(project.path(path)))
      .digest("hex");
  return Object.fromEntries(files.map((path) => [path, hash(path)]));
}

test("a trace with an unexpected file or connection is detected", () => {
  const lines = [
    '12 openat(AT_FDCWD</r>, "/r/home/.state/a1b2c3d4e5/x", O_WRONLY|O_CREAT, 0666) = 4',
    '12 openat(AT_FDCWD</r>, "/r/project/read", O_RDONLY|O_CLOEXEC) = 4',
    '13 mkdir("/r/project/ai-docs", 0777) = 0',
    '13 mkdir("/r/project/there", 0777) = -1 EEXIST (File exists)',
    '13 connect(5<socket>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("8.8.8.8")}, 16) = 0',
  ];
  expect(writtenIn(lines, { dir: "/r/project", home: "/r/home" })).toEqual(["<project>/ai-docs", "~/.state/*/x"]);
  expect(connectionsIn(lines)).toEqual(["8.8.8.8:53"]);
});

test("a call on two lines counts as it ended", () => {
  const trace = [
    '12 mkdir("/r/home/there", 0777 <unfinished ...>',
    '13 mkdir("/r/home/new", 0777 <unfinished ...>',
    "12 <... mkdir resumed>)                  = -1 EEXIST (File exists)",
    '14 mkdir("/r/project/plain", 0777) = 0',
    "13 <... mkdir resumed>)                  = 0",
  ].join("\n");
  const project = { dir: "/r/project", home: "/r/home" };
  expect(writtenIn(wholeCalls(trace), project)).toEqual(["<project>/plain", "~/new"]);
});
