// What a cloned folder's bunfig.toml and .env can do to our programs when Bun runs them: nothing.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);
beforeAll(() => bundlePackages("hugo-pm", "@atomic/cli", "magnus-opus"));

const root = join(import.meta.dirname, "..");
const programs = [
  ["hugo", "packages/hugo/bin/hugo.js"],
  ["atomic", "packages/atomic/bin/atomic.js"],
  ["magnus-opus", "packages/magnus-opus/bin/magnus-opus.js"],
] as const;

/** A clone whose files would run code and set variables, on a machine with Bun, and the program as Bun installs it. */
async function cloneWith(name: string, file: string, { node }: { node: boolean }): Promise<Project> {
  const project = await tmpProject({
    files: {
      "bunfig.toml": 'preload = ["./preload.cjs"]\n[run]\nbun = true\n',
      "package.json": { name: "clone", scripts: { start: `${name} --version` } },
      ".env": "npm_config_registry=http://127.0.0.1:1/\n",
      ".env.local": "XDG_STATE_HOME=/nowhere\n",
      "preload.cjs": "require('node:fs').writeFileSync('executed', '');\n",
    },
  });
  const tools = project.path("~/tools");
  mkdirSync(tools);
  for (const tool of ["sh", "env", "readlink", "git", ...(node ? ["node"] : [])]) {
    symlinkSync(Bun.which(tool) ?? tool, join(tools, tool));
  }
  for (const bun of ["bun", "bunx"]) symlinkSync(process.execPath, join(tools, bun));
  symlinkSync(join(root, file), join(tools, name));
  return project;
}

async function run(project: Project, words: readonly string[], cwd = project.dir) {
  const { npm_config_registry: _, ...env } = project.env;
  const own = Object.entries({ ...env, PATH: project.path("~/tools") }).map(([name, value]) => `${name}=${value}`);
  return await project.run(["env", "-i", ...own, ...words], { cwd });
}

describe.each(programs)("%s", (name, file) => {
  test.each([
    ["by its name, without Node", false, [name, "--version"]],
    ["by its name, with Node", true, [name, "--version"]],
    ["with bunx --bun", true, ["bunx", "--bun", "--no-install", name, "--version"]],
    ["with bun run --bun", true, ["bun", "run", "--bun", name, "--version"]],
    ["in a script of the project", true, ["bun", "run", "start"]],
    ["in a script of the project, without Node", false, ["bun", "run", "start"]],
  ])("run %s ignores what a folder would have Bun load", async (_, node, words) => {
    await using project = await cloneWith(name, file, { node });
    const { code, stdout, stderr } = await run(project, words);
    expect({ code, stdout, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
    expect(await project.exists("executed")).toBe(false);
  });

  test("given to bun as a file refuses to work, because the folder's code has run", async () => {
    await using project = await cloneWith(name, file, { node: false });
    const { code, stderr } = await run(project, ["bun", join(root, file), "--version"]);
    expect(await project.exists("executed")).toBe(true);
    expect(code).toBe(3);
    expect(stderr).toStartWith(`${name}: Bun loaded bunfig.toml and .env and .env.local from this folder before`);
    expect(stderr).toContain(`Run ${name} by its name, or with bunx`);
    const elsewhere = await run(project, ["bun", join(root, file), "--version"], project.home);
    expect(elsewhere).toMatchObject({ code: 0, stdout: "0.1.0\n" });
  });
});

test("variables in a folder's .env do not reach Hugo on Bun", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "notes", version: "1.0.0", files: { "agents/a.md": "---\ndescription: A\n---\nA.\n" } });
  await using project = await cloneWith("hugo", "packages/hugo/bin/hugo.js", { node: false });
  await project.write("~/.npmrc", `registry=${registry.url}\n`);
  const { code, stderr } = await run(project, ["hugo", "info", "notes"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
