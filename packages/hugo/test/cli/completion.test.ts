import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Project, tmpProject } from "@atomic/testing/project";
import { completes, completingShell, isInstalled, shellNames } from "@atomic/testing/shells";
import { printLock } from "@atomic/workflows/internal/hugo-lock/lock";
import { commands } from "../../src/commands.ts";
import { pluginWorkflow } from "../commands/workspace.ts";
import { hugo } from "./hugo.ts";
import { bundleHugo, hugoBin } from "./programs.ts";

setDefaultTimeout(180_000);

function lockOf(...names: readonly string[]): string {
  return printLock({ workflows: new Map(names.map((name) => [name, pluginWorkflow(name)])), configs: new Map() });
}

function withLock(): Promise<Project> {
  const files = {
    ".opencode/hugo.json": lockOf("review", "release-notes"),
    "~/.config/opencode/hugo.json": lockOf("mine"),
    "sub/x.md": "",
  };
  return tmpProject({ files });
}

/** The words that are offered. */
async function offered(words: readonly string[], project?: Project): Promise<string[]> {
  const place = project && { cwd: project.path("sub"), home: project.home };
  const ran = await hugo(["__complete", ...words], { ...place });
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  return ran.stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

const ofEcho = [
  "--skip-modified",
  "--force",
  "--registry",
  "--type",
  "--dry-run",
  "--yes",
  "--global",
  "--json",
  "--help",
];

test.each([
  [["ec"], ["echo"]],
  [["f"], ["fetch", "finishing", "fail"]],
  [
    ["help", "lo"],
    ["look", "long"],
  ],
  [["--j"], ["--json"]],
  [["--v"], ["--version"]],
  [["--json", "ec"], ["echo"]],
  [["zzz", ""], []],
  [["echo", "--"], ofEcho],
  [["e", "a", "--force", "--"], ofEcho.filter((flag) => flag !== "--force")],
  [
    ["look", "--"],
    ["--global", "--json", "--help"],
  ],
  [
    ["echo", "a", "--type", ""],
    ["agent", "command"],
  ],
  [["echo", "a", "--type", "c"], ["command"]],
  [["echo", "a", "--type=c"], ["--type=command"]],
  [["echo", "a", "--type", "=", "c"], ["command"]],
  [
    ["echo", "a", "--type", "="],
    ["agent", "command"],
  ],
  [["echo", "a", "--registry", ""], [":files"]],
  [["echo", "--type", "agent", ""], [":files"]],
  [["echo", "./"], [":files"]],
  [["ask", ""], []],
  [["look", "a", "b", ""], []],
  [["look", "--", "--"], []],
])("behind %j there is %j", async (words, expected) => {
  expect(await offered(words)).toEqual(expected);
});

describe("the names of what is installed", () => {
  test.each([
    [
      ["look", ""],
      ["release-notes", "review"],
    ],
    [["look", "rev"], ["review"]],
    [["echo", "spec", "review", ""], ["release-notes"]],
    [["look", "-g", ""], ["mine"]],
    [["--global", "look", ""], ["mine"]],
  ])("are offered behind %j", async (words, expected) => {
    await using project = await withLock();
    expect((await offered(words, project)).sort()).toEqual(expected);
  });

  test.each([undefined, "<<<<<<<", "[]", "{}", "null", '{ "workflows": null }', lockOf("\u001b[31m")])(
    "are none where hugo.json is %p",
    async (text) => {
      await using project = await tmpProject({
        files: { "sub/x.md": "", ...(text && { ".opencode/hugo.json": text }) },
      });
      expect(await offered(["look", ""], project)).toEqual([]);
    },
  );
});

test("every command is offered with what it does", async () => {
  const { stdout } = await hugo(["__complete", ""], { table: commands });
  for (const { name, load } of commands) expect(stdout).toContain(`${name}\t${(await load()).summary}\n`);
});

test.each([
  ["bash", "complete -F _hugo_complete hugo hugo-pm\n"],
  ["zsh", "#compdef hugo hugo-pm\n"],
  ["fish", "complete -c hugo-pm -f -a '(__hugo_complete)'\n"],
])("the script for %s serves both names of the program, or one", async (shell, expected) => {
  expect((await hugo(["completion", shell], { table: commands })).stdout).toContain(expected);
  const { stdout } = await hugo(["completion", shell, "--as", "hugo-pm"], { table: commands });
  expect(stdout).not.toMatch(/^(complete .*|#compdef.*|compdef.*) hugo( |$)/m);
  expect(stdout).toContain("hugo-pm");
});

describe.each(shellNames)("in %s", (shell) => {
  const isHere = isInstalled(shell);
  beforeAll(bundleHugo);

  test.skipIf(!isHere).each([
    ["hugo comp", "hugo completion"],
    ["hugo rem", "hugo remove"],
    ["hugo remove rev", "hugo remove review"],
    ["hugo remove release-notes rev", "hugo remove release-notes review"],
    ["hugo list --js", "hugo list --json"],
    ["hugo-pm completion fi", "hugo-pm completion fish"],
    ["hugo completion bash --as=hugo-", "hugo completion bash --as=hugo-pm"],
    ["hugo init su", "hugo init sub/"],
  ])("Tab behind %j makes it %j", async (typed, expected) => {
    await using project = await withLock();
    await using term = await completingShell(shell, project, { hugo: hugoBin, "hugo-pm": hugoBin });
    await completes(term, typed, expected);
  });
});
