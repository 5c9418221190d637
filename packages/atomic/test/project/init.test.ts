import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { formatReport, sweep, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { type Project, tmpProject } from "@atomic/testing/project";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { atomic } from "../atomic.ts";
import { build, runtimes } from "../program.ts";

setDefaultTimeout(120_000);

const [node] = runtimes;
const first = ".atomic/workflows/release.ts";
const created = [".atomic/entity-names.d.ts", ".atomic/tsconfig.json", first, "package.json"];
const own = (project: Project): Promise<string[]> =>
  project.tree().then((files) => files.filter((file) => !file.startsWith(".atomic/init/")));

/** Every file with its text. */
function contents(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => !each.isDirectory());
  const all = entries.map((each) => {
    const path = join(each.parentPath, each.name);
    return [relative(folder, path), each.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "utf8")] as const;
  });
  return Object.fromEntries(all.filter(([path]) => !path.startsWith(".git/")).toSorted());
}

test("in an empty folder everything is created, and a second run changes nothing and says so", async () => {
  await using project = await tmpProject({ git: false });
  const { code, stdout, stderr } = await atomic(project, ["init"]);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: `Set up this folder:
  + .atomic/workflows/release.ts  a first workflow
  + .atomic/entity-names.d.ts     names as types
  + .atomic/tsconfig.json         for your editor
  + package.json                  devDependencies, for your editor and CI: @atomic/cli, @atomic/workflows, @types/node
`,
    stderr: `
Next:
  npm install
  npx atomic graph release
  npx atomic run release 1.4.0 --host scripted
`,
  });
  expect(await own(project)).toEqual(created);
  const before = contents(project.dir);
  expect((await atomic(project, ["init"])).stdout).toStartWith("This folder is set up; nothing was changed:\n  = ");
  expect(contents(project.dir)).toEqual(before);
  const kept = JSON.parse((await atomic(project, ["init", "--json"])).stdout);
  expect(kept).toMatchObject({ ok: true, project: project.dir, dryRun: false });
  expect(kept.files.map(({ did }: { did: string }) => did)).toEqual(["kept", "kept", "kept", "kept"]);
});

test("a dry run shows the same and writes nothing", async () => {
  await using project = await tmpProject({ git: false, files: { "tsconfig.json": "{} // mine\n" } });
  const before = contents(project.dir);
  const { stdout, stderr } = await atomic(project, ["init", "new one", "--dry-run"]);
  expect({ title: stdout.split("\n")[0], stderr }).toEqual({
    title: "Would set up new one:",
    stderr: "Nothing was written.\n",
  });
  expect((await atomic(project, ["init", "--dry-run"])).stdout).toContain(
    "tsconfig.json stays as it is: it also compiles",
  );
  expect(contents(project.dir)).toEqual(before);
});

test("an existing project keeps its files, their comments and their formatting", async () => {
  const tsconfig = `{
  /* Next.js wrote this. */
  "compilerOptions": { "noEmit": true, "skipLibCheck": true, "module": "esnext", "moduleResolution": "bundler" },
  "include": ["next-env.d.ts", "**/*.ts"], // keep
}
`;
  const release = "// my own\n";
  const files = {
    "tsconfig.json": tsconfig,
    [first]: release,
    "package.json": '{\n\t"name": "shop"\n}',
    "yarn.lock": "",
  };
  await using project = await tmpProject({
    files: { ...files, ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: x\n---\n" },
  });
  const { stdout, stderr } = await atomic(project, ["init"], { cwd: ".claude/agents" });
  expect(stdout).toBe(`Set up ../..:
  = .atomic/workflows          has workflows already
  + .atomic/entity-names.d.ts  names as types
  ~ tsconfig.json              includes .atomic
  ~ package.json               devDependencies, for your editor and CI: @atomic/cli, @atomic/workflows, @types/node
`);
  expect(stderr).toContain("\n  yarn install\n  yarn atomic graph release\n");
  expect(await project.read(first)).toBe(release);
  expect(await project.read("tsconfig.json")).toBe(tsconfig.replace('"**/*.ts"]', '"**/*.ts", ".atomic/**/*"]'));
  expect(await project.read("package.json")).toStartWith(
    '{\n\t"name": "shop",\n\t"devDependencies": {\n\t\t"@atomic/cli": "^',
  );
  expect(await project.read(".atomic/entity-names.d.ts")).toContain('readonly agent:\n      | "reviewer";');
});

test("in a monorepo, a package is set up with what the root has", async () => {
  await using project = await tmpProject({
    files: {
      "package.json": { workspaces: ["packages/*"], devDependencies: { "@atomic/cli": "^0.1.0" } },
      "pnpm-lock.yaml": "",
      "tsconfig.base.json": { compilerOptions: { noEmit: true, skipLibCheck: true, module: "preserve" } },
      "packages/app/package.json": { name: "app" },
      "packages/app/tsconfig.json": { extends: "../../tsconfig.base", include: ["src"] },
      "packages/app/src/index.ts": "",
      ".claude/agents/root.md": "---\nname: root\ndescription: x\n---\n",
    },
  });
  const { stdout, stderr } = await atomic(project, ["init"], { cwd: "packages/app/src" });
  expect(stdout).toMatch(
    /~ package\.json +devDependencies, for your editor and CI: @atomic\/workflows, @types\/node\n/,
  );
  expect(stderr).toContain("\n  pnpm install\n  pnpm exec atomic graph release\n");
  expect(await project.read("packages/app/.atomic/entity-names.d.ts")).toContain('| "root";');
  expect(await project.json("packages/app/tsconfig.json")).toMatchObject({ include: ["src", ".atomic/**/*"] });
  const outside = (await own(project)).filter((file) => !file.startsWith("packages/app/"));
  expect(outside).toEqual([".claude/agents/root.md", "package.json", "pnpm-lock.yaml", "tsconfig.base.json"]);
  const other = JSON.parse((await atomic(project, ["init", "packages/other one", "--json"])).stdout);
  expect(other.next.slice(0, 2)).toEqual(["cd 'packages/other one'", "pnpm install"]);
});

test.each([
  ["a package.json that does not parse", { "package.json": '{\n  "name": x\n}' }, ["init"], "package.json:2:11"],
  ["a tsconfig.json that does not parse", { "tsconfig.json": "{ nonsense" }, ["init"], "tsconfig.json:1:3"],
  ["a file in place of the folder", { here: "x" }, ["init", "here"], "here is not a folder"],
  ["the home folder", {}, ["init", "../home"], "../home is your home folder"],
  [
    "another file of names",
    { ".atomic/entity-names.d.ts": "export {};" },
    ["init"],
    "is not a file that `atomic types` wrote",
  ],
])("%s is refused, and nothing is written", async (_what, files, argv, said) => {
  await using project = await tmpProject({ git: false, files });
  const before = contents(project.dir);
  const { code, stdout, stderr } = await atomic(project, argv);
  expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: "", stderr: expect.stringContaining(said) });
  expect(contents(project.dir)).toEqual(before);
});

test("a link that leads out of the project is not followed", async () => {
  await using project = await tmpProject({ git: false });
  mkdirSync(project.path("~/elsewhere"));
  symlinkSync(project.path("~/elsewhere"), project.path(".atomic"));
  const { code, stderr } = await atomic(project, ["init"]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(".atomic is a link to ") });
  expect(lstatSync(project.path(".atomic")).isSymbolicLink()).toBe(true);
  expect(await project.exists("package.json")).toBe(false);
});

test("a linked package.json is named, and nothing is created", async () => {
  await using project = await tmpProject({ git: false, files: { "~/shared.json": "{}\n" } });
  symlinkSync(project.path("~/shared.json"), project.path("package.json"));
  const { code, stderr } = await atomic(project, ["init"]);
  expect(await atomic(project, ["init", "--dry-run"])).toMatchObject({ code, stderr });
  expect(code).toBe(3);
  expect(stderr.replaceAll(/\s+/g, " ")).toBe(
    `atomic: ${project.path("package.json")} is a link to ${project.path("~/shared.json")}, which is not in the project Replace the link with a file or folder of the project, then run the command again. Nothing was changed. `,
  );
  expect(readdirSync(project.dir)).toEqual(["package.json"]);
  expect(await project.read("~/shared.json")).toBe("{}\n");
});

test.each(["file", "link"])("a %s in place of .atomic/workflows is one clear error", async (kind) => {
  await using project = await tmpProject({ git: false, files: { ".atomic/keep": "" } });
  const workflows = project.path(".atomic/workflows");
  if (kind === "file") await project.write(".atomic/workflows", "x");
  else symlinkSync("gone", workflows);
  for (const argv of [["init"], ["init", "--dry-run"]]) {
    const { code, stderr } = await atomic(project, argv);
    const what = kind === "file" ? "a file" : "a link to a folder that does not exist";
    expect({ code, stderr: stderr.replaceAll(/\s+/g, " ") }).toEqual({
      code: 3,
      stderr: `atomic: .atomic/workflows is ${what}, and Atomic needs a folder of this name at ${workflows} Move the ${kind} somewhere else, then run the command again. Nothing was changed. `,
    });
  }
  expect(await project.exists("package.json")).toBe(false);
});

test.each(["init", "init --dry-run", "types"])("a file called .atomic is one clear error of %s", async (command) => {
  await using project = await tmpProject({ git: false, files: { ".atomic": "x" } });
  const { code, stderr } = await atomic(project, command.split(" "));
  expect({ code, stderr: stderr.replaceAll(/\s+/g, " ") }).toEqual({
    code: 3,
    stderr: `atomic: ${project.path(".atomic")} is a file, and Atomic needs a folder of this name Move the file somewhere else, then run the command again. Nothing was changed. `,
  });
  expect(await project.read(".atomic")).toBe("x");
});

test.each([
  ["tsconfig.json", { "tsconfig.json": "{ x" }, /tsconfig\.json:1:3: /],
  [
    "a tsconfig.json that it extends",
    { "tsconfig.json": '{ "extends": "./b.json" }', "b.json": "{ x" },
    /b\.json:1:3: /,
  ],
  ["package.json", { "package.json": "{ x" }, /package\.json:1:3: /],
])("a broken %s is named, and nothing is created", async (_, files, place) => {
  await using project = await tmpProject({ git: false, files });
  const { code, stdout, stderr } = await atomic(project, ["init"]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toMatch(place);
  expect(stderr).toEndWith("\nFix the file at this position, then try again. Nothing was changed.\n");
  expect(await own(project)).toEqual(Object.keys(files).toSorted());
});

test("a misspelled option gets a suggestion", async () => {
  await using project = await tmpProject({ git: false });
  const { code, stderr } = await atomic(project, ["init", "--dry-rn"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("(did you mean --dry-run?)") });
});

/** A read-only project, for the superuser as well. */
const readOnly = `mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" && cd "$PWD" && exec "$@"`;
const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;
if (!mayMount) console.warn("skipped: a read-only project: this user may not mount file systems");

test.skipIf(!mayMount)("in a read-only project the message says so", async () => {
  await build();
  await using project = await tmpProject();
  for (const command of ["init", "types"]) {
    const argv = ["unshare", "-m", "sh", "-c", readOnly, "sh", ...(node?.command ?? []), command];
    const { code, stdout, stderr } = await project.run(argv);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr.replaceAll(/\s+/g, " ")).toBe(
      `atomic: ${project.dir} cannot be written (EROFS) Make the project writable, then run the command again. Nothing was changed. `,
    );
  }
});

faultTest("killed at any moment, the next run makes it whole", async () => {
  await build();
  await using folder = await temporaryFolder();
  const project = join(folder.path, "shop ü");
  const [home, before] = [
    join(folder.path, "home"),
    { "package.json": '{ "name": "shop" }\n', "tsconfig.json": "{}\n" },
  ];
  const prepare = async (): Promise<void> => {
    rmSync(project, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    for (const [path, text] of Object.entries(before)) await Bun.write(join(project, path), text);
  };
  const ours = (): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(contents(project)).filter(([path]) => !path.startsWith(".atomic/init/")));
  const command = [...(node?.command ?? []), "init"];
  const env = { HOME: home };
  await prepare();
  expect(spawnSync(command[0] ?? "", command.slice(1), { cwd: project, env: { ...process.env, ...env } }).status).toBe(
    0,
  );
  const whole = ours();
  expect(Object.keys(whole)).toEqual([...created, "tsconfig.json"]);
  const torn: string[] = [];
  const report = await sweep({
    ...{ under: project, cwd: project, command, env, prepare },
    recover: () => {
      // Until then it is as before, or a change that is recorded.
      const isAsBefore = Bun.deepEquals(ours(), before);
      const isRecorded = Object.keys(contents(project)).some((path) => path.startsWith(".atomic/init/transaction."));
      if (!isAsBefore && !isRecorded && !Bun.deepEquals(ours(), whole)) torn.push(Object.keys(ours()).join());
      const again = spawnSync(command[0] ?? "", command.slice(1), { cwd: project, env: { ...process.env, ...env } });
      if (again.status !== 0) torn.push(again.stderr.toString());
    },
    check: () => (Bun.deepEquals(ours(), whole) ? undefined : `the project has ${Object.keys(ours()).join(", ")}`),
    points: sweepPoints({ max: 6 }),
    ...(process.env.SWEEP !== "full" && { faults: ["kill"] }),
  });
  expect(report.failures, formatReport(report)).toEqual([]);
  expect(torn).toEqual([]);
});
