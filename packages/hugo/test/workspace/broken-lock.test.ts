// Everything that reads a broken hugo.json reports the same: every command, the registry and, by its silence, completion.
import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { type Project, tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "@atomic/workflows/internal/entities/initialize";
import { commands } from "../../src/commands.ts";
import { hugo, type Ran } from "../cli/hugo.ts";
import { copiedWorkflow, install, pluginWorkflow } from "../commands/workspace.ts";

const files = { "agents/noter.md": "---\ndescription: Notes\n---\nNote it.\n" };
const workflows = { notes: copiedWorkflow("notes", files), review: pluginWorkflow("review") };

/** Every command that looks at what is installed, with words that it would accept. */
const commandLines = [
  ["list"],
  ["ls", "notes"],
  ["status"],
  ["status", "notes"],
  ["diff"],
  ["diff", "notes"],
  ["verify"],
  ["outdated"],
  ["health"],
  ["info", "notes"],
  ["install", "./package", "--yes"],
  ["install", "./package", "--dry-run"],
  ["update", "--yes"],
  ["update", "notes", "--dry-run"],
  ["remove", "notes"],
  ["remove", "notes", "--dry-run"],
  ["enable", "review"],
  ["disable", "review"],
  ["switch", "review", "notes"],
  ["ci"],
] as const;

type Break = (text: string) => string;

function replaced(from: string, to: string): Break {
  return (text) => {
    expect(text).toContain(from);
    return text.replace(from, () => to);
  };
}

const broken: readonly [what: string, make: Break, code: string, at: string, problem: string][] = [
  [
    "an agent's name that is a path",
    replaced('"noter"', '"../../evil"'),
    "lock-invalid",
    ":10:9",
    "workflows.notes.agents[0] is not a valid name",
  ],
  [
    "a workflow name that Windows reserves",
    replaced('"notes": {', '"CON": {'),
    "lock-invalid",
    ":4:12",
    "workflows.CON is not a valid workflow name",
  ],
  [
    "a base that is not a hash",
    (text) => text.replace(/"base": "[^"]*"/, '"base": "sha256:zzz"'),
    "lock-invalid",
    ":17:19",
    "is not a hash",
  ],
  [
    "a file outside Hugo's folders",
    replaced('"agents/noter.md": {', '"../../.bashrc": {'),
    "lock-invalid",
    ":15:26",
    "not in a folder that Hugo copies to",
  ],
  [
    "a package that leads elsewhere",
    replaced('"package": "@org/notes-workflow"', '"package": "../../../x"'),
    "lock-invalid",
    ":5:18",
    "is not a valid package name",
  ],
  [
    "a version that is a command line",
    replaced('"version": "1.0.0"', '"version": "npm:evil@6.6.6"'),
    "lock-invalid",
    ":24:18",
    "is not a version",
  ],
  ...['"github:"', '"git://"', '"./\\u0000"', '"github:a/b#\\u001b[31m"'].map((source): (typeof broken)[number] => [
    `the source ${source}`,
    (text) => text.replace(/(?<="package": "@org\/notes-workflow",\s*"source": )"[^"]*"/, () => source),
    "lock-invalid",
    ":6:17",
    "is not a source in the format that Hugo writes",
  ]),
  [
    "a comment",
    replaced('"version": 1,', '"version": 1, // mine'),
    "lock-invalid",
    ":2:17",
    "must not contain comments",
  ],
  [
    "an unknown delivery",
    replaced('"delivery": "plugin"', '"delivery": "mail"'),
    "lock-invalid",
    ":25:19",
    'is "mail", but must be one of plugin, copy',
  ],
  [
    "a duplicate name",
    replaced('"review": {', '"notes": {'),
    "lock-invalid",
    ":21:5",
    "workflows.notes appears more than once",
  ],
  [
    "a duplicate key",
    replaced('"version": 1,', '"version": 1,\n  "version": 1,'),
    "lock-invalid",
    ":3:3",
    "version appears more than once",
  ],
  [
    "an unknown key",
    replaced('"version": 1,', '"version": 1,\n  "more": 1,'),
    "lock-invalid",
    ":3:11",
    "more is not a known key",
  ],
  [
    "an unknown key of a workflow",
    replaced('"delivery": "plugin",', '"delivery": "plugin",\n      "hooks": [],'),
    "lock-invalid",
    ":26:16",
    "hooks is not a known key",
  ],
  [
    "names that are numbers",
    replaced('"noter"', "7"),
    "lock-invalid",
    ":10:9",
    "workflows.notes.agents[0] is not a string",
  ],
  ["bad JSON", replaced('"version": 1,', '"version": 1'), "lock-invalid", ":3:3", "expected"],
  ["an empty file", () => "", "lock-invalid", "", "is missing"],
  ["a list", () => "[]\n", "lock-invalid", ":1:1", "is not an object"],
  ["no workflows", () => '{ "version": 1 }\n', "lock-invalid", ":1:1", "workflows is missing"],
  ["no version", replaced('"version": 1,\n', ""), "lock-invalid", ":1:1", "version is missing"],
  [
    "an impossible version",
    replaced('"version": 1,', '"version": 0,'),
    "lock-invalid",
    ":2:14",
    "is not a valid version",
  ],
  ["a newer version", replaced('"version": 1,', '"version": 2,'), "lock-newer", ":2:14", "only supports version 1"],
  [
    "an unfinished merge",
    replaced('  "version": 1,', '<<<<<<< ours\n  "version": 1,'),
    "lock-conflict",
    ":2:1",
    "unfinished merge",
  ],
];

async function projectWith(make: Break): Promise<Project> {
  const project = await tmpProject({
    files: {
      "opencode.json": { plugin: ["@org/review@1.0.0"] },
      "package/package.json": { name: "p", version: "1.0.0" },
    },
  });
  await project.write("package/agents/a.md", "---\ndescription: A\n---\nA.\n");
  await install(project, workflows, files);
  await project.write(".opencode/hugo.json", make(await project.read(".opencode/hugo.json")));
  return project;
}

function run({ dir: cwd, home, env }: Project, words: readonly string[]): Promise<Ran> {
  return hugo(words, { table: commands, cwd, home, env });
}

test("a lock that is not UTF-8 is refused under the same code by every command, and by the registry", async () => {
  await using project = await projectWith((text) => text);
  await writeFile(project.path(".opencode/hugo.json"), Uint8Array.of(0x7b, 0xff, 0x7d));
  for (const words of commandLines) {
    const { stdout } = await run(project, [...words, "--json"]);
    expect([words, JSON.parse(stdout).error?.code]).toEqual([words, "lock-invalid"]);
  }
  const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
  expect(registry.diagnostics()).toMatchObject([{ severity: "error", code: "hugo-lock-invalid" }]);
});

test("the words are right: without a break every command accepts the lock", async () => {
  for (const words of commandLines) {
    await using project = await projectWith((text) => text);
    const { stdout } = await run(project, [...words, "--json"]);
    expect(JSON.parse(stdout).error?.code ?? "none").not.toStartWith("lock-");
  }
});

describe.each(broken)("%s in hugo.json", (_, make, code, at, problem) => {
  test("is refused by every command in the same words, and nothing is changed", async () => {
    await using project = await projectWith(make);
    const before = await project.read(".opencode/hugo.json");
    const said = new Map<string, string[]>();
    for (const words of commandLines) {
      const ran = await run(project, words);
      expect(ran.stdout, words.join(" ")).toBe("");
      const json = await run(project, [...words, "--json"]);
      const { ok, error } = JSON.parse(json.stdout);
      const answer = JSON.stringify({ text: ran.stderr, code: ran.code, ok, error, codeWithJson: json.code }, null, 2);
      said.set(answer, [...(said.get(answer) ?? []), words.join(" ")]);
    }
    // Those that could have changed something add that they did not, unless the words say so anyway.
    const all = commandLines.map((words) => words.join(" "));
    const changing = all.indexOf("install ./package --yes");
    const [answer, ofChanges = answer] = [...said.keys()].map((each) => JSON.parse(each));
    const isSaid = answer.error.hint.includes("Nothing was changed.");
    expect([...said.values()]).toEqual(isSaid ? [all] : [all.slice(0, changing), all.slice(changing)]);
    const hint = isSaid ? answer.error.hint : `${answer.error.hint} Nothing was changed.`;
    expect(ofChanges.error).toEqual({ ...answer.error, hint });
    expect(answer).toMatchObject({ ok: false, code: 3, codeWithJson: 3 });
    expect(answer.error).toMatchObject({ code, at: `${project.path(".opencode/hugo.json")}${at}` });
    expect(answer.error.message).toContain(problem);
    expect(await project.read(".opencode/hugo.json")).toBe(before);
  });

  test("completion offers nothing and prints no error", async () => {
    await using project = await projectWith(make);
    expect(await run(project, ["__complete", "remove", ""])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("the registry uses nothing from it, and reports the same at the same place", async () => {
    await using project = await projectWith(make);
    const [status] = [JSON.parse((await run(project, ["status", "--json"])).stdout)];
    const registry = await initializeWorkflowsSDK({
      projectPath: project.dir,
      userPath: project.home,
      providers: ["hugo"],
    });
    expect(registry.entries().filter(({ source }) => source.location !== "builtin")).toEqual([]);
    const [diagnostic, ...more] = registry.diagnostics();
    expect(more).toEqual([]);
    const [, line, column] = /(?::(\d+):(\d+))?$/.exec(at) ?? [];
    expect(diagnostic).toMatchObject({
      severity: "error",
      code: "hugo-lock-invalid",
      path: project.path(".opencode/hugo.json"),
      hint: status.error.hint,
      ...(line !== undefined && { line: Number(line), column: Number(column) }),
    });
    expect(status.error.message).toEndWith(diagnostic?.message ?? "no diagnostic");
  });
});

test("completion offers what the lock names", async () => {
  await using project = await projectWith((text) => text);
  expect(await run(project, ["__complete", "remove", ""])).toEqual({
    code: 0,
    stdout: "notes\t\nreview\t\n",
    stderr: "",
  });
});
