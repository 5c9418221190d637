// Commands that Hugo prints are pasted into a real shell: it reads the words that Hugo meant, and Hugo does what it said.
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { gitRepo } from "@atomic/testing/git";
import { type Project, tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo } from "../cli/hugo.ts";
import { agent } from "./hugo-project.ts";

setDefaultTimeout(120_000);

const ODD = `my "pkg" $(touch pwned) it's ü & co`;

/** On the path instead of the programs: what the shell gives them, and where. */
const shim = `#!/bin/sh
pwd >> "$RECORD"
for word in "$0" "$@"; do printf '%s\\n' "$word" >> "$RECORD"; done
echo END >> "$RECORD"
`;

interface Pasted {
  readonly cwd: string;
  readonly words: readonly string[];
}

interface Shell {
  /** Runs Hugo on a terminal of 60 columns, or at the end of a pipe. */
  run(argv: readonly string[], more?: object): Promise<{ readonly code: number; readonly said: string }>;
  /** What a shell makes of each command in the text. */
  paste(text: string): Promise<Pasted[]>;
  /** The same, and Hugo runs it; the user says yes to everything. */
  follow(text: string): Promise<string[]>;
}

async function shellIn(project: Project, below = ""): Promise<Shell> {
  const cwd = project.path(below);
  for (const name of ["hugo", "npm", "rm", "diff", "mv"]) {
    await project.write(`~/shims/${name}`, shim);
    await chmod(`${project.home}/shims/${name}`, 0o755);
  }
  const { home, env } = project;
  const around = { table: commands, cwd, home, env };
  const shell: Shell = {
    run: async (argv, more = { columns: 60, answers: ["y", "y"] }) => {
      const { code, stdout, stderr } = await hugo(argv, { ...around, ...more });
      expect(stderr).not.toContain("bug in hugo");
      return { code, said: stdout + stderr };
    },
    paste: async (text) => {
      const alone = text
        .split("\n")
        .flatMap((line) => /^(?!hugo:)[^`:]*: +((?:hugo|diff|rm|mv) .*)$/.exec(line)?.[1] ?? []);
      const quoted = Array.from(text.matchAll(/`((?:hugo|rm|cd) [^`]+)`/g), ([, command = ""]) => command);
      const found: Pasted[] = [];
      for (const command of [...new Set([...quoted, ...alone])]) {
        await project.write("~/record", "");
        for (const program of ["bash", "dash"]) {
          const PATH = `${home}/shims:${env.PATH}`;
          const pasted = await project.run([program, "-c", command], { cwd, env: { PATH, RECORD: `${home}/record` } });
          expect({ command, ...pasted }).toMatchObject({ code: 0, stderr: "" });
        }
        const calls = (await project.read("~/record")).split("END\n").slice(0, -1);
        expect(calls.slice(0, calls.length / 2)).toEqual(calls.slice(calls.length / 2));
        for (const call of calls.slice(0, calls.length / 2)) {
          const [where = "", program = "", ...words] = call.split("\n").slice(0, -1);
          found.push({ cwd: where, words: [program.replace(/.*\//, ""), ...words] });
        }
      }
      expect((await project.tree()).filter((path) => path.includes("pwned") && !path.includes("touch"))).toEqual([]);
      return found;
    },
    follow: async (text) => {
      const shown: string[] = [];
      for (const { words } of await shell.paste(text)) {
        const [program, ...argv] = words;
        if (program !== "hugo") continue;
        const { code, said } = await shell.run(argv);
        expect({ argv, code, said }).toMatchObject({ code: 0 });
        shown.push(argv.join(" "));
      }
      return shown;
    },
  };
  return shell;
}

function copied(name: string, more: Record<string, string> = {}): Record<string, string> {
  return { "package.json": JSON.stringify({ name, version: "1.0.0" }), "agents/scribe.md": agent("Write."), ...more };
}

function below(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

test("commands about an installed folder work from any folder below the project", async () => {
  const other = copied("notes", { "agents/other.md": agent("Other.") });
  await using project = await tmpProject({
    files: { ...below(ODD, copied("notes")), ...below("other one", other), "sub folder/x": "" },
  });
  const shell = await shellIn(project, "sub folder");
  const refused = await shell.run(["install", `../${ODD}`], {});
  expect(refused.code).toBe(4);
  expect(await shell.follow(refused.said)).toEqual([`info ../${ODD}`, `install ../${ODD} --yes`]);
  const again = await shell.run(["install", `../${ODD}`]);
  expect(again.code).toBe(1);
  expect(await shell.follow(again.said)).toEqual(["update notes", `install --force ../${ODD}`]);

  const taken = await shell.run(["install", "../other one"]);
  expect(taken.code).toBe(3);
  const printed = await shell.paste(taken.said);
  expect(printed.map(({ words }) => words.slice(0, 3))).toEqual([
    ["hugo", "install", "../other one"],
    ["hugo", "install", "../other one"],
  ]);

  // A file is gone, another one was left out, an entry says something else.
  await project.remove(".opencode/agents/scribe.md");
  const ill = await shell.run(["health", "--static"]);
  expect(await shell.follow(ill.said)).toEqual([`install --force ../${ODD}`]);
  await project.write(`${ODD}/package.json`, JSON.stringify({ name: "renamed", version: "1.0.0" }));
  const moved = await shell.run(["update"]);
  expect(await shell.follow(moved.said)).toEqual(["remove notes", `install ../${ODD}`]);

  await project.write(".opencode/agents/mine.md", "Mine.\n");
  await project.write(`${ODD}/agents/mine.md`, agent("Theirs."));
  const skipped = await shell.run(["update"]);
  await project.remove(".opencode/agents/mine.md");
  expect(await shell.follow(skipped.said)).toEqual([`install --force ../${ODD}`]);
});

test("what is skipped, in conflict or moved has commands that work", async () => {
  const files = below(ODD, copied("notes", { "agents/mine.md": agent("Theirs.") }));
  await using project = await tmpProject({ files: { ...files, ".opencode/agents/mine.md": "Mine.\n" } });
  const shell = await shellIn(project);
  expect((await shell.run(["install", `./${ODD}`])).code).toBe(0);
  expect(await shell.follow((await shell.run(["status"])).said)).toEqual([`install --force ./${ODD}`]);

  await project.write(".opencode/agents/scribe.md", agent("Mine."));
  await project.write(`${ODD}/agents/scribe.md`, agent("Theirs."));
  const words = (await shell.paste((await shell.run(["update"])).said)).map(({ words }) => words.join(" "));
  const scribe = ".opencode/agents/scribe.md";
  expect(words).toEqual(
    expect.arrayContaining([
      `diff -u ${scribe} ${scribe}.hugo-new`,
      `rm ${scribe}.hugo-new`,
      `mv ${scribe}.hugo-new ${scribe}`,
    ]),
  );
  expect((await shell.paste((await shell.run(["status"])).said)).map(({ words }) => words.join(" "))).toContain(
    `rm ${scribe}.hugo-new`,
  );
});

test("for an edited entry, status, verify, ci and health suggest commands that work", async () => {
  const code = "export default { id: 'near', server: async () => ({}) };\n";
  const near = { "package.json": JSON.stringify({ name: "near", version: "1.0.0", main: "i.js" }), "i.js": code };
  const files = below(ODD, { ...near, "workflow.json": "{}" });
  await using project = await tmpProject({ files });
  const shell = await shellIn(project);
  expect((await shell.run(["install", `./${ODD}`])).code).toBe(0);
  const config = await project.read("opencode.json");
  for (const command of ["status", "verify", "ci", "health --static"]) {
    await project.write("opencode.json", config.replace(/near-[0-9a-f]+/, "near-0000000000000000"));
    const { said } = await shell.run(command.split(" "));
    expect({ command, printed: await shell.follow(said) }).toEqual({ command, printed: [`install --force ./${ODD}`] });
  }
});

test("commands for your own OpenCode say so, and paths below your home are whole", async () => {
  await using project = await tmpProject({ files: below(`~/${ODD}`, copied("notes")) });
  const shell = await shellIn(project);
  const path = `${project.home}/${ODD}`;
  expect((await shell.run(["install", "-g", path])).code).toBe(0);
  const again = await shell.run(["install", "-g", path]);
  expect(await shell.follow(again.said)).toEqual(["update -g notes", `install -g --force ${path}`]);
  await project.write("here/package.json", JSON.stringify({ name: "here", version: "1.0.0" }));
  await project.write("here/agents/near.md", agent("Near."));
  expect((await shell.run(["install", "-g", "./here"])).code).toBe(0);
  expect(await shell.follow((await shell.run(["install", "-g", "./here"])).said)).toEqual([
    "update -g here",
    "install -g --force ./here",
  ]);
});

test("a collection's commands name its folder and its parts", async () => {
  const names = Array.from({ length: 21 }, (_, i) => `skill-${i}`);
  const skills = names.map((name) => [`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\nHi.\n`]);
  await using project = await tmpProject({ files: below(ODD, Object.fromEntries(skills)) });
  const shell = await shellIn(project);
  const choose = await shell.run(["install", `./${ODD}`], {});
  expect(choose.code).toBe(4);
  const printed = (await shell.paste(choose.said)).map(({ words }) => words.join(" "));
  expect(printed).toEqual([`hugo info ./${ODD}`, `hugo install ./${ODD} --select skill-0`]);
  const info = await shell.run(["info", `./${ODD}`], {});
  expect(await shell.follow(info.said)).toEqual([
    `info ./${ODD} --select skill-0`,
    `install ./${ODD} --select skill-0`,
  ]);
  const unknown = await shell.run(["info", `./${ODD}`, "--select", "nothing-like-it"]);
  expect(await shell.follow(unknown.said)).toEqual([`info ./${ODD}`]);
});

test("other commands can be pasted, too", async () => {
  await using repo = await gitRepo({ files: { "a/agents/x.md": agent("X.") } });
  await using project = await tmpProject();
  const shell = await shellIn(project);
  const written = await shell.run(["init", "a b's $(x)", "--name", "@org/a-b"]);
  expect((await shell.paste(written.said)).map(({ cwd, words }) => [cwd, words.join(" ")])).toEqual([
    [project.path("a b's $(x)"), "npm install"],
    [project.path("a b's $(x)"), "hugo build --check"],
  ]);
  const missing = await shell.run(["info", `${repo.packageUrl}//zzzzzzz`]);
  const asked = (await shell.paste(missing.said)).map(({ words }) => words.join(" "));
  expect(asked).toEqual([`hugo info ${repo.packageUrl}`]);
  const refused = await shell.run(["install", `./${ODD}`], { agent: { agent: "OpenCode", sign: "a test" } });
  expect((await shell.paste(refused.said)).map(({ words }) => words)).toEqual([["hugo", "install", `./${ODD}`]]);
});
