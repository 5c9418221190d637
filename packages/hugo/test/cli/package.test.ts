// The package as it is published: packed, installed in another place, and run from there.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(120_000);

const packages = join(import.meta.dirname, "../../..");

/** Its frontmatter has an alias, which only a whole YAML parser reads. */
const notes = {
  "elsewhere/notes/package.json": { name: "notes", version: "1.0.0" },
  "elsewhere/notes/skills/release-notes/SKILL.md":
    "---\nname: &name release-notes\ndescription: *name\n---\nWrite release notes.\n",
};

async function pack(project: Project): Promise<string[]> {
  const bins = join(packages, "../node_modules/.bin");
  const env = { PATH: `${bins}:${process.env.PATH}` };
  const packed = await project.run(
    ["npm", "pack", "--json", "--pack-destination", project.dir, join(packages, "hugo")],
    { env },
  );
  expect({ code: packed.code, stderr: packed.code === 0 ? "" : packed.stderr }).toEqual({ code: 0, stderr: "" });
  return [...packed.stdout.matchAll(/"filename": "([^"]+\.tgz)"/g)].map(([, name = ""]) => project.path(name));
}

test("the package runs where it is installed, under the one name that it declares and on its own", async () => {
  await using project = await tmpProject({ git: false, files: { "elsewhere/package.json": "{}", ...notes } });
  const tarballs = await pack(project);
  const cwd = project.path("elsewhere");
  const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  const installed = await project.run(["npm", "install", ...options, ...tarballs], { cwd });
  expect({ code: installed.code, stderr: installed.stderr }).toEqual({ code: 0, stderr: "" });
  const { version } = await Bun.file(join(packages, "hugo/package.json")).json();
  expect(await Bun.file(join(cwd, "node_modules/.bin/hugo")).exists()).toBe(false);

  const hugo = (...argv: string[]) => project.run([join(cwd, "node_modules/.bin/hugo-pm"), ...argv], { cwd });
  expect((await hugo("--version")).stdout).toBe(`${version}\n`);
  expect(await hugo("list")).toMatchObject({ code: 0, stderr: "" });
  expect(await hugo("init", "mine")).toMatchObject({ code: 0 });
  const info = await hugo("info", "./notes", "--json");
  expect({ ...JSON.parse(info.stdout), code: info.code }).toMatchObject({ ok: true, code: 0 });
  expect(info.stdout).toContain("release-notes");
  const { code, stdout } = await hugo("help");
  expect({ code, usage: stdout.split("\n")[0] }).toEqual({ code: 0, usage: "Usage: npx hugo-pm <command> [options]" });
});

test("the package holds its program, its templates, and nothing else", async () => {
  await using project = await tmpProject({ git: false });
  const bins = join(packages, "../node_modules/.bin");
  const { stdout } = await project.run(["npm", "pack", "--json", "--dry-run", join(packages, "hugo")], {
    env: { PATH: `${bins}:${process.env.PATH}` },
  });
  const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  const places = new Set(
    files.map(({ path }: { path: string }) => path.replace(/^(dist\/bundle|templates|bin|probe)\/.*/, "$1")),
  );
  expect([...places].sort()).toEqual([
    "LICENSE",
    "README.md",
    "THIRD-PARTY-LICENSES",
    "bin",
    "dist/bundle",
    "package.json",
    "probe",
    "templates",
  ]);
});
