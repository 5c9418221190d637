// `atomic setup` without Hugo and OpenCode. With both, installed from tarballs: test/journeys/setup.test.ts.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
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
    next: [
      "atomic graph release",
      "atomic run release 1.4.0  # without a login, OpenCode uses free hosted models",
      "npm install  # types for your editor",
    ],
  });
  expect(await project.exists(first)).toBe(true);
  expect((await atomic(project, ["setup"], { env })).stdout).toContain("Everything is already set up:\n");

  const undone = await atomic(project, ["setup", "--undo"], { env });
  expect({ code: undone.code, stdout: undone.stdout }).toEqual({
    code: 0,
    stdout: `Undid:
  - a first workflow, with types in your editor (in this project): .atomic/workflows/release.ts, .atomic/entity-names.d.ts, .atomic/tsconfig.json, package.json as it was
  - your runs inside OpenCode's terminal (in every project): ~/.config/opencode/tui.json
`,
  });
  expect(await project.tree()).toEqual(before);
  expect(existsSync(project.path(".atomic"))).toBe(false);
  expect(await project.read("package.json")).toBe(packageJson);
  expect((await atomic(project, ["setup", "--undo"], { env })).stdout).toStartWith("There is nothing to undo");
});

test("with a stored login, it says nothing about one", async () => {
  const nextWith = async (auth: string): Promise<string> => {
    await using project = await tmpProject({ files: { ...files, "~/.local/share/opencode/auth.json": auth } });
    const env = await withPrograms(project, "opencode");
    const { stdout } = await atomic(project, ["setup", "--yes", "--json"], { env });
    return JSON.parse(stdout).next[1];
  };
  expect(await nextWith('{"anthropic":{"type":"api","key":"k"}}')).toBe("atomic run release 1.4.0");
  expect(await nextWith("{}")).toContain("# without a login");
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

test("in the home folder it says where to run it", async () => {
  await using project = await tmpProject();
  const { code, stderr } = await atomic(project, ["setup"], { cwd: "~" });
  expect(code).toBe(3);
  expect(stderr).toBe(`atomic: ${project.home} is your home folder
Change to the project's folder, then run \`atomic setup\`. Nothing was changed.
`);
});

test("undo says where the plugin was, whatever else was set up before it", async () => {
  await using project = await tmpProject({ files });
  const programs = await withPrograms(project);
  await atomic(project, ["setup", "--yes"], { env: programs });
  const env = await withPrograms(project, "opencode");
  await atomic(project, ["setup", "--yes", "--project"], { env });
  expect(await project.exists(".opencode/tui.json")).toBe(true);
  const { stdout } = await atomic(project, ["setup", "--undo"], { env });
  expect(stdout).toContain("  - your runs inside OpenCode's terminal (in this project): .opencode/tui.json\n");
  expect((await project.tree()).toSorted()).toEqual(["package.json", "src/cart.js"]);
});

test("without an installation, what it says to type next can be typed", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, "opencode");
  const { stderr } = await atomic(project, ["setup", "--yes"], { env, runner: "npx -p @atomic/cli" });
  expect(stderr).toContain("`npx -p @atomic/cli atomic setup --undo` reverts it.\n");
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
  expect(silent.stderr).toContain("\nWould set up:\n");
  expect(silent.stderr).toContain("  + a first workflow, with types in your editor (in this project): ");
  expect(silent.stderr).toContain("atomic setup --yes");
  expect(silent.stderr).toContain("Nothing was changed.");
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
  expect(undone.code).toBe(0);
  expect(undone.stdout).toContain(
    `: .atomic/entity-names.d.ts, .atomic/tsconfig.json, package.json (your changes stay); kept ${first}, which you changed\n`,
  );
  expect(await project.read(first)).toBe(edited);
  expect(await project.exists(".atomic/entity-names.d.ts")).toBe(false);
  expect(await project.json("package.json")).toEqual({ name: "shop", private: true, type: "module" });

  const left = [first, ".claude/agents/editor.md", "package.json", "src/cart.js"];
  expect((await project.tree()).toSorted()).toEqual(left.toSorted());
  expect(existsSync(project.path(".atomic/init"))).toBe(false);
  expect(await atomic(project, ["setup", "--undo"], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`There is nothing to undo in ${project.dir}: `),
  });
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

describe("a part that cannot be set up fails, and so does its dry run", () => {
  const solve = "Fix the problems marked ✗, then run the command again.\n";

  test("a broken package.json: nothing is written", async () => {
    await using project = await tmpProject({ files: { "package.json": '{ "name": \n' } });
    const env = await withPrograms(project);
    const dry = await atomic(project, ["setup", "--dry-run"], { env });
    expect({ code: dry.code, stderr: dry.stderr }).toEqual({ code: 3, stderr: `Nothing was changed. ${solve}` });
    const broken = await atomic(project, ["setup", "--yes"], { env });
    expect({ code: broken.code, stderr: broken.stderr }).toEqual({ code: 3, stderr: solve });
    expect(broken.stdout).toContain("✗ a first workflow, with types in your editor: failed: package.json:2:1: ");
    expect(await project.exists(".atomic")).toBe(false);
  });

  test("a file in place of .atomic: it stays, and nothing else is done", async () => {
    await using project = await tmpProject({ files: { ...files, ".atomic": "x" } });
    const env = await withPrograms(project, "opencode");
    const before = await project.tree();
    for (const mode of ["--dry-run", "--yes"]) {
      const refused = await atomic(project, ["setup", mode], { env });
      expect(refused.code).toBe(3);
      expect(`${refused.stdout}${refused.stderr}`).not.toContain("internal error");
      expect(`${refused.stdout}${refused.stderr}`.replaceAll(/\s+/g, " ")).toContain(
        `${project.path(".atomic")} is a file, and Atomic needs a folder of this name`,
      );
    }
    expect(await project.tree()).toEqual(before);
  });

  test("a program that is not Hugo: the other parts are done", async () => {
    await using project = await tmpProject({ files });
    const env = await withPrograms(project, "hugo-pm");
    const other = await atomic(project, ["setup", "--yes"], { env });
    expect(other.code).toBe(6);
    expect(other.stdout).toContain("✗ the short command hugo: failed: hugo-pm setup --dry-run did not answer");
    expect(await project.exists(first)).toBe(true);
    expect(await atomic(project, ["setup", "--undo"], { env })).toMatchObject({ code: 0 });
  });

  test("a part that you did not choose says why it is not possible, and nothing fails", async () => {
    await using project = await tmpProject({ files });
    const env = await withPrograms(project, "hugo-pm");
    const said = "– the short command hugo: not possible now: hugo-pm setup --dry-run did not answer as expected\n";
    const at = { env, columns: 120 };
    const none = await atomic(project, ["setup"], { ...at, typed: ["n"] });
    expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 0, stdout: expect.stringContaining(said) });
    expect(none.output).not.toMatch(/✗|fail/);
    expect(await atomic(project, ["setup", "--dry-run"], { env })).toMatchObject({ code: 6 });
    expect(await atomic(project, ["setup"], { ...at, typed: ["y"] })).toMatchObject({ code: 0 });
    expect(await project.exists(first)).toBe(true);
    // Nothing else is left to ask about.
    const again = await atomic(project, ["setup"], { env, columns: 120 });
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: expect.stringContaining(said) });
    expect(again.stdout).toStartWith("Agents: ");
    expect(again.stdout).toContain("\nNothing was changed:\n");
    expect(await atomic(project, ["setup", "--yes"], { env })).toMatchObject({ code: 6 });
  });

  test.each<[string, Record<string, string>, string]>([
    ["a tui.json that does not parse", { "~/.config/opencode/tui.json": '{ "plugin": [ }\n' }, "tui.json:1:15: "],
    ["a file in place of the folder of tui.json", { "~/conf/opencode": "x" }, "conf/opencode is not a folder"],
  ])("%s: the first workflow is written", async (_, more, said) => {
    await using project = await tmpProject({ files: { ...files, ...more } });
    const programs = await withPrograms(project, "opencode");
    const config = "~/conf/opencode" in more ? { XDG_CONFIG_HOME: project.path("~/conf") } : undefined;
    const env = { ...programs, ...config };
    const before = await project.tree();
    const dry = await atomic(project, ["setup", "--dry-run"], { env });
    expect(dry.code).toBe(1);
    expect(dry.stdout).toContain("✗ your runs inside OpenCode's terminal: would fail: ");
    expect(dry.stdout).toContain(said);
    expect(await project.tree()).toEqual(before);
    const done = await atomic(project, ["setup", "--yes", "--json"], { env });
    expect({ code: done.code, ...JSON.parse(done.stdout) }).toMatchObject({
      ...{ code: 1, ok: false, error: { code: "setup-incomplete" } },
      steps: [{ did: "left-out" }, { did: "left-out" }, { name: "opencode", did: "failed" }, { did: "done" }],
    });
    expect(await atomic(project, ["setup", "--undo"], { env })).toMatchObject({ code: 0 });
    expect(await project.tree()).toEqual(before);
  });
});

test("undo takes back the other parts if one cannot be, and the next one takes back the rest", async () => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, "opencode");
  await atomic(project, ["setup", "--yes"], { env });
  const tui = await project.read("~/.config/opencode/tui.json");
  await project.write("~/.config/opencode/tui.json", tui.replace("]", ""));
  for (const flags of [["--dry-run"], []]) {
    const broken = await atomic(project, ["setup", "--undo", ...flags], { env });
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain("✗ your runs inside OpenCode's terminal: ");
    expect(await project.exists(first)).toBe(flags.length > 0);
  }
  await project.write("~/.config/opencode/tui.json", tui);
  expect(await atomic(project, ["setup", "--undo"], { env })).toMatchObject({ code: 0 });
  expect((await project.tree()).toSorted()).toEqual(["package.json", "src/cart.js"]);
  expect(existsSync(project.path("~/.local"))).toBe(false);
});

test("undo in another folder says so, and how the plugin goes", async () => {
  await using project = await tmpProject({ files: { ...files, "~/other/package.json": "{}\n" } });
  const env = await withPrograms(project, "opencode");
  const other = { env, cwd: "~/other" };
  const said = `There is nothing to undo in ${project.path("~/other")}: \`atomic setup\` has changed nothing here, or has already been undone. If you ran it in another folder, run this there.\n`;
  expect(await atomic(project, ["setup", "--undo"], other)).toMatchObject({ code: 0, stdout: said, stderr: "" });
  await atomic(project, ["setup", "--yes"], { env });
  const { code, stdout, stderr } = await atomic(project, ["setup", "--undo"], other);
  expect({ code, stdout }).toEqual({ code: 0, stdout: said });
  expect(stderr).toBe(
    `The plugin in ${project.path("~/.config/opencode/tui.json")} was added from another folder: \`atomic setup opencode --undo\` removes it.\n`,
  );
  expect(await project.exists(first)).toBe(true);
});

test("what you add between two setups, and to a file that setup changed, stays after undo", async () => {
  const tsconfig = `{
  "compilerOptions": { "noEmit": true, "skipLibCheck": true, "module": "preserve" },
  "include": ["src"] // ours
}
`;
  await using project = await tmpProject({ files: { ...files, "tsconfig.json": tsconfig } });
  const env = await withPrograms(project);
  await atomic(project, ["setup", "--yes"], { env });
  const manifest = JSON.parse(await project.read("package.json"));
  delete manifest.devDependencies["@atomic/cli"];
  manifest.devDependencies = { ...manifest.devDependencies, "@types/node": "^22.0.0", yours: "1.0.0" };
  await project.write("package.json", JSON.stringify(manifest));
  await atomic(project, ["setup", "--yes"], { env });
  expect(await project.read("package.json")).toContain('"@atomic/cli"');
  await project.write("tsconfig.json", (await project.read("tsconfig.json")).replace('"src"', '"src", "lib"'));
  const { code, stdout } = await atomic(project, ["setup", "--undo"], { env });
  expect(code).toBe(0);
  expect(stdout).toContain("tsconfig.json (your changes stay)");
  expect(await project.read("tsconfig.json")).toBe(tsconfig.replace('"src"', '"src", "lib"'));
  expect(await project.json("package.json")).toMatchObject({
    devDependencies: { "@types/node": "^22.0.0", yours: "1.0.0" },
  });
  expect(await project.read("package.json")).not.toContain("@atomic/");
});
