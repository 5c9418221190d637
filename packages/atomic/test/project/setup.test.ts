// `atomic setup` without Hugo and OpenCode. With both, installed from tarballs: test/journeys/setup.test.ts.
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { hashOf } from "@atomic/durable-files/files/plain-file";
import { type Project, tmpProject } from "@atomic/testing/project";
import { atomic } from "../atomic.ts";

setDefaultTimeout(120_000);

const packageJson = '{\n    "name": "shop", "private": true\n}\n';
const files = { "package.json": packageJson, "src/cart.js": "export const cart = [];\n" };
const first = ".atomic/workflows/release.ts";

/** A PATH with these programs and no others. */
async function withPrograms(project: Project, ...names: readonly string[]): Promise<{ readonly PATH: string }> {
  const folder = project.path("~/programs");
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    await project.write(`~/programs/${name}`, "#!/bin/sh\nexit 1\n");
    chmodSync(project.path(`~/programs/${name}`), 0o755);
  }
  return { PATH: folder };
}

test("a dry run shows what is possible here and what is not, and changes nothing", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, "claude");
  const before = await project.tree();
  const { code, stdout, stderr } = await atomic(project, ["setup", "--dry-run"], { env });
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: `Agents: found claude; did not find opencode, copilot.

Would set up:
  – the short command hugo: needs Hugo (\`npm install -g hugo-pm\`)
  – Magnus Opus, for /implement in OpenCode: needs OpenCode (\`npm install -g opencode-ai\`)
  – your runs inside OpenCode's terminal: needs OpenCode (\`npm install -g opencode-ai\`)
  + a first workflow, with types in your editor (in this project): .atomic/workflows/release.ts, .atomic/entity-names.d.ts, .atomic/tsconfig.json, package.json (devDependencies, for your editor and CI: @atomic/cli, @atomic/workflows, @types/node)
`,
    stderr: "Nothing was changed.\n",
  });
  expect(await project.tree()).toEqual(before);
});

test("it does what is possible, says what to type next, and takes everything back byte for byte", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, "opencode");
  const before = await project.tree();
  const done = await atomic(project, ["setup", "--yes", "--json"], { env });
  expect({ code: done.code, ...JSON.parse(done.stdout) }).toMatchObject({
    code: 0,
    ok: true,
    agents: [
      { name: "opencode", path: project.path("~/programs/opencode") },
      { name: "claude", path: null },
      { name: "copilot", path: null },
    ],
    steps: [
      { name: "hugo", did: "left-out" },
      { name: "magnus-opus", did: "left-out" },
      { name: "opencode", affects: "every project", did: "done", detail: "~/.config/opencode/tui.json" },
      { name: "workflow", affects: "this project", did: "done" },
    ],
    next: ["atomic graph release", "atomic run release 1.4.0", "npm install  # types for your editor"],
  });
  expect(await project.exists(first)).toBe(true);
  expect((await atomic(project, ["setup"], { env })).stdout).toContain("Everything is set up already:\n");

  const undone = await atomic(project, ["setup", "--undo"], { env });
  expect({ code: undone.code, stdout: undone.stdout }).toEqual({
    code: 0,
    stdout: `Took back:
  - a first workflow, with types in your editor (in this project): .atomic/workflows/release.ts, .atomic/entity-names.d.ts, .atomic/tsconfig.json, package.json as it was
  - your runs inside OpenCode's terminal (in every project): ~/.config/opencode/tui.json
`,
  });
  expect(await project.tree()).toEqual(before);
  expect(existsSync(project.path(".atomic"))).toBe(false);
  expect(await project.read("package.json")).toBe(packageJson);
  expect((await atomic(project, ["setup", "--undo"], { env })).stdout).toStartWith("There is nothing to take back");
});

test("at a terminal, one answer chooses the parts; anything else is asked again", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, "opencode");
  const at = { env, columns: 100 };
  const none = await atomic(project, ["setup"], { ...at, typed: ["maybe", "3", "no"] });
  expect(none.code).toBe(0);
  expect(none.output.match(/Type yes, no, or numbers from 1 to 2\./g)).toHaveLength(2);
  expect(none.output.match(/Set up all of this\?/g)).toHaveLength(3);
  expect(none.stdout).toContain("not chosen");
  // Enter is the answer that [y/N] has in capitals.
  const enter = await atomic(project, ["setup"], { ...at, typed: [""] });
  expect(enter.output.match(/Set up all of this\?/g)).toHaveLength(1);
  expect(enter.stdout).toContain("not chosen");
  expect(await project.exists(".atomic")).toBe(false);

  const one = await atomic(project, ["setup"], { ...at, typed: ["1"] });
  expect(one.stdout).toContain(
    "  + your runs inside OpenCode's terminal (in every project): ~/.config/opencode/tui.json\n",
  );
  expect(await project.exists(first)).toBe(false);
  const rest = await atomic(project, ["setup"], { ...at, typed: ["y"] });
  expect(rest.output).toContain("  1 + a first workflow");
  expect(await project.exists(first)).toBe(true);
  await atomic(project, ["setup", "--undo"], { env });
  expect((await project.tree()).toSorted()).toEqual(["package.json", "src/cart.js"]);
  expect(await project.exists("~/.config/opencode/tui.json")).toBe(false);
});

test("each line says which projects it affects, also from a folder inside the project", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, "opencode");
  const { stdout } = await atomic(project, ["setup", "--dry-run"], { env, cwd: project.path("src") });
  expect(stdout).toContain(
    "  + your runs inside OpenCode's terminal (in every project): ~/.config/opencode/tui.json\n",
  );
  expect(stdout).toContain("  + a first workflow, with types in your editor (in ..): ");
  const shared = await atomic(project, ["setup", "--dry-run", "--project"], { env });
  expect(shared.stdout).toContain("  + your runs inside OpenCode's terminal (in this project): ");
});

test("without an installation, what it says to type next can be typed", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, "opencode");
  const { stderr } = await atomic(project, ["setup", "--yes"], { env, runner: "npx -p @atomic/cli" });
  expect(stderr).toContain("`npx -p @atomic/cli atomic setup --undo` takes it back.\n");
  expect(stderr).toContain("\n  npx -p @atomic/cli atomic graph release\n");
  expect(stderr).toContain("\n  npm install  # types for your editor\n");
});

test("undo leaves your runs, and says so", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project);
  await atomic(project, ["setup", "--yes"], { env });
  expect(await atomic(project, ["run", "release", "1.4.0", "--host", "scripted", "--no-wait"], { env })).toMatchObject({
    code: 4,
  });
  const undone = await atomic(project, ["setup", "--undo"], { env });
  expect(undone).toMatchObject({ code: 0, stderr: "Your runs stay in .atomic/runs.\n" });
  expect(await project.exists(".atomic/runs")).toBe(true);
  expect(await project.exists(first)).toBe(false);
});

test("without a terminal it needs --yes, and an agent may only look", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project);
  const silent = await atomic(project, ["setup"], { env });
  expect(silent).toMatchObject({ code: 4, stdout: "" });
  expect(silent.stderr).toContain("atomic setup --yes");
  const agent = { agent: "OpenCode", sign: "a test" };
  for (const words of [
    ["setup", "--yes"],
    ["setup", "--undo"],
  ])
    expect(await atomic(project, words, { env, agent })).toMatchObject({ code: 4 });
  expect(await atomic(project, ["setup", "--dry-run"], { env, agent })).toMatchObject({ code: 0 });
  expect(await project.exists(".atomic")).toBe(false);
});

test("what you changed since stays; what was added to your package.json goes", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project);
  await atomic(project, ["setup", "--yes"], { env });
  const edited = `${await project.read(first)}// mine\n`;
  await project.write(first, edited);
  await project.write(".claude/agents/editor.md", "---\nname: editor\n---\nEdit.\n");
  await atomic(project, ["types"], { env });
  const manifest = (await project.read("package.json")).replace('"private": true', '"private": true, "type": "module"');
  await project.write("package.json", manifest);

  const undone = await atomic(project, ["setup", "--undo"], { env });
  expect(undone.code).toBe(1);
  expect(undone.stdout).toContain(`failed: ${first} was changed since`);
  expect(await project.read(first)).toBe(edited);
  expect(await project.exists(".atomic/entity-names.d.ts")).toBe(false);
  expect(await project.json("package.json")).toEqual({ name: "shop", private: true, type: "module" });

  // Once the file is out of the way, nothing is left to do.
  await project.run(["rm", first]);
  expect(await atomic(project, ["setup", "--undo"], { env })).toMatchObject({ code: 0 });
  expect((await project.tree()).toSorted()).toEqual([".claude/agents/editor.md", "package.json", "src/cart.js"]);
});

test("a second setup adds what is missing, and undo still leads back to the beginning", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project);
  await atomic(project, ["setup", "--yes"], { env });
  const complete = await project.read("package.json");
  await project.write("package.json", complete.replace(/"@atomic\/cli": "[^"]*",\s*/, ""));
  await atomic(project, ["setup", "--yes"], { env });
  expect(await project.read("package.json")).toContain('"@atomic/cli"');
  expect(await atomic(project, ["setup", "--undo"], { env })).toMatchObject({ code: 0 });
  expect(await project.read("package.json")).toBe(packageJson);
});

test("a record that a clone brings along cannot name other files", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project);
  const after = hashOf(Buffer.from(files["src/cart.js"]));
  const record = {
    steps: ["workflow"],
    files: [{ path: "src/cart.js", before: "evil\n", after }],
    isForProject: false,
  };
  await project.write(".atomic/init/setup.json", JSON.stringify(record));
  const { code, stderr } = await atomic(project, ["setup", "--undo"], { env });
  expect(code).toBe(3);
  expect(stderr).toContain("is not a file that `atomic setup` wrote");
  expect(await project.read("src/cart.js")).toBe(files["src/cart.js"]);
});

test("a broken package.json and a program that is not Hugo are refused, and nothing is written", async () => {
  await using project = await tmpProject({ files: { "package.json": '{ "name": \n' } });
  const env = await withPrograms(project);
  const broken = await atomic(project, ["setup", "--yes"], { env });
  expect(broken.code).toBe(3);
  expect(broken.stderr).toContain("package.json:2:1");
  await project.write("package.json", packageJson);
  const other = await atomic(project, ["setup", "--yes"], { env: await withPrograms(project, "hugo-pm") });
  expect(other.code).toBe(6);
  expect(other.stderr).toContain("hugo-pm setup --dry-run did not answer as expected");
  expect(await project.exists(".atomic")).toBe(false);
});
