// What you see when a model manages workflows: OpenCode's own screen, and `opencode run` without a user.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { opencodeRun } from "@atomic/testing/opencode";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { terminal } from "@atomic/testing/terminal";
import { plugin } from "../commands/hugo-project.ts";
import { type HugoInOpencode, hugoInOpencode } from "./hugo-in-opencode.ts";

setDefaultTimeout(120_000);

let home: HugoInOpencode;
beforeAll(async () => {
  home = await hugoInOpencode();
  home.registry.publish(plugin("1.0.0"));
});
afterAll(() => home[Symbol.asyncDispose]());

test("without a user to ask, nothing is installed, and the model reads what the user can do", async () => {
  const { project, model } = home;
  model
    .expect("install it")
    .tool("hugo_install", { spec: ["@org/review"] })
    .then.reply((request) => request.toolResults[0] ?? "");
  const run = await opencodeRun(project, { model, plugins: ["hugo-pm"], prompt: "install it" });
  expect(run.code).toBe(0);
  expect(run.text).toContain("Nothing was changed.");
  expect(run.text).toContain("The user can run `hugo install @org/review` in a terminal and approve it there.");
  expect(await project.exists(".opencode")).toBe(false);
});

test("OpenCode's screen shows what the package can do, and Enter installs it", async () => {
  const { project, model } = home;
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model, { plugin: ["hugo-pm"] }));
  model
    .expect("install it")
    .tool("hugo_install", { spec: ["@org/review"] })
    .then.reply("It is there.");
  await using screen = await terminal([opencodeBinary], { cols: 120, rows: 40, cwd: project.dir, env: project.env });
  await screen.waitFor("Ask anything", { deadline: 60_000 });
  screen.type("install it");
  await screen.waitFor("install it", { deadline: 10_000 });
  screen.press("enter");
  await screen.waitFor("Allow once", { deadline: 30_000 });
  await screen.waitFor(/Call tool hugo_install: Install review v1\.0\.0 from @org\/review\s+┃\s+What it can do:/);
  await screen.waitFor(/runs code +index\.js runs inside OpenCode with all your permissions/);
  expect(await project.exists("opencode.json")).toBe(false);
  screen.press("enter");
  await screen.waitFor("It is there.", { deadline: 20_000 });
  expect(await project.json("opencode.json")).toMatchObject({
    plugin: [expect.stringMatching(/\/\.hugo\/store\/review-[0-9a-f]{16}\/node_modules\/@org\/review$/)],
  });
});
