// `atomic setup` as people run it: Ctrl-C, a terminal that can only print lines, and folders that may not be written.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { within } from "@atomic/testing/waiting";
import { build, runtimes } from "../program.ts";

setDefaultTimeout(120_000);
beforeAll(build);

const files = { "package.json": '{ "name": "shop" }\n' };
const [node] = runtimes;
const program = [Bun.which("node") ?? "node", ...(node?.command.slice(1) ?? [])];

/**
 * Another program under the name of Hugo, which waits forever at one of its commands, as for the network, and ends as Hugo
 * does. From then on it lists what the file `after` says.
 */
function hugoThatWaitsAt(words: string): string {
  const wait = [
    'const end = () => { if (fs.existsSync(own + ".after")) fs.renameSync(own + ".after", own + ".list"); process.exit(130); };',
    'const own = process.argv[1]; process.on("SIGINT", end); setInterval(() => {}, 1e6); fs.writeSync(1, "at work");',
  ].join(" ");
  return `#!/bin/sh
case "$*" in
  "${words}") exec ${program[0]} -e '${wait}' "$0" > "$0.began";;
  "setup --dry-run --json") echo '{"ok":true,"did":"added","command":"/hugo"}';;
  "list --json") cat "$0.list";;
  "install magnus-opus --dry-run --json") echo '{"ok":true,"workflows":[{"name":"magnus-opus","version":"1.0.0"}]}';;
  *) echo '{"ok":true,"did":"nothing","command":"/hugo"}';;
esac
`;
}

async function withPrograms(project: Project, waitsAt: string): Promise<Readonly<Record<string, string>>> {
  const folder = project.path("~/programs");
  mkdirSync(folder, { recursive: true });
  const texts = { opencode: "#!/bin/sh\nexit 1\n", "hugo-pm": hugoThatWaitsAt(waitsAt) };
  for (const [name, text] of Object.entries(texts)) {
    await project.write(`~/programs/${name}`, text);
    chmodSync(join(folder, name), 0o755);
  }
  await project.write("~/programs/hugo-pm.list", '{"ok":true,"workflows":[]}\n');
  await project.run(["mkfifo", "-m", "600", join(folder, "hugo-pm.began")]);
  return { ...project.env, PATH: `${folder}:/usr/bin:/bin` };
}

/** Until the other program waits, which it says in a pipe: it has no terminal while its output is read. */
async function atWork(project: Project): Promise<void> {
  await using reader = Bun.spawn(["head", "-c", "7", project.path("~/programs/hugo-pm.began")], { stdout: "pipe" });
  expect(await within(20_000, new Response(reader.stdout).text())).toBe("at work");
}

/** Ctrl-C while Hugo is at one of its commands. Returns what one sees. */
async function interruptedAt(project: Project, waitsAt: string, answer: string): Promise<string> {
  const env = await withPrograms(project, waitsAt);
  await using screen = await terminal([...program, "setup"], { cwd: project.dir, env, cols: 100, rows: 40 });
  await screen.waitFor("Set up all of this?", { deadline: 20_000 });
  screen.type(`${answer}\r`);
  await atWork(project);
  screen.press("ctrl+c");
  expect(await screen.exit).toMatchObject({ exitCode: 130 });
  return screen.history().join("\n");
}

test.each([
  ["while Hugo is asked what there is", "list --json"],
  ["while Hugo reads the package", "install magnus-opus --dry-run --json"],
  ["at the question", ""],
])("Ctrl-C %s ends it at once, and nothing was changed", async (_, waitsAt) => {
  await using project = await tmpProject({ files });
  const env = await withPrograms(project, waitsAt);
  const before = await project.tree();
  await using screen = await terminal([...program, "setup"], { cwd: project.dir, env, cols: 100, rows: 40 });
  if (waitsAt === "") await screen.waitFor("Set up all of this?", { deadline: 20_000 });
  else await atWork(project);
  screen.press("ctrl+c");
  expect(await screen.exit).toMatchObject({ exitCode: 130 });
  const said = screen.history().join("\n");
  expect(said).toContain("atomic: stopped before it finished\nNothing was changed.");
  expect(said).not.toMatch(/^ +at |failed/m);
  expect(await project.tree()).toEqual(before);
  expect(await project.exists("~/.local")).toBe(false);
});

test.each([
  ["asks you", "install magnus-opus", [] as const],
  ["was told yes", "install magnus-opus --yes --json", ["--yes"] as const],
])("Ctrl-C while Hugo installs and %s: the next setup or undo completes it", async (_, waitsAt, flags) => {
  await using project = await tmpProject({ files });
  const before = await project.tree();
  const run = async (...words: readonly string[]) => {
    const env = await withPrograms(project, "");
    return await project.run([...program, "setup", ...words], { env });
  };
  for (const next of ["--undo", "--yes"]) {
    const env = await withPrograms(project, waitsAt);
    const options = { cwd: project.dir, env, cols: 100, rows: 40 };
    await using screen = await terminal([...program, "setup", ...flags], options);
    if (flags.length === 0) {
      await screen.waitFor("Set up all of this?", { deadline: 20_000 });
      screen.type("y\r");
    }
    await atWork(project);
    screen.press("ctrl+c");
    expect(await screen.exit).toMatchObject({ exitCode: 130 });
    const said = screen.history().join("\n");
    expect(said).toContain("Run `atomic setup` again to continue, or `atomic setup --undo` to undo what was done.");
    expect(said).not.toMatch(/^ +at |failed/m);
    expect(await project.exists(".atomic/workflows")).toBe(false);
    expect(await project.json(".atomic/init/setup.json")).toMatchObject({ steps: ["hugo"] });
    expect(await run(next)).toMatchObject({ code: 0 });
    expect(await project.exists(".atomic/workflows/release.ts")).toBe(next === "--yes");
  }
  expect(await run("--undo")).toMatchObject({ code: 0 });
  expect(await project.tree()).toEqual(before);
  expect(await project.exists("~/.config/opencode/tui.json")).toBe(false);
  expect(await project.exists(".atomic")).toBe(false);
});

describe("Ctrl-C after the answer", () => {
  test.each([
    ["while Hugo adds its short command", "1 2", "setup --json"],
    ["at the question of Hugo", "2", "install magnus-opus"],
  ])("%s: nothing was changed, so nothing is left", async (_, answer, waitsAt) => {
    await using project = await tmpProject({ files });
    const before = await project.tree();
    const said = await interruptedAt(project, waitsAt, answer);
    expect(said).toContain("atomic: stopped before it finished\nNothing was changed.");
    expect(said).not.toContain("undo");
    expect(await project.exists(".atomic")).toBe(false);
    expect(await project.tree()).toEqual(before);
  });

  test.each([
    ["has installed it", '{"ok":true,"workflows":[{"name":"magnus-opus"}]}'],
    ["cannot say whether it has", '{"ok":false,"error":{"code":"lock-invalid","message":"?"}}'],
    ["does not answer any more", ""],
  ])("a Hugo that %s: it can be undone", async (_, listed) => {
    await using project = await tmpProject({ files: { ...files, "~/programs/hugo-pm.after": listed } });
    const said = await interruptedAt(project, "install magnus-opus", "2");
    expect(said).toContain("Run `atomic setup` again to continue, or `atomic setup --undo` to undo what was done.");
    expect(await project.json(".atomic/init/setup.json")).toMatchObject({ steps: ["magnus-opus"] });
  });
});

test("a terminal that can only print lines gets the same numbered parts, and every answer is typed", async () => {
  await using project = await tmpProject({ files });
  const env = { ...(await withPrograms(project, "")), TERM: "dumb" };
  await using screen = await terminal([...program, "setup"], { cwd: project.dir, env, cols: 80, rows: 40 });
  await screen.waitFor("Set up all of this? [y/N, or numbers such as 1 2]", { deadline: 20_000 });
  expect(screen.output).not.toContain("\x1b");
  for (const number of [1, 2, 3, 4]) expect(screen.history().join("\n")).toMatch(new RegExp(`^  ${number} \\+ `, "m"));
  screen.type("maybe\r");
  await screen.waitFor(/Type yes, no, or numbers from 1 to 4\.\nSet up all of this\?/);
  screen.type("4\r");
  expect(await screen.exit).toMatchObject({ exitCode: 0 });
  expect(screen.history().join("\n")).not.toContain("restart");
  expect(screen.history().filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
  expect(await project.exists(".atomic/workflows/release.ts")).toBe(true);
  expect(await project.exists("~/.config/opencode/tui.json")).toBe(false);
});

/** A folder that nobody may write to, the superuser included. */
const readOnly = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd . && shift && exec "$@"';
const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;
if (!mayMount) console.warn("skipped: read-only folders: this user may not mount file systems");

test.skipIf(!mayMount)(
  "a folder that may not be written is found before anything is, and so in a dry run",
  async () => {
    await using project = await tmpProject({ files: { ...files, "~/.config/opencode/tui.json": "{}\n" } });
    const env = await withPrograms(project, "");
    const before = await project.tree();
    const run = async (folder: string, ...words: readonly string[]) => {
      const argv = ["unshare", "-m", "sh", "-c", readOnly, "sh", folder, ...program, "setup", ...words];
      return await project.run(argv, { env });
    };
    const config = project.path("~/.config");
    const dry = await run(config, "--dry-run");
    expect(dry).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was changed.") });
    expect(dry.stdout).toContain(
      `✗ your runs inside OpenCode's terminal: would fail: ${config}/opencode cannot be written (EROFS)`,
    );
    const alone = { code: 3, stderr: expect.stringContaining("cannot be written (EROFS)") };
    expect(await run(config, "opencode", "--dry-run")).toMatchObject(alone);
    expect(await run(config, "opencode")).toMatchObject(alone);
    for (const flag of ["--dry-run", "--yes"])
      expect(await run(project.dir, flag)).toMatchObject({ code: 3, stderr: expect.stringContaining(project.dir) });
    expect(await project.tree()).toEqual(before);
    expect(await run(config, "--yes")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("+ a first workflow"),
    });
    expect(await run(config, "--undo")).toMatchObject({ code: 0 });
  },
);
