import { expect, test } from "bun:test";
import { type Failure, formatFailure } from "@atomic/terminal/failure";
import { UsageError } from "@atomic/terminal/refusal";
import { tmpProject } from "@atomic/testing/project";
import { disable } from "../../../src/commands/disable.ts";
import { shortPathsIn } from "../../../src/commands/shared/short-paths.ts";
import { commands } from "../../../src/commands.ts";
import { hugo } from "../../cli/hugo.ts";
import { contextOf, copiedWorkflow, input, install } from "../workspace.ts";

const plain = { colour: false } as const;
const home = "/home/me";
const short = shortPathsIn({ cwd: "/home/me/p+1", home, env: {} });

test.each([
  ["/home/me/p+1/opencode.json: bad", "opencode.json: bad"],
  ['in "/home/me/p+1/a b" (/home/me/p+1/c), `/home/me/p+1/d`', 'in "a b" (c), `d`'],
  ["/home/me/.config/opencode/opencode.jsonc", "~/.config/opencode/opencode.jsonc"],
  ["/home/me/p+1 and /home/me/", "~/p+1 and /home/me/"],
  ["/home/mean/x and /srv/home/me/x and file:///home/me/x", "/home/mean/x and /srv/home/me/x and file:///home/me/x"],
])("%s is shown as %s", (text, shown) => {
  expect(short(text)).toBe(shown);
});

test("paths stay absolute at the disk's root, and if the folder is gone", () => {
  expect(shortPathsIn({ cwd: "/", home: "/", env: {} })("/etc/x")).toBe("/etc/x");
  const gone = {
    get cwd(): string {
      throw new UsageError("gone", { hint: "" });
    },
    home,
    env: {},
  };
  expect(shortPathsIn(gone)("/home/me/x and /srv/x")).toBe("~/x and /srv/x");
});

const at = "/home/me/p+1/.opencode/hugo.json:3:5";
const file = "/home/me/p+1/.opencode/hugo.json";

test.each<[what: string, failure: Pick<Failure, "message" | "at">, shown: string]>([
  ["in front", { message: `${at}: bad`, at }, ".opencode/hugo.json:3:5: bad"],
  ["without the line", { message: `${file} is bad`, at }, ".opencode/hugo.json:3:5 is bad"],
  ["by its name only", { message: "hugo.json: bad", at }, ".opencode/hugo.json:3:5: bad"],
  ["relative already", { message: "Blocked: .opencode/hugo.json", at: file }, "Blocked: .opencode/hugo.json"],
  ["not at all", { message: "It is bad", at }, "It is bad\n  at .opencode/hugo.json:3:5"],
  [
    "as a part of other names only",
    { message: "my-hugo.json and hugo.jsonc", at: file },
    "my-hugo.json and hugo.jsonc\n  at .opencode/hugo.json",
  ],
])("a message that names its place %s names it once", (_, failure, shown) => {
  expect(formatFailure({ code: "x", exitCode: 4, ...failure }, "hugo", plain, short)).toBe(`hugo: ${shown}\n`);
});

test("files that block an undo are named once in text, and with full paths in JSON", async () => {
  const files = { "agents/linter.md": "lint\n" };
  await using project = await tmpProject();
  await install(project, { lint: copiedWorkflow("lint", files) }, files);
  await disable.run(contextOf(project), { ...input, name: ["lint"], all: false });
  await project.write(".opencode/agents/linter.md", "new\n");
  const around = { table: commands, cwd: project.dir, home: project.home, env: project.env };
  const { stderr } = await hugo(["undo"], around);
  expect(stderr).toBe(
    'hugo: "disable lint" cannot be undone because files have changed since then: .opencode/agents/linter.md\n' +
      "Nothing was changed. Use version control instead, or `hugo remove` and then `hugo install`.\n",
  );
  const { stdout } = await hugo(["undo", "--json"], around);
  expect(JSON.parse(stdout).error.at).toBe(`${project.dir}/.opencode/agents/linter.md`);
});
