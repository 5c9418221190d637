import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { diff } from "../../src/commands/diff.ts";
import { health } from "../../src/commands/health.ts";
import { list } from "../../src/commands/list.ts";
import { remove } from "../../src/commands/remove.ts";
import { verify } from "../../src/commands/verify.ts";
import { agent, copy, hugoIn, plugin, refusalOf } from "./hugo-project.ts";

setDefaultTimeout(180_000);

const skill = (name: string, text = "Reads."): string => `---\nname: ${name}\ndescription: Helps\n---\n\n${text}\n`;
const common = { global: false, dryRun: false, yes: false };

describe("two repositories with one name", () => {
  test("live side by side, and each is updated, verified and removed on its own", async () => {
    await using first = await gitRepo({ name: "skills", files: { "skills/pdf/SKILL.md": skill("pdf") } });
    await using second = await gitRepo({ name: "skills", files: { "skills/docx/SKILL.md": skill("docx") } });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    await hugo.install(first.packageUrl);
    const lock = await project.read(".opencode/hugo.json");
    for (const force of [false, true]) {
      const error = await refusalOf(hugo.install(second.packageUrl, { force }));
      expect([error.code, error.exitCode]).toEqual(["name-taken", 3]);
      expect(error.message).toBe(
        `Workflow name "skills" conflicts with already-installed workflow from ${first.packageUrl}.`,
      );
      expect(error.hint).toContain(`hugo install ${second.packageUrl} --as `);
      expect(error.hint).toContain(`hugo install ${second.packageUrl} --replace`);
    }
    expect(await project.read(".opencode/hugo.json")).toBe(lock);

    const { workflows } = await hugo.install(second.packageUrl, { as: "office" });
    expect(workflows).toMatchObject([{ name: "office", package: "skills", source: second.packageUrl }]);
    expect(await project.tree(".opencode/skills")).toEqual(["docx/SKILL.md", "pdf/SKILL.md"]);
    // Without --as it is still known by its source.
    const again = await refusalOf(hugo.install(second.packageUrl));
    expect([again.code, again.message]).toEqual([
      "already-installed",
      expect.stringContaining('"office" is already installed'),
    ]);
    expect((await hugo.install(second.packageUrl, { force: true })).workflows).toMatchObject([{ name: "office" }]);

    await second.commit({ files: { "skills/docx/SKILL.md": skill("docx", "Writes.") } });
    const { updated, current } = await hugo.update();
    expect([updated.map(({ name }) => name), current.map(({ name }) => name)]).toEqual([["office"], ["skills"]]);
    await project.remove(".opencode/.hugo");
    await hugo.ci();
    const verified = await verify.run(hugo.context, { ...common, name: undefined });
    expect(verify.report.exitCode(verified)).toBe(0);
    await remove.run(hugo.context, { ...common, name: ["skills"] });
    expect(await project.tree(".opencode/skills")).toEqual(["docx/SKILL.md"]);
  });

  test("replace each other only if that is asked for, and the report says so", async () => {
    await using first = await gitRepo({ name: "skills", files: { "skills/pdf/SKILL.md": skill("pdf") } });
    await using second = await gitRepo({ name: "skills", files: { "skills/docx/SKILL.md": skill("docx") } });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    await hugo.install(first.packageUrl);
    const { notices } = await hugo.install(second.packageUrl, { replace: true });
    expect(notices).toContain(`skills replaces the workflow of that name from ${first.packageUrl}.`);
    expect(hugo.asked).toHaveLength(2);
    expect(await project.tree(".opencode/skills")).toEqual(["docx/SKILL.md"]);
    expect(JSON.parse(await project.read(".opencode/hugo.json")).workflows.skills.source).toBe(second.packageUrl);
  });

  test("may both be plugins: each keeps its own entry", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/review");
    await project.write(
      "mine/review/package.json",
      '{ "name": "@org/review", "version": "2.0.0", "main": "index.js" }',
    );
    await project.write("mine/review/workflow.json", "{}");
    await project.write("mine/review/index.js", 'export default { id: "mine", server: async () => ({}) };\n');
    await hugo.install("./mine/review", { as: "mine" });
    const { plugin: entries } = JSON.parse(await project.read("opencode.json")) as { plugin: string[] };
    const inStore = (name: string): string =>
      expect.stringMatching(new RegExp(`\\.hugo/store/${name}-[0-9a-f]{16}/node_modules/@org/review$`));
    expect(entries).toEqual([inStore("review"), inStore("mine")]);
    const { workflows } = await list.run(hugo.context, { ...common, name: undefined });
    expect(workflows).toMatchObject([
      { name: "mine", enabled: true, version: "2.0.0" },
      { name: "review", enabled: true, version: "1.0.0" },
    ]);
    await remove.run(hugo.context, { ...common, name: ["mine"] });
    expect(JSON.parse(await project.read("opencode.json")).plugin).toEqual([inStore("review")]);
  });

  test("a name that no workflow can have is refused", async () => {
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    expect((await refusalOf(hugo.install("./x", { as: "../x" }))).code).toBe("name-invalid");
    const error = await refusalOf(hugo.install(["./x", "./y"], { as: "z" }));
    expect(error.message).toBe("--as gives one package a name, but several packages were requested");
  });
});

describe("a package under a prefix", () => {
  const files = {
    "agents/reviewer.md": agent("Uses the `review-notes` skill."),
    "commands/review.md": "---\nagent: reviewer\n---\nAsk @reviewer. Read agents/reviewer.md.\n",
    "skills/review-notes/SKILL.md": skill("review-notes"),
  };

  test("gets other names in OpenCode, which stay over updates and clones", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", files));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    const { workflows } = await hugo.install("@org/notes", { prefix: "acme" });
    expect(workflows).toMatchObject([
      { agents: ["acme-reviewer"], commands: ["acme-review"], skills: ["acme-review-notes"] },
    ]);
    expect(await project.read(".opencode/skills/acme-review-notes/SKILL.md")).toBe(skill("acme-review-notes"));
    // A command keeps its agent; prose is left alone, and what it refers to is noted.
    const command = files["commands/review.md"].replace("agent: reviewer", "agent: acme-reviewer");
    expect(await project.read(".opencode/commands/acme-review.md")).toBe(command);
    expect(workflows[0]?.translated.map(({ at, message }) => `${at}: ${message}`)).toEqual([
      'agents/reviewer.md:6:11: It refers to "review-notes", which is installed as "acme-review-notes"',
      'commands/review.md:4:6: It refers to "reviewer", which is installed as "acme-reviewer"',
    ]);

    registry.publish(copy("1.1.0", { ...files, "commands/notes.md": "Notes.\n" }));
    await hugo.update([], { allowNew: true });
    expect(await project.tree(".opencode/commands")).toEqual(["acme-notes.md", "acme-review.md"]);
    await project.remove(".opencode/.hugo");
    await project.remove(".opencode/agents");
    await hugo.ci();
    expect(await project.tree(".opencode/agents")).toEqual(["acme-reviewer.md"]);
    const verified = await verify.run(hugo.context, { ...common, name: undefined });
    expect(verify.report.exitCode(verified)).toBe(0);
    expect((await diff.run(hugo.context, { ...common, name: undefined })).files).toEqual([]);
    // A reinstallation keeps it, too.
    await hugo.install("@org/notes", { force: true, allowNew: true });
    expect(await project.tree(".opencode/commands")).toEqual(["acme-notes.md", "acme-review.md"]);
  });

  test("is selected by its own names", async () => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", files));
    await using project = await tmpProject({ registry });
    await hugoIn(project).install("@org/notes", { prefix: "acme", select: "reviewer" });
    expect(await project.tree(".opencode/agents")).toEqual(["acme-reviewer.md"]);
    expect(JSON.parse(await project.read(".opencode/hugo.json")).workflows.notes).toMatchObject({
      prefix: "acme",
      selection: ["agents/acme-reviewer"],
    });
  });

  test("and with a selection: the next command has what was typed, and works", async () => {
    const files = { "skills/pdf/SKILL.md": skill("pdf"), "skills/xlsx/SKILL.md": skill("xlsx") };
    await using repo = await gitRepo({ name: "skills", files });
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    const { packageUrl: url } = repo;
    await hugo.install(url, { select: "pdf", prefix: "acme" });
    const { hint } = await refusalOf(hugo.install(url, { select: "xls?", prefix: "acme" }));
    expect(hint).toBe(
      `To install it with these options instead: \`hugo install --force ${url} --select 'xls?' --prefix acme\`. To add to what you have selected: \`hugo install --force ${url} --select 'skills/pdf,xls?' --prefix acme\`.`,
    );
    await hugo.install(url, { force: true, select: "skills/pdf,xls?", prefix: "acme" });
    expect(await project.tree(".opencode/skills")).toEqual(["acme-pdf/SKILL.md", "acme-xlsx/SKILL.md"]);
    // Another package of this name.
    await using other = await gitRepo({ name: "skills", files });
    const taken = await refusalOf(hugo.install(other.packageUrl, { select: "pdf", prefix: "b" }));
    expect(taken.hint).toContain(`${other.packageUrl} --select pdf --prefix b --as `);
    expect(taken.hint).toContain(`${other.packageUrl} --select pdf --prefix b --replace`);
  });

  test.each([
    [{ select: "," }, "no-workflow", "--select names nothing"],
    [{ select: "" }, "no-workflow", "--select names nothing"],
    [{ prefix: "A" }, "name-invalid", '"A" is not a prefix'],
  ])("is checked before anything else: %j", async (options, code, message) => {
    await using registry = await npmRegistry();
    registry.publish(copy("1.0.0", files));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    await hugo.install("@org/notes");
    const requests = registry.requests.length;
    const refused = await refusalOf(hugo.install("@org/notes", options));
    expect(refused).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(registry.requests.length).toBe(requests);
  });

  test("is refused for a plugin, whose code has the names, and for a bad prefix", async () => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"), copy("1.0.0", files));
    await using project = await tmpProject({ registry });
    const hugo = hugoIn(project);
    expect((await refusalOf(hugo.install("@org/review", { prefix: "acme" }))).message).toContain("is a plugin");
    expect((await refusalOf(hugo.install("@org/notes", { prefix: "Acme_" }))).code).toBe("name-invalid");
  });
});

describe("files with the same content", () => {
  test("are not a collision, in another workflow or with -g", async () => {
    await using project = await tmpProject();
    const hugo = hugoIn(project);
    const shared = { "agents/shared.md": agent("Shared."), "skills/pdf/SKILL.md": skill("pdf") };
    for (const name of ["one", "two"])
      for (const [path, text] of Object.entries(shared)) await project.write(`${name}/${path}`, text);
    await hugo.install("./one");
    expect((await hugo.install("./two")).workflows[0]?.collisions).toEqual([]);
    await hugo.install("./one", { global: true });
    const { workflows } = await health.run(hugo.context, { ...common, name: undefined, all: false, static: true });
    expect(workflows.flatMap(({ findings }) => findings.filter(({ code }) => code === "collision"))).toEqual([]);
    // The control: with another content, it is one.
    await project.write("two/agents/other.md", agent("Other."));
    await project.write("~/.config/opencode/agents/other.md", agent("Yours."));
    expect((await hugo.install("./two", { force: true })).workflows[0]?.collisions).toMatchObject([{ name: "other" }]);
  });
});
