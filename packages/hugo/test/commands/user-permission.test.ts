// Agents that were written for Claude Code, and what their user allows agents in OpenCode.
import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type Health, health } from "../../src/commands/health.ts";
import { install as installCommand } from "../../src/commands/install.ts";
import { status } from "../../src/commands/status.ts";
import { verify } from "../../src/commands/verify.ts";
import { copy, hugoIn, refusalOf } from "./hugo-project.ts";
import { common, plain, quietContext } from "./quiet-context.ts";

setDefaultTimeout(60_000);

const manifest = { ".claude-plugin/plugin.json": '{ "name": "notes" }' };
const worker = (body = "Work."): string =>
  `---\nname: worker\ndescription: Works\ntools: Read, Write, Bash, WebFetch\n---\n${body}\n\nSecond.\n\nThird.\n`;
const files = { ...manifest, "agents/worker.md": worker(), "commands/go.md": "Go.\n" };
const file = ".opencode/agents/worker.md";
const rules = { bash: { "*": "allow", "git *": "ask" }, edit: "ask", webfetch: "deny" } as const;
const config = (permission: object): string => JSON.stringify({ permission });

async function look(project: Project, env = {}): Promise<Health> {
  const context = quietContext(project.dir, { home: project.home, env: { ...project.env, ...env } });
  return await health.run(context, { ...common, name: undefined, all: false, static: true });
}

const codes = ({ workflows }: Health): string[] =>
  workflows.flatMap(({ findings }) => findings.map(({ severity, code }) => `${severity} ${code}`));

async function verdicts(project: Project): Promise<[verify: number, status: string]> {
  const context = quietContext(project.dir, { home: project.home, env: project.env });
  const verified = await verify.run(context, { ...common, name: undefined });
  const stated = await status.run(context, { ...common, name: undefined });
  return [verify.report.exitCode(verified), status.report.text(stated, plain)];
}

test("if the user asks or denies, so does the file, and the install reports it", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({
    registry,
    files: {
      "opencode.jsonc": config({ bash: rules.bash }),
      "~/.config/opencode/opencode.json": config({ edit: rules.edit, webfetch: rules.webfetch }),
    },
  });
  const installed = await hugoIn(project).install("@org/notes");
  const { detail } = installed.workflows[0]!.capabilities.find(({ kind }) => kind === "agent")!;
  expect(detail).toContain('bash: yes, "git *" asks; ');
  expect(detail).toContain("webfetch: no");
  expect(installCommand.report.notes(installed, plain)).toContain("Your own permissions are stricter, so they apply");
  const text = await project.read(file);
  expect(text).toContain('  bash:\n    "*": allow\n    "git *": ask\n');
  expect(text).toContain("  edit: ask\n");
  expect(text).toContain("  webfetch: deny\n");
  expect(await look(project)).toMatchObject({ workflows: [{ findings: [] }] });
  expect(JSON.parse(await project.read(".opencode/hugo.json"))).toMatchObject({
    workflows: { notes: { permission: { ...rules } } },
  });
});

test("without rules of the user's nothing is recorded, and nothing changes", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({
    registry,
    files: { "opencode.json": config({ task: "deny", bash: "allow" }) },
  });
  await hugoIn(project).install("@org/notes");
  expect(await project.read(file)).toContain("  bash: allow\n");
  expect(await project.read(".opencode/hugo.json")).not.toContain('"permission"');
});

test("rules that become stricter are reported with the command that helps, and edits survive it", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  expect(codes(await look(project))).toEqual([]);
  await project.write("opencode.json", config(rules));
  await project.write(file, (await project.read(file)).replace("Third.", "Mine."));
  const ill = await look(project);
  expect(codes(ill)).toEqual(["warning wider-than-yours"]);
  const [finding] = ill.workflows[0]!.findings;
  expect(finding?.message).toContain("webfetch: yes, but your rules say no");
  expect(finding?.message).not.toContain("before");
  expect(finding?.hint).toBe("`hugo install --force @org/notes` limits it to your permissions.");
  // It is a matter of this machine, and none of what was installed.
  expect(await verdicts(project)).toEqual([0, expect.stringMatching(/agents\/worker\.md +modified/)]);

  await hugo.install("@org/notes", { force: true });
  expect(codes(await look(project))).toEqual([]);
  expect(await project.read(file)).toContain("  webfetch: deny\n");
  expect(await project.read(file)).toContain("Mine.");

  await project.write("opencode.json", config({}));
  expect(codes(await look(project))).toEqual([]);
});

test("an update keeps the rules from its install, and merges with edits", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry, files: { "opencode.json": config({ bash: "ask" }) } });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  await project.write(file, (await project.read(file)).replace("Third.", "Mine."));
  await project.write("opencode.json", config({ bash: "deny" }));
  registry.publish(copy("1.1.0", { ...files, "agents/worker.md": worker("Work more.") }));
  await hugo.update();
  const text = await project.read(file);
  expect([text.includes("  bash: deny\n"), text.includes("Work more."), text.includes("Mine.")]).toEqual([
    true,
    true,
    true,
  ]);
});

test("an update that can do more is asked about, and shows what your rules leave of it", async () => {
  await using registry = await npmRegistry();
  const reader = worker().replace("Read, Write, Bash, WebFetch", "Read");
  registry.publish(copy("1.0.0", { ...files, "agents/worker.md": reader }));
  await using project = await tmpProject({ registry, files: { "opencode.json": config({ bash: "ask" }) } });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  registry.publish(copy("1.1.0", { ...files, "agents/new.md": worker().replace("name: worker", "name: new") }));
  await hugo.update();
  const details = hugo.asked.at(-1)!.capabilities.map(({ subject, detail }) => `${subject}: ${detail}`);
  expect(details).toContain("worker: bash: yes (before: no), but your rules say asks");
  expect(details).toContain("worker: edit, webfetch: yes (before: no)");
  expect(details.find((detail) => detail.startsWith("new: "))).toContain("bash: asks; ");
});

test("info shows what an agent can do under your rules, and which limit an installed one has", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry, files: { "opencode.json": config({ bash: "ask" }) } });
  const hugo = hugoIn(project);
  const agentOf = async (spec: string): Promise<string | undefined> =>
    (await hugo.info(spec)).capabilities.find(({ kind }) => kind === "agent")?.detail;
  expect(await agentOf("@org/notes")).toContain("bash: asks; ");
  await hugo.install("@org/notes");
  await project.write("opencode.json", config({ bash: "deny" }));
  expect(await agentOf("notes")).toContain("bash: asks; ");
  expect(await agentOf("@org/notes@1.0.0")).toContain("bash: no; ");
  await project.write("opencode.json", config({ bash: "never" }));
  expect(await hugo.info("@org/notes@1.0.0")).toMatchObject({ problem: { code: "config-invalid" } });
});

test("a permission that the user has edited is theirs", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry, files: { "opencode.json": config({ bash: "ask" }) } });
  await hugoIn(project).install("@org/notes");
  await project.write(file, (await project.read(file)).replace("bash: ask", "bash: allow"));
  expect(codes(await look(project))).toEqual([]);
});

test("a clone on a machine with other rules is restored as it was, and is not called changed", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({
    registry,
    files: { "~/.config/opencode/opencode.json": config({ bash: "ask" }) },
  });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  const before = await project.read(file);
  await project.remove(".opencode/.hugo");
  await project.remove(file);
  await project.write("~/.config/opencode/opencode.json", config({ bash: "deny", edit: "ask" }));
  expect(await hugo.ci()).toMatchObject({ differences: [], failed: [] });
  expect(await project.read(file)).toBe(before);
  expect(await verdicts(project)).toEqual([0, expect.not.stringContaining("modified")]);
  expect(codes(await look(project))).toEqual(["warning wider-than-yours"]);
});

test("an agent for all projects that may do more than one of them allows is reported there", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry, files: { "opencode.json": config({ bash: "ask" }) } });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes", { global: true });
  expect((await look(project)).notices).toEqual([
    "agents/worker.md from notes, installed with -g, can do more than this project allows: bash: yes, but your rules say asks. " +
      "In OpenCode, the agent's own rules win. To limit it to the project's rules, run `hugo install @org/notes` in the project.",
  ]);
  await hugo.install("@org/notes");
  expect((await look(project)).notices).toEqual([]);
  await project.remove(file);
  await project.write("~/.config/opencode/hugo.json", "{");
  expect((await look(project)).notices).toEqual([]);
});

test.each([
  ["OPENCODE_PERMISSION", { OPENCODE_PERMISSION: '{"bash":"ask","webfetch":"deny"}' }],
  [
    "OPENCODE_CONFIG_CONTENT",
    { OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"{env:HOW}","webfetch":"deny"}}', HOW: "ask" },
  ],
])("what %s forbids is forbidden to the agent, and reported if it comes later", async (_name, env) => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using early = await tmpProject({ registry, env });
  await hugoIn(early).install("@org/notes");
  const text = await early.read(file);
  expect([text.includes("  bash: ask\n"), text.includes("  webfetch: deny\n")]).toEqual([true, true]);
  expect(codes(await look(early))).toEqual([]);
  await using late = await tmpProject({ registry });
  await hugoIn(late).install("@org/notes");
  expect(codes(await look(late))).toEqual([]);
  expect(codes(await look(late, env))).toEqual(["warning wider-than-yours"]);
});

test("a permission set only by a variable is not written to a file, which would outlive it", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  const env = { OPENCODE_PERMISSION: '{"bash":"allow","edit":"deny"}' };
  await using project = await tmpProject({ registry, env, files: { "opencode.json": config({ bash: "ask" }) } });
  await hugoIn(project).install("@org/notes");
  const text = await project.read(file);
  expect([text.includes("  bash: ask\n"), text.includes("  edit: deny\n")]).toEqual([true, true]);
});

test.each([
  ["{env:HOW}", { HOW: "ask" }],
  ["{file:./how.txt}", {}],
])("a permission that is %s is what OpenCode makes of it", async (how, env) => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({
    registry,
    env,
    files: { "opencode.json": config({ bash: how }), "how.txt": "ask\n" },
  });
  await hugoIn(project).install("@org/notes");
  expect(await project.read(file)).toContain("  bash: ask\n");
});

test.each([
  ['"permission": { "bash": "{env:NOWHERE}" }', '"bash" has an action other than allow, ask or deny'],
  ['"permission": { "bash": "{file:./nowhere}" }', "{file:./nowhere} cannot be read"],
])("%s that matches nothing stops an install, with the correct reason", async (keys, because) => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({ registry, files: { "opencode.json": `{ ${keys} }` } });
  const refusal = await refusalOf(hugoIn(project).install("@org/notes"));
  expect(refusal.message).toContain(`"permission" cannot be read: ${because}`);
});

test("unreadable rules stop an install, with their location", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", files));
  await using project = await tmpProject({
    registry,
    files: { "opencode.json": '{\n  "permission": { "bash": "never" }\n}' },
  });
  const refusal = await refusalOf(hugoIn(project).install("@org/notes"));
  expect(refusal).toMatchObject({ code: "config-invalid" });
  expect(refusal.message).toContain("opencode.json:2:17");
  expect(await project.exists(".opencode/hugo.json")).toBe(false);
});
