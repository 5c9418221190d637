import { expect, test } from "bun:test";
import { type Project, tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo, type Ran } from "./hugo.ts";

const agent = { agent: "OpenCode", sign: "the variable OPENCODE is set" };

const files = {
  "notes/package.json": { name: "notes", version: "1.0.0" },
  "notes/workflow.json": { agents: ["scribe"] },
  "notes/agents/scribe.md": "---\ndescription: Writes\nmode: subagent\n---\nWrite.\n",
  ".opencode/opencode.json": {},
};

async function run(project: Project, argv: readonly string[], more: { agent?: typeof agent } = {}): Promise<Ran> {
  const env = Object.fromEntries(
    Object.entries(project.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return await hugo(argv, { cwd: project.dir, home: project.path("~"), env, table: commands, ...more });
}

test("an agent cannot install, update or approve, even where no question would be asked", async () => {
  await using project = await tmpProject({ files });
  expect(await run(project, ["install", "./notes", "--yes"])).toMatchObject({ code: 0 });
  const lock = await project.read(".opencode/hugo.json");
  await project.remove(".opencode/agents/scribe.md");
  const refused: readonly (readonly [string, string])[] = [
    ["install --force ./notes", "hugo install"],
    ["install --force ./notes --yes", "--yes"],
    ["i ./notes -y", "--yes"],
    [`install ./notes --yes=${"0".repeat(64)}-0000-0000-0000-0000`, "--yes"],
    [`update notes --yes=${"0".repeat(64)}-0000-0000-0000-0000`, "--yes"],
    ["install -gy ./notes", "--yes"],
    ["update", "hugo update"],
    ["update notes --yes", "--yes"],
    ["ci --yes", "--yes"],
    ["remove notes --yes", "--yes"],
    ["disable notes -y", "--yes"],
  ];
  for (const [line, what] of refused) {
    const { code, stderr } = await run(project, line.split(" "), { agent });
    expect([line, code, stderr.split("\n")[0]]).toEqual([
      line,
      4,
      `hugo: ${what} needs the user's decision, but OpenCode is running this command (the variable OPENCODE is set)`,
    ]);
    expect(stderr).not.toMatch(/their own terminal: .*(--yes| -\w*y\b)/);
  }
  expect(await project.read(".opencode/hugo.json")).toBe(lock);
  expect(await project.exists(".opencode/agents/scribe.md")).toBe(false);
});

test("an agent may read, and restore what the user has approved", async () => {
  await using project = await tmpProject({ files });
  expect(await run(project, ["install", "./notes", "--yes"])).toMatchObject({ code: 0 });
  const allowed = ["install ./notes --force --dry-run --yes", "update --dry-run", "list", "ci", "disable notes"];
  for (const line of [...allowed, "enable notes", "remove notes"]) {
    expect([line, (await run(project, line.split(" "), { agent })).code]).toEqual([line, 0]);
  }
});
