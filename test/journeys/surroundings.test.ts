// Our tarballs where something is unusual: the Node, a missing program, the home, the proxy, the terminal, the path.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { forgetTarballs, oldNode, type Stranger, stranger, walks } from "./stranger.ts";

setDefaultTimeout(300_000);

const programs = ["hugo-pm", "atomic", "magnus-opus"];
const notes = {
  "hugo-workflow.json": { name: "notes", description: "Takes notes.", commands: [{ path: "commands/note.md" }] },
  "commands/note.md": "Note.\n",
};

/** One installation for all tests: they change nothing in it. */
let person: Stranger;

beforeAll(async () => {
  const [walk] = walks();
  if (walk === undefined) throw new Error("There is no walk.");
  person = await stranger(walk);
  person.registry.publish({ name: "notes", version: "1.0.0", files: asText(notes), time: "2026-01-01T00:00:00.000Z" });
  const { code, stderr } = await person.sh("npm install -g hugo-pm @atomic/cli magnus-opus");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
});
afterAll(async () => {
  await person[Symbol.asyncDispose]();
  await forgetTarballs();
});

if (!existsSync(oldNode)) console.warn("skipped: Node 18 is not installed (node scripts/setup.mjs --runners)");
const testOnOldNode = existsSync(oldNode) ? test : test.skip;
testOnOldNode.each(programs)("%s on a Node that is too old says so in one line", async (name) => {
  const { code, stdout, stderr } = await person.sh(`"${oldNode}" "$(command -v ${name})" --version`);
  expect({ code, stdout, stderr }).toEqual({
    code: 6,
    stdout: "",
    stderr: `${name === "hugo-pm" ? "hugo" : name} needs Node 20.19 or newer; this is Node 18.20.8.\n`,
  });
});

describe("a workflow is installed", () => {
  const surroundings: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["in CI", { CI: "true" }],
    ["with TERM=dumb", { TERM: "dumb" }],
    ["with LANG=C", { LANG: "C", LC_ALL: "C" }],
    ["with NO_PROXY", { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1" }],
  ];
  test.each(surroundings)("%s", async (_what, env) => {
    const folder = await newProject();
    const surrounded = { npm_config_registry: person.registry.url, ...env };
    const { code, stdout, stderr } = await person.sh("hugo-pm install notes --yes", { cwd: folder, env: surrounded });
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain('Installed workflow "notes" v1.0.0 (1 command)');
    expect(stdout).not.toContain("\x1b");
  });

  test("in a folder with a space, an umlaut and a quote", async () => {
    const folder = person.project.path("~/mein 'Büro' 中");
    await person.sh("mkdir \"$HOME/mein 'Büro' 中\"");
    const { code, stdout } = await person.sh("hugo-pm install notes --yes && atomic init && atomic lint", {
      cwd: folder,
    });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Installed workflow "notes"') });
    expect(existsSync(join(folder, ".opencode/commands/note.md"))).toBe(true);
  });

  test("with a home that nothing can be written to", async () => {
    const home = person.project.path("~/read-only");
    await mkdir(home, { mode: 0o555 });
    // Even root may not write there without its powers.
    const powerless = process.getuid?.() === 0 ? "setpriv --inh-caps=-all --bounding-set=-all " : "";
    const folders = Object.fromEntries(
      ["CONFIG", "DATA", "STATE", "CACHE"].map((name) => [`XDG_${name}_HOME`, `${home}/x`]),
    );
    const env = { HOME: home, ...folders, npm_config_registry: person.registry.url };
    const folder = await newProject();
    const { code, stdout, stderr } = await person.sh(`${powerless}hugo-pm install notes --yes`, { cwd: folder, env });
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain('Installed workflow "notes"');
    const everywhere = await person.sh(`${powerless}hugo-pm install notes --yes -g`, { cwd: folder, env });
    expect(everywhere.code).toBe(3);
    expect(everywhere.stderr).toContain(" cannot be written (EACCES)\n");
    expect(everywhere.stderr).not.toContain(".hugo");
    // Found out before the package is fetched and shown.
    expect(everywhere.stdout).toBe("");
  });

  test("without git and without npm", async () => {
    const bin = person.project.path("~/few/bin");
    await mkdir(bin, { recursive: true });
    for (const name of ["sh", "env", "node"]) {
      const found = name === "node" ? person.project.path("~/node/bin/node") : Bun.which(name);
      if (found !== null) symlinkSync(found, join(bin, name));
    }
    const env = { PATH: `${person.project.path("~/.npm-global/bin")}:${bin}` };
    const folder = await newProject();
    expect(await person.sh("hugo-pm install notes --yes", { cwd: folder, env })).toMatchObject({ code: 0 });
    const { code, stderr } = await person.sh("hugo-pm install git+https://127.0.0.1:9/x.git --yes", {
      cwd: folder,
      env,
    });
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 6, lines: 2 });
    expect(stderr).toContain("git");
  });
});

describe("a project is set up, and back as it was", () => {
  const surroundings: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ["in CI", "", { CI: "true" }],
    ["with TERM=dumb", "", { TERM: "dumb" }],
    ["with LANG=C", "", { LANG: "C", LC_ALL: "C" }],
    ["in a folder with a space and an umlaut", "mein Büro/", {}],
  ];
  test.each(surroundings)("%s", async (_what, below, env) => {
    const project = await newProject();
    const folder = join(project, below);
    // The person's own files: in `npm run journeys`, that is not who runs this test.
    await person.sh(`mkdir -p '${folder}' && echo '{}' > '${folder}/package.json'`, { cwd: project });
    const done = await person.sh("atomic setup --yes", { cwd: folder, env });
    expect({ code: done.code, stderr: done.code === 0 ? "" : done.stderr }).toEqual({ code: 0, stderr: "" });
    expect(done.stdout).toContain("+ Magnus Opus");
    expect(done.stdout).not.toContain("\x1b");
    const undone = await person.sh("atomic setup --undo", { cwd: folder, env });
    expect(`${undone.code} ${undone.stdout}`).toStartWith("0 Undid:\n");
    expect(readdirSync(folder)).toEqual(["package.json"]);
    expect(await readFile(join(folder, "package.json"), "utf8")).toBe("{}\n");
  });

  test("as far as a home allows that nothing can be written to", async () => {
    const home = person.project.path("~/read-only-too");
    await mkdir(home, { mode: 0o555 });
    const powerless = process.getuid?.() === 0 ? "setpriv --inh-caps=-all --bounding-set=-all " : "";
    const folders = Object.fromEntries(
      ["CONFIG", "DATA", "STATE", "CACHE"].map((name) => [`XDG_${name}_HOME`, `${home}/x`]),
    );
    const env = { HOME: home, ...folders, npm_config_registry: person.registry.url };
    const folder = await newProject();
    const { code, stdout } = await person.sh(`${powerless}atomic setup --yes`, { cwd: folder, env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ your runs inside OpenCode's terminal: failed: .*EACCES/);
    expect(stdout).toContain("+ a first workflow");
    expect(await person.sh(`${powerless}atomic setup --undo`, { cwd: folder, env })).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("without Hugo, npm and git: the rest", async () => {
    const bin = person.project.path("~/fewer/bin");
    await mkdir(bin, { recursive: true });
    for (const name of ["sh", "env"]) symlinkSync(Bun.which(name) ?? "", join(bin, name));
    symlinkSync(person.project.path("~/node/bin/node"), join(bin, "node"));
    symlinkSync(realpathSync(person.project.path("~/.npm-global/bin/atomic")), join(bin, "atomic"));
    const folder = await newProject();
    const { code, stdout } = await person.sh("atomic setup --yes", { cwd: folder, env: { PATH: bin } });
    expect(code).toBe(0);
    expect(stdout).toContain("needs Hugo (`npm install -g hugo-pm`)");
    expect(stdout).toContain("+ a first workflow");
  });
});

describe("a clear refusal, and nothing written", () => {
  test("a proxy that is not there", async () => {
    const folder = await newProject();
    const env = { HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9" };
    const { code, stderr } = await person.sh("hugo-pm install notes --yes", { cwd: folder, env });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining("127.0.0.1:9") });
    expect(existsSync(join(folder, ".opencode"))).toBe(false);
  });

  test("a proxy variable that is not an address", async () => {
    const folder = await newProject();
    const env = { HTTP_PROXY: "not an address", http_proxy: "not an address" };
    const { code, stderr } = await person.sh("hugo-pm install notes --yes", { cwd: folder, env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("http_proxy is not the address of") });
    expect(existsSync(join(folder, ".opencode"))).toBe(false);
  });

  test("in CI without --yes", async () => {
    const folder = await newProject();
    const { code, stderr } = await person.sh("hugo-pm install notes", { cwd: folder, env: { CI: "true" } });
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("--yes") });
    expect(existsSync(join(folder, ".opencode"))).toBe(false);
  });
});

let projects = 0;

async function newProject(): Promise<string> {
  projects += 1;
  await person.sh(`mkdir -p ~/work/${projects}`);
  return person.project.path(`~/work/${projects}`);
}

function asText(files: Readonly<Record<string, string | object>>): Record<string, string> {
  const texts = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === "string" ? content : JSON.stringify(content),
  ]);
  return Object.fromEntries(texts);
}
