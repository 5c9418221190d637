// `hugo list` as people run it, on each runtime.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { commands } from "../../src/commands.ts";
import { copiedWorkflow, install, pluginWorkflow } from "../commands/workspace.ts";
import { hugo } from "./hugo.ts";
import { bundleHugo, hugoBin, runtimes } from "./programs.ts";

setDefaultTimeout(180_000);
beforeAll(bundleHugo);

const files = { "agents/a.md": "a\n", "skills/s/SKILL.md": "s\n" };
const parked = copiedWorkflow("parked", { "commands/c.md": "c\n" });
const workflows = {
  zeta: pluginWorkflow("zeta", {
    source: "github:org/zeta",
    version: "a".repeat(40),
    package: "zeta-flow",
    agents: [],
  }),
  lint: copiedWorkflow("lint", files),
  parked: { ...parked, delivery: { kind: "copy", parked: true, files: new Map() } },
  review: pluginWorkflow("review", { commands: ["a", "b"], selection: ["agents/reviewer"] }),
} as const;

async function projectWith(config: unknown): Promise<Project> {
  const project = await tmpProject({ files: { "opencode.json": config as never } });
  await install(project, workflows, files);
  return project;
}

/** What the program says in this process. */
function program(project: Project, words: readonly string[] = ["list"]) {
  return hugo(words, { table: commands, cwd: project.dir, home: project.home, env: project.env });
}

const usual = { plugin: ["@org/review@1.0.0", "other"] };

describe.each([...runtimes])("on $name", (runtime) => {
  test.each([
    ["configs as OpenCode writes them", usual],
    ["no plugins", {}],
    ["comments", '{ "plugin": ["@org/review@1.0.0"] } // mine'],
    ["no JSON at all, which is reported", "{"],
  ])("list prints the same as the program: %s", async (_, config) => {
    await using project = await projectWith(config);
    for (const words of [["list"], ["ls", "review"], ["list", "--json", "-g"], ["list", "nobody"]]) {
      const { code, stdout, stderr } = await project.run([...runtime.command, hugoBin, ...words], { env: runtime.env });
      expect({ code, stdout, stderr }).toEqual(await program(project, words));
    }
  });

  test("on a terminal it has colors and rows that fit", async () => {
    await using project = await projectWith(usual);
    const options = { cols: 60, rows: 12, cwd: project.dir, env: { ...project.env, ...runtime.env } };
    await using term = await terminal([...runtime.command, hugoBin, "list"], options);
    expect(await term.exit).toMatchObject({ exitCode: 0 });
    const rows = term.screen();
    // Four workflows, and one plugin that Hugo does not manage.
    expect(rows.filter((row) => row !== "")).toHaveLength(10);
    const at = rows.findIndex((row) => row.startsWith("  review"));
    expect(term.cell(rows[at]!.indexOf("enabled"), at)).toMatchObject({ char: "e", fg: "green" });
  });
});

const hasFullDevice = existsSync("/dev/full");
if (!hasFullDevice) console.warn("skipped: there is no /dev/full to refuse what is written");

test.skipIf(!hasFullDevice)("output that could not be written is reported", async () => {
  await using project = await projectWith(usual);
  const { code, stderr } = await project.run(["sh", "-c", '"$@" list >/dev/full', "sh", "node", hugoBin]);
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining("hugo: ENOSPC: no space left on device"),
  });
});
