// `npm run release`: what it plans, what it refuses, and a whole release to a registry on this machine.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dirname, join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { applyPlan } from "../scripts/release/apply-plan.ts";
import { planRelease, type RepositoryState, releasedChangelog } from "../scripts/release/plan-release.ts";
import { publishPackages } from "../scripts/release/publish-packages.ts";

setDefaultTimeout(240_000);

const root = dirname(import.meta.dir);
const changelog = "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 – 2026-01-01\n\n- The first.\n";
const fit: RepositoryState = {
  currentVersion: "0.1.0",
  branch: "main",
  changedFiles: [],
  tags: ["v0.1.0"],
  changelog,
  manifests: {
    "package.json": '{ "devDependencies": { "@atomic/testing": "0.1.0", "bun": "0.1.0" } }',
    "packages/hugo/package.json": '{ "name": "hugo-pm", "version": "0.1.0" }',
    "packages/hugo/templates/workflow/package.json":
      '{ "version": "0.1.0", "dependencies": { "@atomic/workflows": "^0.1.0" } }',
    "packages/testing/runners/package.json": '{ "version": "0.1.0" }',
  },
  hasPlaceholderRepository: false,
  readme: "# Ours\n\nInstall it.\n",
  hasAuthor: true,
  today: "2026-11-17",
};

describe("the plan of a release", () => {
  const plan = planRelease("0.2.0", fit, "placeholder");

  test("numbers our packages and what depends on them, and nothing else", () => {
    expect(plan.problems).toEqual([]);
    const { "CHANGELOG.md": _changelog, ...manifests } = plan.files;
    expect(manifests).toEqual({
      "package.json": '{ "devDependencies": { "@atomic/testing": "0.2.0", "bun": "0.1.0" } }',
      "packages/hugo/package.json": '{ "name": "hugo-pm", "version": "0.2.0" }',
      "packages/hugo/templates/workflow/package.json":
        '{ "version": "0.1.0", "dependencies": { "@atomic/workflows": "^0.2.0" } }',
    });
  });

  test("gives the unreleased changes their version and day", () => {
    expect(releasedChangelog(changelog, "0.2.0", "2026-11-17")).toEqual({
      text: "# Changelog\n\n## Unreleased\n\n## 0.2.0 – 2026-11-17\n\n### Added\n\n- A thing.\n\n## 0.1.0 – 2026-01-01\n\n- The first.\n",
      notes: "### Added\n\n- A thing.",
    });
  });

  test("offers a prerelease under another tag than latest", () => {
    expect([plan.distTag, planRelease("0.2.0-beta.1", fit, "").distTag]).toEqual(["latest", "next"]);
  });

  const refused: readonly (readonly [string, string, Partial<RepositoryState>, string])[] = [
    ["a word", "soon", {}, '"soon" is not a version such as 1.2.3 or 1.2.3-beta.1.'],
    ["an older version", "0.0.9", {}, "0.0.9 is older than 0.1.0."],
    ["a prerelease of what is out", "0.1.0-rc.1", {}, "0.1.0-rc.1 is older than 0.1.0."],
    ["a version with a tag", "0.1.0", {}, "The tag v0.1.0 already exists: choose the next version."],
    ["no changes", "0.2.0", { changelog: "## Unreleased\n\n## 0.1.0\n\n- x\n" }, "nothing under Unreleased"],
    ["another branch", "0.2.0", { branch: "work" }, "Releases are made on main, not on work."],
    ["uncommitted files", "0.2.0", { changedFiles: ["a.ts"] }, "a.ts is not committed."],
    ["no author for the commit", "0.2.0", { hasAuthor: false }, "Git does not know who you are"],
    ["a repository that is a placeholder", "0.2.0", { hasPlaceholderRepository: true }, "placeholder"],
    [
      "a README that denies it",
      "0.2.0",
      { readme: "# Ours\n\nNot on npm yet: wait.\n" },
      'still says "Not on npm yet"',
    ],
  ];
  test.each(refused)("is refused for %s", (_what, version, change, problem) => {
    expect(planRelease(version, { ...fit, ...change }, "placeholder").problems.join("\n")).toContain(problem);
  });

  test("is tried on this machine only if it can be planned", () => {
    const plan = (change: Partial<RepositoryState>) => planRelease("0.2.0", { ...fit, ...change }, "placeholder");
    const elsewhere = plan({ branch: "work", changedFiles: ["a.ts"], hasPlaceholderRepository: true });
    expect(elsewhere).toMatchObject({ problems: expect.arrayContaining(["placeholder"]), dryRunProblems: [] });
    const tagged = "The tag v0.2.0 already exists: choose the next version.";
    expect(plan({ tags: ["v0.2.0"] })).toMatchObject({ problems: [tagged], dryRunProblems: [tagged] });
  });

  test("becomes one commit with a tag, and nothing is pushed", async () => {
    await using project = await tmpProject({ files: { ...fit.manifests, "CHANGELOG.md": changelog } });
    await project.run(["git", "config", "user.name", "Tester"]);
    await project.run(["git", "config", "user.email", "tester@example.test"]);
    await applyPlan(project.dir, plan);
    const { stdout } = await project.run(["git", "log", "-1", "--format=%s %D", "--name-only"]);
    expect(stdout).toStartWith("chore: release 0.2.0 HEAD -> ");
    expect(stdout).toContain("tag: v0.2.0");
    expect(stdout.trim().split("\n").slice(2)).toEqual(Object.keys(plan.files).toSorted());
    expect((await project.run(["git", "status", "--porcelain"])).stdout).toBe("");
  });
});

test("an interrupted release is continued, and a version is never published twice with other contents", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ git: false, registry });
  const tarball = async (name: string, text: string) => {
    await project.write(`${name}/package.json`, { name, version: "1.0.0" });
    await project.write(`${name}/index.js`, text);
    await project.run(["npm", "pack", "--pack-destination", project.dir], { cwd: name });
    const sizes = { fileCount: 2, packedBytes: 0, unpackedBytes: 0 };
    return { name, version: "1.0.0", file: project.path(`${name}-1.0.0.tgz`), ...sizes };
  };
  const [first, second] = [await tarball("first", "1"), await tarball("second", "2")];
  const said: string[] = [];
  const publishing = {
    distTag: "next",
    hasProvenance: false,
    env: project.env,
    say: (line: string) => said.push(line),
  };
  await publishPackages([first], publishing);
  await publishPackages([first, second], publishing);
  expect(said).toEqual([
    "first@1.0.0 published as next",
    "first@1.0.0 is already in the registry",
    "second@1.0.0 published as next",
  ]);
  expect((await project.run(["npm", "view", "second", "dist-tags", "--json"])).stdout).toContain('"next": "1.0.0"');
  const other = await tarball("first", "changed");
  expect(publishPackages([other], publishing)).rejects.toThrow("already in the registry, with other contents");
});

describe("npm run release", () => {
  beforeAll(() => bundlePackages("hugo-pm", "magnus-opus", "@atomic/cli", "@atomic/workflows"));

  test("--dry-run walks through all of it, with a version of its own, and changes nothing here", async () => {
    const before = Bun.spawnSync(["git", "status", "--porcelain"], { cwd: root }).stdout.toString();
    const { exitCode, stdout, stderr } = release("--dry-run", "0.9.0-test.1");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("chore: release 0.9.0-test.1 (HEAD -> ");
    expect(stdout).toContain("CHANGELOG.md");
    const published = [...stdout.matchAll(/^ {3}(\S+)@0\.9\.0-test\.1 published as next$/gm)].map(([, name]) => name);
    expect(published.slice(0, 2)).toEqual(["@atomic/workflows", "@atomic/cli"]);
    expect(published).toEqual(expect.arrayContaining(["hugo-pm", "magnus-opus"]));
    expect(stdout).toContain("npm publish hugo-pm-0.9.0-test.1.tgz --access public --tag next --provenance\n");
    for (const bin of ["atomic", "hugo-pm", "magnus-opus"]) expect(stdout).toContain(`   ${bin} 0.9.0-test.1\n`);
    // Before the time that the rest takes.
    expect(stdout).toStartWith("A real release is refused until this is fixed:\n- ");
    expect(stdout.slice(0, stdout.indexOf("dry run"))).toContain('"repository.url" is still a placeholder');
    expect(stdout.slice(0, stdout.indexOf("dry run"))).toContain('README.md still says "Not on npm yet"');
    expect(Bun.spawnSync(["git", "status", "--porcelain"], { cwd: root }).stdout.toString()).toBe(before);
    expect(Bun.spawnSync(["git", "tag", "--list", "v0.9*"], { cwd: root }).stdout.toString()).toBe("");
  });

  test.each([
    [["0.2.0"], 1, "is still a placeholder", "Nothing was changed."],
    [["0.2.0"], 1, 'README.md still says "Not on npm yet"', "Nothing was changed."],
    [["--publish"], 1, 'README.md still says "Not on npm yet"', "Nothing was built or published."],
    [["--publish"], 1, "Only a hosted runner publishes", "Nothing was built or published."],
    [["--dry-run", "soon"], 1, '"soon" is not a version', "Nothing was built."],
    [["--dry-run", "0.0.1"], 1, "0.0.1 is older than 0.1.0.", "Nothing was built."],
    [["--nonsense"], 2, "--nonsense", "npm run release -- --dry-run"],
    [[], 2, "", "npm run release -- --dry-run"],
    [["0.2.0", "0.3.0"], 2, "", "npm run release -- --dry-run"],
  ])("%j is refused", (args, exitCode, what, next) => {
    const result = release(...args);
    expect({ ...result, stderr: "" }).toEqual({ exitCode, stdout: "", stderr: "" });
    expect(result.stderr).toContain(what);
    expect(result.stderr).toContain(next);
  });
});

function release(...args: readonly string[]): { exitCode: number; stdout: string; stderr: string } {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: _hosted, ...env } = process.env;
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, join("scripts", "release.ts"), ...args], {
    cwd: root,
    env,
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}
