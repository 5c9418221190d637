// `atomic setup --undo` beside another setup, or another program under the name of Hugo. With Hugo itself: test/journeys/setup.test.ts.
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import { atomic } from "../atomic.ts";

setDefaultTimeout(120_000);

const record = { steps: ["magnus-opus"], files: [], isForProject: false };
const files = { "package.json": "{}\n", ".atomic/init/setup.json": JSON.stringify(record) };

interface Answer {
  readonly ok: boolean;
  readonly workflows?: readonly { readonly name: string }[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** A PATH with a program that gives these answers. */
async function withHugo(project: Project, answers: Readonly<Record<string, Answer>>) {
  const cases = Object.entries(answers).map(
    ([words, answer]) => `"${words} --json") echo '${JSON.stringify(answer)}'; exit ${answer.ok ? 0 : 3};;\n`,
  );
  await project.write("~/programs/hugo-pm", `#!/bin/sh\ncase "$*" in\n${cases.join("")}esac\n`);
  chmodSync(project.path("~/programs/hugo-pm"), 0o755);
  return { PATH: project.path("~/programs") };
}

test("of two setups at the same time, one says to run it again, and undo reverts the other", async () => {
  await using project = await tmpProject({ files: { "package.json": "{}\n" } });
  const env = { PATH: project.path("~/programs") };
  const both = await Promise.all([0, 1].map(() => atomic(project, ["setup", "--yes"], { env })));
  const [done, late] = both.toSorted((a, b) => a.code - b.code);
  expect([done?.code, late?.code]).toEqual([0, 3]);
  expect(late?.stdout).toContain("since it was read; nothing was written; run the command again\n");
  expect(await project.json(".atomic/init/setup.json")).toMatchObject({ steps: ["workflow"] });
  expect(await atomic(project, ["setup", "--undo"], { env })).toMatchObject({ code: 0 });
  expect(await project.read("package.json")).toBe("{}\n");
  expect(await project.tree()).toEqual(["package.json"]);
});

test("if Hugo can only remove Magnus Opus, undo says what stays", async () => {
  const stored = { ".opencode/.hugo/store/magnus-opus-1/package.json": "{}\n" };
  await using project = await tmpProject({ files: { ...files, ...stored } });
  const env = await withHugo(project, {
    list: { ok: true, workflows: [{ name: "magnus-opus" }] },
    "undo --dry-run": { ok: false, error: { code: "undo-blocked", message: "opencode.json has changed" } },
    "remove magnus-opus": { ok: true },
    "remove magnus-opus --dry-run": { ok: true },
  });
  const said = "hugo remove magnus-opus; its package stays in .opencode/.hugo until you run `hugo-pm prune`\n";
  for (const flags of [["--dry-run"], []]) {
    const undone = await atomic(project, ["setup", "--undo", ...flags], { env });
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining(said) });
  }
});

test("if Hugo cannot say what is installed, Magnus Opus stays on record", async () => {
  await using project = await tmpProject({ files });
  const broken = { ok: false, error: { code: "lock-invalid", message: "hugo.json does not parse" } };
  const env = await withHugo(project, { list: broken, "undo --dry-run": broken, "remove magnus-opus": broken });
  const { code, stdout } = await atomic(project, ["setup", "--undo"], { env });
  expect(code).toBe(3);
  expect(stdout).toContain("✗ Magnus Opus, for /implement in OpenCode: failed: hugo.json does not parse\n");
  expect(await project.json(".atomic/init/setup.json")).toEqual(record);
});
