// What a cloned folder's bunfig.toml and .env can do to our programs when Bun runs them: keep them from working.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);
beforeAll(() => bundlePackages("hugo-pm", "@atomic/cli", "magnus-opus"));

const root = join(import.meta.dirname, "..");
const programs = [
  ["hugo", "packages/hugo/bin/hugo.js"],
  ["atomic", "packages/atomic/bin/atomic.js"],
  ["magnus-opus", "packages/magnus-opus/bin/magnus-opus.js"],
] as const;

const preload = 'preload = ["./preload.cjs"]\n';
const folders = {
  plain: { "bunfig.toml": "[install]\nexact = true\n" },
  variables: { ".env": "npm_config_registry=http://127.0.0.1:1/\n", ".env.local": "XDG_STATE_HOME=/nowhere\n" },
  code: { "bunfig.toml": preload },
  "code in other words": { "bunfig.toml": preload.replace("preload", '"pre\\u006coad"') },
  "changed code": { "bunfig.toml": '[define]\n"process.env.HOME" = "\'/nowhere\'"\n' },
};

/** A clone, on a machine with Bun, and the program as Bun installs it. */
async function cloneWith(name: string, file: string, folder: keyof typeof folders, node: boolean): Promise<Project> {
  const project = await tmpProject({
    files: {
      ...folders[folder],
      "package.json": { name: "clone", scripts: { start: `${name} --version` } },
      "preload.cjs": "require('node:fs').writeFileSync('executed', '');\n",
    },
  });
  const tools = project.path("~/tools");
  mkdirSync(tools);
  for (const tool of ["sh", "env", "git", ...(node ? ["node"] : [])]) {
    symlinkSync(Bun.which(tool) ?? tool, join(tools, tool));
  }
  for (const bun of ["bun", "bunx"]) symlinkSync(process.execPath, join(tools, bun));
  symlinkSync(join(root, file), join(tools, name));
  return project;
}

async function run(project: Project, words: readonly string[]) {
  const { npm_config_registry: _, ...env } = project.env;
  const own = Object.entries({ ...env, PATH: project.path("~/tools") }).map(([name, value]) => `${name}=${value}`);
  return await project.run(["env", "-i", ...own, ...words]);
}

const onBun = ["code", "code in other words", "changed code"] as const;
const ways: [string, boolean, (name: string, file: string) => string[], readonly (keyof typeof folders)[]][] = [
  ["by its name", true, (name) => [name, "--version"], []],
  ["with bunx", true, (name) => ["bunx", "--no-install", name, "--version"], []],
  ["with bunx, without Node", false, (name) => ["bunx", "--no-install", name, "--version"], onBun],
  ["with bunx --bun", true, (name) => ["bunx", "--bun", "--no-install", name, "--version"], onBun],
  ["with bun run --bun", true, (name) => ["bun", "run", "--bun", name, "--version"], onBun],
  ["in a script of the project", true, () => ["bun", "run", "start"], []],
  ["in a script of the project, without Node", false, () => ["bun", "run", "start"], onBun],
  ["as a file", true, (_, file) => ["bun", file, "--version"], [...onBun, "variables"]],
  [
    "as a file, with what the refusal suggests",
    true,
    (_, file) => ["bun", "--config=/dev/null", "--env-file=/dev/null", file, "--version"],
    [],
  ],
];

/** All programs share what is tested here, so one of them goes every way. */
const few = ways.filter(([way]) => way === "with bunx --bun" || way === "as a file");

describe.each(programs)("%s", (name, file) => {
  test.each(name === "hugo" ? ways : few)(
    "run %s refuses what Bun has loaded from a folder, and nothing else",
    async (_, node, words, refused) => {
      for (const folder of Object.keys(folders) as (keyof typeof folders)[]) {
        await using project = await cloneWith(name, file, folder, node);
        const { code, stdout, stderr } = await run(project, words(name, join(root, file)));
        const loaded = Object.keys(folders[folder]).join(" and ");
        if (refused.includes(folder)) {
          expect({ folder, code, stdout }).toEqual({ folder, code: 3, stdout: "" });
          expect(stderr).toContain(`${name}: Bun loaded ${loaded} from this folder before ${name} started`);
        } else {
          expect({ folder, code, stdout }).toEqual({ folder, code: 0, stdout: "0.1.0\n" });
          expect(await project.exists("executed")).toBe(false);
        }
      }
    },
  );

  test("on a Bun that loads .env even when it plays Node, refuses to work", async () => {
    await using project = await cloneWith(name, file, "variables", false);
    symlinkSync(opencodeBinary, project.path("~/tools/node"));
    const { code, stderr } = await run(project, ["env", "BUN_BE_BUN=1", name, "--version"]);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Bun loaded .env and .env.local"),
    });
  });

  test("is started with Node by the shims that npm makes on Windows", async () => {
    await using project = await tmpProject();
    const npm = createRequire(realpathSync(Bun.which("npm") ?? ""));
    await npm("cmd-shim")(join(root, file), project.path(name));
    for (const shim of [name, `${name}.cmd`, `${name}.ps1`]) {
      const started = [...(await project.read(shim)).matchAll(/\b(node|sh)(?:\.exe)?\$?(?:exe)?"? /g)].map(
        ([, word]) => word,
      );
      expect({ shim, started: [...new Set(started)] }).toEqual({ shim, started: ["node"] });
    }
  });
});

test("variables in a folder's .env do not reach Hugo", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "notes", version: "1.0.0", files: { "agents/a.md": "---\ndescription: A\n---\nA.\n" } });
  await using project = await cloneWith("hugo", "packages/hugo/bin/hugo.js", "variables", true);
  await project.write("~/.npmrc", `registry=${registry.url}\n`);
  for (const words of [["hugo"], ["bunx", "--bun", "--no-install", "hugo"], ["bun", "run", "--bun", "hugo"]]) {
    const { code, stderr } = await run(project, [...words, "info", "notes"]);
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
  }
});
