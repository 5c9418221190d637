import { expect, test } from "bun:test";
import { failureOf, formatFailure, formatFailureAsJson } from "@atomic/terminal/failure";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { info as infoCommand } from "../../../src/commands/info.ts";
import { update as updateCommand } from "../../../src/commands/update.ts";
import { agent, copy, hugoIn, refusalOf } from "../hugo-project.ts";

const plain = { colour: false } as const;
const good = { "agents/good.md": agent("Good.") };
const bad = {
  ...good,
  "agents/bad.md": agent("Bad.", "steps: -1\n"),
  "agents/worse.md": agent("Worse.", "top_p: x\n"),
};
const [first, second] = [
  'agents/bad.md:4:1: OpenCode fails to start with this value for "steps"',
  'agents/worse.md:4:1: OpenCode fails to start with this value for "top_p"',
];

test("a package with several files that OpenCode would die of is refused with a line for each", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", good), copy("1.1.0", bad));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);

  const failure = failureOf(await refusalOf(hugo.install("@org/notes")), "hugo");
  const hint = "Only the package's author can fix it.";
  expect(formatFailure(failure, "hugo", plain)).toBe(`hugo: ${first}\n  ${second}\n${hint}\n`);
  expect(JSON.parse(formatFailureAsJson(failure)).error).toEqual({
    code: "content-invalid",
    message: `${first}; ${second}`,
    at: "agents/bad.md:4:1",
    hint,
    parts: [
      { at: "agents/bad.md:4:1", message: 'OpenCode fails to start with this value for "steps"' },
      { at: "agents/worse.md:4:1", message: 'OpenCode fails to start with this value for "top_p"' },
    ],
  });

  const described = await hugo.info("@org/notes");
  expect(infoCommand.report.notes(described, plain)).toStartWith(
    `Warning: It cannot be installed: ${first}\n  ${second}\n  ${hint}\n`,
  );

  await hugo.install("@org/notes@1.0.0");
  const lock = await project.read(".opencode/hugo.json");
  await project.write(".opencode/hugo.json", lock.replace('"@org/notes@1.0.0"', '"@org/notes"'));
  const updated = await hugo.update();
  expect(updateCommand.report.notes(updated, plain)).toStartWith(
    `notes was not updated: ${first}\n  ${second}\n  ${hint}\nNothing was changed.\n`,
  );
});

test("the refused one of several packages is named", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", good, "@org/fine"), copy("1.0.0", bad, "@org/ill"));
  registry.publish({ name: "@org/empty", version: "1.0.0", files: { "README.md": "Nothing." } });
  registry.publish({ name: "@org/odd", version: "1.0.0", files: { "workflow.json": "{ nonsense" } });
  await using project = await tmpProject({ registry });
  const refused = async (...specs: string[]): Promise<string> =>
    formatFailure(failureOf(await refusalOf(hugoIn(project).install(specs)), "hugo"), "hugo", plain);
  expect(await refused("@org/fine", "@org/empty")).toStartWith(
    "hugo: @org/empty is not a workflow and not an OpenCode plugin: ",
  );
  expect(await refused("@org/fine", "@org/odd")).toStartWith("hugo: @org/odd: workflow.json:1:3: expected ");
  expect(await refused("@org/fine", "@org/ill")).toStartWith(`hugo: @org/ill/${first}\n  @org/ill/${second}\n`);
  for (const [path, text] of Object.entries(bad)) await project.write(`local/${path}`, text);
  expect(await refused("@org/fine", "./local")).toStartWith(`hugo: local/${first}\n  local/${second}\n`);
  expect(await refused("./local")).toStartWith(`hugo: local/${first}\n  local/${second}\n`);
  expect(await refused("@org/fine", "@org/nowhere")).toMatch(
    /^hugo: The registry \S+ does not have the package @org\/nowhere\n/,
  );
});

test("a single problem is shown unchanged, and foreign text in several is escaped", () => {
  const one = { code: "x", message: "a.md:1:1: bad", at: "a.md:1:1", exitCode: 3 };
  expect(formatFailure({ ...one, parts: [{ at: "a.md:1:1", message: "bad" }] }, "hugo", plain)).toBe(
    "hugo: a.md:1:1: bad\n",
  );
  const parts = [1, 2].map((line) => ({ at: `a\x1b[2J.md:${line}:1`, message: "bad\nhugo: all is well" }));
  expect(formatFailure({ ...one, parts }, "hugo", plain)).toBe(
    "hugo: a\\x1b[2J.md:1:1: bad hugo: all is well\n  a\\x1b[2J.md:2:1: bad hugo: all is well\n",
  );
});
