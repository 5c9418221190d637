// The package declares `hugo-pm`, so commands to copy have to name what a shell finds.
import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { delimiter } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { shownName } from "../../src/shown-name.ts";
import { hugo } from "./hugo.ts";

const named = { inTexts: "hugo", here: "hugo-pm" };

test("the name is the one by which a shell finds this program", async () => {
  await using project = await tmpProject({
    git: false,
    files: { "lib/node_modules/hugo-pm/bin/hugo.js": "", "other/hugo": "", "app/node_modules/.bin/hugo-pm": "" },
  });
  const [global, linked, other] = ["global", "linked", "other"].map((folder) => project.path(folder)) as [
    string,
    string,
    string,
  ];
  const script = project.path("lib/node_modules/hugo-pm/bin/hugo.js");
  await project.run(["mkdir", global, linked]);
  for (const link of [`${global}/hugo-pm`, `${linked}/hugo-pm`, `${linked}/hugo`]) symlinkSync(script, link);
  const local = project.path("app/node_modules/.bin");
  const shown = (called: string, folders: readonly string[], agent = "npm/10.8.2 node/v20") =>
    shownName(called, { PATH: folders.join(delimiter), npm_config_user_agent: agent });
  expect(shown(`${linked}/hugo`, [linked])).toEqual({});
  expect(shown(`${linked}/hugo-pm`, [linked])).toEqual({});
  expect(shown(`${global}/hugo-pm`, [global])).toEqual({ runner: undefined, named });
  // Another program is called hugo, or would be found first.
  expect(shown(`${global}/hugo-pm`, [other, global])).toEqual({ runner: undefined, named });
  expect(shown(`${linked}/hugo-pm`, [other, linked])).toEqual({ runner: undefined, named });
  // As `npx` starts it, and by its path.
  expect(shown(`${local}/hugo-pm`, [local, other])).toEqual({ runner: "npx", named });
  expect(shown(script, [])).toEqual({ runner: "npx", named });
  expect(shown(script, [global])).toEqual({ runner: undefined, named });
  expect(shown(`${local}/hugo-pm`, [local], "pnpm/10.1.0 npm/? node/v24")).toEqual({ runner: "pnpm exec", named });
  // A shell passes over a file in the place of a folder, and over a link that leads in circles.
  symlinkSync(`${global}/loop`, `${global}/loop`);
  expect(shown(`${global}/hugo-pm`, [`${other}/hugo`, `${global}/loop`, global])).toEqual({ runner: undefined, named });
  // From a clone.
  expect(shown("/clone/packages/hugo/bin/hugo.js", [global])).toEqual({});
});

test.each([
  ["/home/you/.npm/_npx/0123abcd", "npm/10.8.2 node/v20", "npx"],
  ["/tmp/bunx-0-hugo-pm@latest", "bun/1.4.4 npm/? node/v24", "bunx"],
  ["/home/you/.cache/pnpm/dlx/0123abcd/pkg", "pnpm/10.1.0 npm/? node/v24", "pnpm dlx"],
  ["/tmp/dlx-4711", "yarn/4.9.0 npm/? node/v24", "yarn dlx"],
  // What Hugo installed for OpenCode, npm does not find.
  ["/home/you/app/.opencode/.hugo/store/pm-1", "", "npx"],
])("what was only fetched, to %s, is fetched again", (folder, agent, runner) => {
  const local = `${folder}/node_modules/.bin`;
  const env = { PATH: local, npm_config_user_agent: agent };
  expect(shownName(`${local}/hugo-pm`, env)).toEqual({ runner, named });
});

describe.each([
  ["hugo-pm", { named }],
  ["npx hugo-pm", { runner: "npx", named }],
])("started as %s", (typed, shown) => {
  const ran = (argv: readonly string[], more: object = {}) => hugo(argv, { table: commands, shown, ...more });

  test("no help names another program", async () => {
    const topics = ["", ...commands.map(({ name }) => name)];
    for (const topic of topics) {
      const { stdout } = await ran(["help", ...topic.split(" ").filter((word) => word !== "")]);
      expect(stdout).toContain(`Usage: ${typed} `);
      expect(stdout).not.toMatch(/(?<![\w-])hugo [a-z<-]/);
    }
    expect((await ran(["--help"], { columns: 60, colour: true })).stdout).toContain(
      typed
        .split(" ")
        .map((word) => `\x1b[36m${word}\x1b[39m`)
        .join(" "),
    );
  });

  test("what an error says to do next can be typed", async () => {
    expect((await ran(["version"])).stderr).toContain('unknown command "version" (did you mean "--version"?)');
    expect((await ran(["lsit"])).stderr).toContain(`Run \`${typed} --help\` for usage.`);
    await using project = await tmpProject({ git: false });
    const there = { cwd: project.dir, home: project.home, env: project.env };
    const failed = await ran(["remove", "review"], there);
    expect(failed.stderr).toContain(`Install a workflow with \`${typed} install <package>\`.`);
    const { stdout } = await ran(["remove", "review", "--json"], there);
    expect(JSON.parse(stdout).error.hint).toContain(`\`${typed} install <package>\``);
  });

  test("so can what a report says", async () => {
    await using project = await tmpProject({ git: false });
    const there = { cwd: project.dir, home: project.home, env: project.env };
    const expected = `No workflows are installed. \`${typed} install <package>\` installs one.\n`;
    expect((await ran(["list"], there)).stdout).toBe(expected);
    expect((await ran(["status"], there)).stdout).toBe(expected);
    const { stderr } = await ran(["init", "flow"], there);
    expect(stderr).toContain(`Next: \`cd flow && npm install && ${typed} build --check\` loads it`);
  });
});
