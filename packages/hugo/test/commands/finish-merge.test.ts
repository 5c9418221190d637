// Two branches that each installed something, and git cannot merge their lines in hugo.json.
import { expect, setDefaultTimeout, test } from "bun:test";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { enable } from "../../src/commands/enable.ts";
import { remove } from "../../src/commands/remove.ts";
import { verify } from "../../src/commands/verify.ts";
import { agent, copy, hugoIn, plugin, refusalOf } from "./hugo-project.ts";

setDefaultTimeout(120_000);

const common = { global: false, dryRun: false, yes: false };
const LOCK = ".opencode/hugo.json";
const notes = (version: string) => copy(version, { "agents/scribe.md": agent(`Notes ${version}.`) });
const zed = copy("1.0.0", { "agents/zed.md": agent("Zed.") }, "zed");

async function git(project: Project, ...words: string[]): Promise<number | null> {
  return (await project.run(["git", ...words])).code;
}

async function commit(project: Project): Promise<void> {
  await git(project, "add", "-A");
  expect(await git(project, "commit", "-q", "--allow-empty", "-m", "x")).toBe(0);
}

/** `mine` is checked out and has an unfinished merge of `theirs`. */
async function merging(registry: NpmRegistry, common: Step, mine: Step, theirs: Step): Promise<Project> {
  const project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await common(hugo);
  await commit(project);
  await git(project, "checkout", "-q", "-b", "theirs");
  await theirs(hugo);
  await commit(project);
  await git(project, "checkout", "-q", "-b", "mine", "HEAD~1");
  await project.remove(".opencode/.hugo");
  await mine(hugo);
  await commit(project);
  expect(await git(project, "merge", "theirs")).not.toBe(0);
  expect(await project.read(LOCK)).toContain("<<<<<<<");
  return project;
}

type Step = (hugo: ReturnType<typeof hugoIn>) => Promise<unknown>;
const nothing: Step = async () => undefined;

test("`hugo ci` keeps the workflows of both sides, and their files are still theirs", async () => {
  await using registry = await npmRegistry();
  registry.publish(notes("1.0.0"), zed);
  await using project = await merging(
    registry,
    nothing,
    (hugo) => hugo.install("zed"),
    (hugo) => hugo.install("@org/notes"),
  );
  const hugo = hugoIn(project);
  const refusal = await refusalOf(verify.run(hugo.context, { ...common, name: undefined }));
  expect(refusal).toMatchObject({ code: "lock-conflict", hint: expect.stringContaining("`hugo ci`") });
  const { workflows, notices } = await hugo.ci();
  expect(workflows.map(({ name }) => name)).toEqual(["notes", "zed"]);
  expect(notices).toContain(
    "hugo.json had an unfinished merge, which Hugo finished. From the other side, it added notes. Commit it with the merge.",
  );
  await commit(project);
  expect(verify.report.exitCode(await verify.run(hugo.context, { ...common, name: undefined }))).toBe(0);
  await remove.run(hugo.context, { ...common, name: ["notes"] });
  expect(await project.exists(".opencode/agents/scribe.md")).toBe(false);
  expect(await project.exists(".opencode/agents/zed.md")).toBe(true);
});

test("a linked worktree has its own merge", async () => {
  await using registry = await npmRegistry();
  registry.publish(notes("1.0.0"), zed);
  await using project = await merging(
    registry,
    nothing,
    (hugo) => hugo.install("zed"),
    (hugo) => hugo.install("@org/notes"),
  );
  await git(project, "merge", "--abort");
  expect(await git(project, "worktree", "add", "-q", "-b", "other", "linked", "mine")).toBe(0);
  expect(await git(project, "-C", "linked", "merge", "theirs")).not.toBe(0);
  const hugo = hugoIn(project, project.path("linked"));
  const { workflows } = await hugo.ci();
  expect(workflows.map(({ name }) => name)).toEqual(["notes", "zed"]);
});

test("a workflow that both sides changed stays as HEAD has it, which is said", async () => {
  await using registry = await npmRegistry();
  registry.publish(notes("1.0.0"), zed);
  const update = (to: string) => async (hugo: ReturnType<typeof hugoIn>) => {
    registry.publish(notes(to));
    await hugo.update(["notes"], { allowNew: true });
  };
  await using project = await merging(
    registry,
    (hugo) => hugo.install(["@org/notes", "zed"]),
    update("1.2.0"),
    async (hugo) => {
      await update("1.1.0")(hugo);
      await remove.run(hugo.context, { ...common, name: ["zed"] });
    },
  );
  await git(project, "checkout", "--ours", ".opencode/agents/scribe.md");
  const { workflows, notices } = await hugoIn(project).ci();
  expect(workflows.map(({ name, version }) => `${name} ${version}`)).toEqual(["notes 1.2.0"]);
  expect(notices).toContain(
    "Both sides changed notes: hugo.json keeps what HEAD has (v1.2.0), not the other side's (v1.1.0).",
  );
});

test("plugins of both sides are recorded, even while opencode.json is in conflict, too", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0", {}, "one"), plugin("1.0.0", {}, "two"));
  await using project = await merging(
    registry,
    nothing,
    (hugo) => hugo.install("one"),
    (hugo) => hugo.install("two"),
  );
  const hugo = hugoIn(project);
  const refusal = await refusalOf(hugo.ci());
  expect(refusal.at).toContain("opencode.json:");
  expect(refusal.hint).toContain("From the other side, it added two.");
  expect(Object.keys(((await project.json(LOCK)) as { workflows: object }).workflows)).toEqual(["one", "two"]);
  await git(project, "checkout", "--ours", "opencode.json");
  // Only the config says whether a plugin is loaded, so that is for you to say.
  const { differences } = await hugo.ci();
  expect(differences).toMatchObject([{ workflow: "two", hint: "hugo enable two, or hugo disable two" }]);
  await enable.run(hugo.context, { ...common, all: false, name: ["two"] });
  expect((await hugo.ci()).differences).toEqual([]);
});

test("a hugo.json that was committed with markers is refused, with what helps", async () => {
  await using registry = await npmRegistry();
  registry.publish(notes("1.0.0"), zed);
  await using project = await merging(
    registry,
    nothing,
    (hugo) => hugo.install("zed"),
    (hugo) => hugo.install("@org/notes"),
  );
  await commit(project);
  const before = await project.read(LOCK);
  const refusal = await refusalOf(hugoIn(project).ci());
  expect(refusal).toMatchObject({
    code: "lock-conflict",
    hint: expect.stringContaining("restore the file from a commit"),
  });
  expect(await project.read(LOCK)).toBe(before);
});
