// The real program asks the real OpenCode.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import { OpencodeWithMagnus, pluginSource } from "../plugin/opencode-with-magnus.ts";

const program = join(import.meta.dirname, "../../bin/magnus-opus.js");
let model: ModelServer;

beforeAll(async () => {
  await bundlePackages("magnus-opus");
  model = await modelServer();
}, 180_000);
afterAll(() => model[Symbol.asyncDispose]());

async function python(files: Record<string, FileContent> = {}): Promise<Project> {
  const project = await tmpProject({ files: { "pyproject.toml": "", "test_shop.py": "", ...files } });
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, { plugin: [pluginSource] }));
  await project.skipPluginInstall();
  return project;
}

const doctor = async (project: Project, ...words: string[]) =>
  await project.run([process.execPath, program, "doctor", ...words], { env: { CI: "" } });

test("a project in which everything works", async () => {
  await using project = await python({ ".opencode/magnus-opus.json": { tests: { command: ["sh", "test.sh"] } } });
  const before = await project.run(["git", "status", "--short"]);
  const { code, stdout } = await doctor(project, "--opencode", opencodeBinary);
  expect(stdout).toMatch(/✓ OpenCode 1\.\d+\.\d+ has loaded Magnus Opus: \d+ commands, \d+ tools, 11 agents/);
  expect(stdout).toContain("✓ every agent has its prompt and may do its job");
  expect(stdout).toContain("✓ stack: Python (python), because of pyproject.toml");
  expect(stdout).toContain("✓ tests: `sh test.sh` (from the settings), 1 test file");
  expect(stdout).toEndWith("Everything works.\n");
  expect(code).toBe(0);
  expect(await project.run(["git", "status", "--short"])).toEqual(before);
}, 180_000);

test("what is degraded comes with its reason and its fix, also as JSON", async () => {
  const settings = {
    ...{ agents: { reviewer: { model: "nobody/none" } }, enabled_mcps: ["figma"], stack: "pyton" },
    reviewModels: { codeReview: ["nobody/one", "scripted/model-1"], planReview: ["nobody/unused"] },
    ...{ categories: { visual: { model: "nobody/two" } }, tests: { command: ["python3", "-I", "-S", "-m", "pytest"] } },
  };
  await using project = await python({
    ".opencode/magnus-opus.json": settings,
    ".opencode/agents/tester.md": "---\ndescription: Mine\nmode: subagent\n---\n\nYou taste wine.\n",
  });
  const { code, stdout } = await doctor(project, "--opencode", opencodeBinary, "--json");
  expect(code).toBe(1);
  const { ok, findings } = JSON.parse(stdout) as {
    ok: boolean;
    findings: { status: string; what: string; fix: string }[];
  };
  expect(ok).toBe(false);
  const said = findings.filter(({ status }) => status !== "ok").map(({ what, fix = "" }) => `${what} | ${fix}`);
  expect(said).toContainEqual(
    expect.stringMatching(/^agents\.reviewer names nobody\/none, .* \| Connect its provider/),
  );
  const other = "which is not connected;";
  expect(said).toContainEqual(
    expect.stringContaining(`reviewModels.codeReview names nobody/one, ${other} /magnus-review leaves it out |`),
  );
  expect(said).toContainEqual(expect.stringMatching(/^categories\.visual names nobody\/two, .* its agent's or the/));
  expect(said.filter((line) => line.includes(other))).toHaveLength(3);
  if (spawnSync("python3", ["--version"]).status === 0)
    expect(said).toContainEqual(expect.stringMatching(/-m pytest`, but the Python module pytest was not found/));
  expect(said).toContainEqual(expect.stringContaining('There is no stack "pyton" (did you mean python?)'));
  expect(said).toContainEqual(expect.stringMatching(/figma.*FIGMA_ACCESS_TOKEN is not set/));
  expect(said).toContainEqual(expect.stringMatching(/agent tester/));
}, 180_000);

test("/magnus-doctor in OpenCode has the same findings, also after a change", async () => {
  await using project = await python({ ".opencode/magnus-opus.json": { tests: { command: ["sh", "test.sh"] } } });
  await using server = await opencodeServe(project, { model, plugins: [pluginSource] });
  const opencode = new OpencodeWithMagnus(model, project, server);
  const session = await opencode.session();
  const typed = async (): Promise<string> => {
    model.expect(/typed `\/magnus-doctor`/).reply("shown");
    await opencode.type(session, "magnus-doctor");
    return opencode.lastPrompt("typed `/magnus-doctor`").split("---\n\n").at(-1)!;
  };
  const inShell = async (): Promise<readonly string[]> => {
    const { stdout } = await doctor(project, "--opencode", opencodeBinary, "--json");
    const { findings } = JSON.parse(stdout) as { findings: { what: string; fix?: string }[] };
    return findings.map(({ what, fix }) => (fix === undefined ? what : `${what}. Fix: ${fix}`));
  };
  const shown = (text: string): readonly string[] => Array.from(text.matchAll(/^- . (.+)$/gm), ([, line = ""]) => line);
  const healthy = await typed();
  expect(healthy).toStartWith(`# Magnus Opus in ${project.dir}\n`);
  expect(healthy).toMatch(/✓ OpenCode 1\.\d+\.\d+ has loaded Magnus Opus/);
  expect(healthy).toContain("\n\nEverything works.");
  expect(shown(healthy)).toEqual(await inShell());
  await project.write(".opencode/magnus-opus.json", { agents: { reviewer: { model: "nobody/none" } }, stack: "pyton" });
  await project.write(".opencode/agents/tester.md", "---\ndescription: Mine\nmode: subagent\n---\n\nYou taste wine.\n");
  await project.skipPluginInstall();
  await server.reload();
  const degraded = await typed();
  expect(degraded).toContain("✗ agents.reviewer names nobody/none");
  expect(degraded).toContain("· you have an agent tester, so ours is called magnus-tester");
  expect(degraded).toMatch(/\n\n\d problems found\.\n\nOpenCode reads settings when it starts/);
  expect(shown(degraded)).toEqual(await inShell());
  // One screen: no more than a terminal of 40 lines shows, with room for the input.
  expect(degraded.split("\n").length).toBeLessThan(25);
}, 180_000);

describe("without an OpenCode that answers", () => {
  test.each([
    ["missing", "/nowhere/opencode", /✗ The program "\/nowhere\/opencode" cannot be started/],
    ["broken", "/bin/false", /✗ `opencode serve` exited with 1/],
  ])(
    "%s: the rest is still checked, and the exit code says that a program is unavailable",
    async (_, opencode, why) => {
      await using project = await python();
      const { code, stdout } = await doctor(project, "--opencode", opencode);
      expect(stdout).toMatch(why);
      expect(stdout).toContain("✓ stack: Python");
      expect(code).toBe(6);
    },
  );

  test("--static starts nothing", async () => {
    await using project = await python({ ".opencode/magnus-opus.json": { tests: { command: ["sh", "t.sh"] } } });
    const { code, stdout } = await doctor(project, "--static", "--opencode", "/nowhere/opencode");
    expect([code, stdout]).toEqual([0, expect.stringContaining("OpenCode was not started")]);
  });
});
