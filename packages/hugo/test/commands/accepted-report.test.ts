// `--yes=<hash>` accepts exactly one report, for scripts and pipelines.
import { expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { printLock } from "@atomic/workflows/internal/hugo-lock/lock";
import { commands } from "../../src/commands.ts";
import type { Approval } from "../../src/context.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { reportHash } from "../../src/report-hash.ts";
import { hugo } from "../cli/hugo.ts";
import { agent, copy, plugin } from "./hugo-project.ts";
import { copiedWorkflow } from "./workspace.ts";

const notes = { "agents/scribe.md": agent("Write."), "commands/note.md": "Note: !`git log -1`\n" };
const code = "export const Plugin = async () => ({});\n";
const locked = { ...copiedWorkflow("notes", {}), tree: hashOf("") };
const HASH = /--yes=([0-9a-f-]+)\n/;

/** Hugo in a project, at the end of a pipe. */
async function run({ dir: cwd, home, env }: Project, words: string, more: object = {}) {
  const around = { table: commands, cwd, home, env: { ...env, HUGO_MINIMUM_RELEASE_AGE: "0" }, ...more };
  return await hugo(words.split(" "), around);
}

test("a dry run prints the hash of its report, and --yes with that hash installs exactly that", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const dry = await run(project, "install @org/notes --dry-run");
  const [, hash = ""] = HASH.exec(dry.stderr) ?? [];
  expect(hash).not.toBe("");
  expect(JSON.parse((await run(project, "install @org/notes --dry-run --json")).stdout)).toMatchObject({
    workflows: [{ report: hash }],
  });
  expect(dry.stderr).toContain(`To accept exactly this report in a script: --yes=${hash}\n`);
  const installed = await run(project, `install @org/notes --yes=${hash}`);
  expect({ code: installed.code, first: installed.stdout.split("\n")[0] }).toEqual({
    code: 0,
    first: 'Installed workflow "notes" v1.0.0 (1 agent, 1 command)',
  });
  // What was accepted needs no second hash.
  expect(installed.stderr).not.toContain("To accept");
});

test.each<[string, object, string]>([
  ["another version", { version: "1.0.1", files: notes }, "the package"],
  [
    "more to do",
    { version: "1.0.1", files: { ...notes, "commands/x.md": "!`env`\n" } },
    "the package, what arrives in OpenCode, what it can do",
  ],
])("%s than the accepted report is refused, with both hashes and what changed", async (_, change, changed) => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const [, hash = ""] = HASH.exec((await run(project, "install @org/notes --dry-run")).stderr) ?? [];
  const { version, files } = change as { version: string; files: Record<string, string> };
  registry.publish(copy(version, files));
  const before = await project.tree();
  const refused = await run(project, `install @org/notes --yes=${hash}`);
  const now = HASH.exec((await run(project, "install @org/notes --dry-run")).stderr)?.[1];
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(`differs from the report that --yes accepts: ${changed}\n`);
  expect(refused.stderr).toContain(`Accepted: ${hash}. This report: ${now}.`);
  expect(now).not.toBe(hash);
  expect(await project.tree()).toEqual(before);
});

test("what changes around the package is a change of the notes", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const [, hash = ""] = HASH.exec((await run(project, "install @org/notes --dry-run")).stderr) ?? [];
  await project.write(".opencode/command/note.md", "Mine.\n");
  const refused = await run(project, `install @org/notes --yes=${hash}`);
  expect(refused.stderr).toContain("differs from the report that --yes accepts: the notes");
});

test("an update that can do more takes the hash of its own report, among others", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes), plugin("1.0.0"));
  await using project = await tmpProject({ registry });
  const both = await run(project, "install @org/notes @org/review --dry-run");
  const hashes = /these reports in a script: --yes=([0-9a-f,-]+)\n/.exec(both.stderr)?.[1] ?? "";
  expect(hashes.split(",")).toHaveLength(2);
  expect((await run(project, `install @org/notes @org/review --yes=${hashes}`)).code).toBe(0);
  registry.publish(copy("1.1.0", { ...notes, "commands/note.md": "Note: !`env`\n" }), plugin("1.1.0"));
  const stale = await run(project, `update --yes=${hashes}`);
  expect(stale.code).toBe(4);
  expect(stale.stderr).toContain("differs from the report that --yes accepts: ");
  expect(stale.stderr).toContain("  shell        env (commands/note.md)\n");
  const [, hash = ""] = HASH.exec((await run(project, "update --dry-run")).stderr) ?? [];
  expect((await run(project, `update --yes=${hash}`)).code).toBe(0);
});

test("--yes does not print the hash of what it has just accepted", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes), plugin("1.0.0"));
  await using project = await tmpProject({ registry });
  const piped = await run(project, "install @org/notes --yes");
  expect({ code: piped.code, isPrinted: HASH.test(piped.stderr) }).toEqual({ code: 0, isPrinted: false });
  const there = await run(project, "install @org/review --yes", { columns: 80, answers: [] });
  expect({ code: there.code, isPrinted: HASH.test(there.stderr) }).toEqual({ code: 0, isPrinted: false });
});

test("a refusal without a terminal shows the report, as text and as JSON", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const refused = await run(project, "install @org/notes");
  expect(refused.code).toBe(4);
  const report = refused.stderr.slice(0, refused.stderr.indexOf("hugo: "));
  expect(report).toStartWith(
    "Install notes v1.0.0 from @org/notes\n  1 agent, 1 command, copied to OpenCode's folders.\n",
  );
  expect(report).toContain("  shell        git log -1 (commands/note.md)\n");
  const { stdout, stderr } = await run(project, "install @org/notes --json");
  const { error } = JSON.parse(stdout);
  expect([error.code, error.report]).toEqual(["not-approved", expect.stringMatching(/^[0-9a-f]{64}-/)]);
  expect(error.capabilities).toContainEqual({ kind: "shell", subject: "commands/note.md", detail: "git log -1" });
  expect({ first: error.notices[0], stderr }).toEqual({
    first: "1 agent, 1 command, copied to OpenCode's folders.",
    stderr: "",
  });
  // The printed hash is the one that works.
  expect((await run(project, `install @org/notes --yes=${error.report}`)).code).toBe(0);
});

test("an update that only loads new code shows which code, as text and as JSON", async () => {
  await using registry = await npmRegistry();
  const manifest = { main: "i.js", type: "module", engines: { opencode: "*" } };
  const plain = (version: string) => ({
    name: "helper",
    version,
    manifest,
    files: { "i.js": `// ${version}\n${code}` },
  });
  registry.publish(plain("1.0.0"));
  await using project = await tmpProject({ registry, env: { HUGO_OPENCODE: "/not/there/opencode" } });
  expect((await run(project, "install helper --yes")).code).toBe(0);
  registry.publish(plain("1.1.0"));
  const refused = await run(project, "update helper");
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("  helper: code changed: i.js (+1 −1)\n");
  expect(refused.stderr.replace(/\s+/g, " ")).toContain(
    "Review the changes (`hugo update helper --dry-run` shows them again), then run `hugo update helper --yes`.",
  );
  const { failed } = JSON.parse((await run(project, "update helper --json")).stdout);
  expect(failed[0].notices).toContain("helper: code changed: i.js (+1 −1)");
  expect(failed[0].report).toMatch(/^[0-9a-f]{64}-/);
});

test.each([
  "--yes=",
  "--yes=abc",
  "--yes=true",
  `--yes=${"a".repeat(64)}`,
  `--yes=${"a".repeat(64)}-1-2-3-4`,
  `--yes=${"a".repeat(64)}-1111-2222-3333`,
])("%s is not a hash, and nothing happens", async (option) => {
  await using project = await tmpProject();
  const { code, stderr } = await run(project, `install ./x ${option}`);
  expect({ code, stderr }).toMatchObject({ code: 2 });
  expect(stderr).toContain("option --yes must be the hash of a report, as --dry-run prints it, not ");
});

test.each(["remove notes", "undo", "disable notes", "ci", "prune"])(
  "%s shows no report, so a hash means nothing to it",
  async (command) => {
    await using project = await tmpProject();
    const { code, stderr } = await run(project, `${command} --yes=${"a".repeat(64)}-1111-2222-3333-4444`);
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain("option --yes does not take a value");
  },
);

test("what the question has shown is not repeated afterward", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0", { "index.js": "export const P = async () => ({}); export const VERSION = 3;\n" }));
  await using project = await tmpProject({ registry });
  const said = /OpenCode will not load @org\/review/g;
  const asked = await run(project, "install @org/review", { columns: 200, answers: ["y"] });
  expect({ code: asked.code, times: asked.stderr.match(said)?.length }).toEqual({ code: 0, times: 1 });
  const unasked = await run(project, "install @org/review --force --dry-run");
  expect(unasked.stderr.match(said)).toHaveLength(1);
});

test("the hash covers every part of a report, and not how it is shown", () => {
  const report: Approval = {
    title: "Install a v1.0.0 from a",
    package: { content: "sha256:00" },
    delivered: { prefix: "a" },
    capabilities: [{ kind: "shell", subject: "commands/c.md", detail: "git log" }],
    notes: ["1 command.", { summary: "4 names are taken", all: ["a", "b"] }],
  };
  const hash = reportHash(report);
  expect(reportHash({ ...report, isDetailed: true })).toBe(hash);
  const others: readonly Approval[] = [
    { ...report, package: { content: "sha256:01" } },
    { ...report, delivered: { prefix: "b" } },
    { ...report, capabilities: [] },
    { ...report, capabilities: [{ kind: "shell", subject: "commands/d.md", detail: "git log" }] },
    { ...report, notes: ["1 command."] },
    { ...report, notes: ["1 command.", { summary: "4 names are taken", all: ["a", "c"] }] },
  ];
  expect(new Set([hash, ...others.map(reportHash)]).size).toBe(others.length + 1);
  // What is about this moment is shown, and changes nothing.
  const aged = (age: string): Approval => {
    const aside = `Hugo chose 1.0.0 over 1.1.0, which was published ${age} ago. Wait.`;
    return { ...report, notes: [...report.notes, aside], asides: [aside] };
  };
  expect([reportHash(aged("3 hours")), reportHash(aged("4 hours"))]).toEqual([hash, hash]);
  // A title says where on this machine a folder is; without a package, it is all there is.
  expect(reportHash({ ...report, title: "Install a v1.0.0 from ../a" })).toBe(hash);
  const { package: _, ...bare } = report;
  expect(reportHash({ ...bare, title: "x" })).not.toBe(reportHash(bare));
});

test("a project's own registry has a hash of its own, and commands without --yes name what works for them", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  const files = { ".npmrc": `registry=${registry.url}\n`, "~/.npmrc": "registry=http://127.0.0.1:9/\n" };
  await using project = await tmpProject({ files, env: { npm_config_registry: "" } });
  const refused = await run(project, "info @org/notes");
  expect(refused.code).toBe(4);
  expect(refused.stderr.replace(/\s+/g, " ")).toContain(
    "Run the command in a terminal, or set npm_config_registry to the address that you want. To decide it for all",
  );
  await project.write(".opencode/hugo.json", printLock({ workflows: new Map([["a", locked]]), configs: new Map() }));
  const instead = "To decide it for all projects, set the registry in ~/.npmrc.";
  const asked = await run(project, "outdated");
  expect(asked.stderr.replace(/\s+/g, " ")).toContain(
    `a could not be checked. This project's .npmrc needs your approval`,
  );
  expect(asked.stderr.replace(/\s+/g, " ")).toContain(instead);
  expect(JSON.parse((await run(project, "outdated --json")).stdout)).toMatchObject({
    error: { hint: expect.stringContaining(instead) },
    workflows: [{ name: "a", hint: expect.stringContaining(instead) }],
  });
  const restored = await run(project, "ci");
  expect(restored.stderr).toContain("\n1 workflow was not restored; no project files were changed.\n");
  await project.remove(".opencode/hugo.json");
  const env = { ...project.env, npm_config_registry: registry.url };
  expect((await run(project, "info @org/notes", { env })).code).toBe(0);

  const dry = await run(project, "install @org/notes --dry-run --yes");
  const [, hashes = ""] = /To accept exactly these reports in a script: --yes=([0-9a-f,-]+)/.exec(dry.stderr) ?? [];
  const [ofRegistry, ofPackage] = hashes.split(",");
  const half = await run(project, `install @org/notes --yes=${ofPackage}`);
  expect(half.code).toBe(4);
  expect(half.stderr.replace(/\s+/g, " ")).toContain(`if you trust this project: ${ofRegistry}.`);
  expect((await run(project, `install @org/notes --yes=${hashes}`)).code).toBe(0);
});
