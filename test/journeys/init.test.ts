// What `atomic init` writes, on the real OpenCode with a scripted model: it asks, and only then publishes.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { atomic, buildAtomic } from "./atomic.ts";

setDefaultTimeout(180_000);
beforeAll(buildAtomic);

const bin = join(import.meta.dirname, "../../packages/atomic/bin/atomic.js");

test("the first workflow drafts, asks you, and publishes", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({ files: { "~/.config/opencode/opencode.json": opencodeConfig(model) } });
  await project.skipPluginInstall();
  expect(await atomic(project, "init")).toMatchObject({ code: 0 });
  const news = { filePath: project.path("NEWS.md"), content: "# 1.4.0\n\n- Dark mode\n" };
  model.expect("Write release notes for 1.4.0").reply("- Dark mode");
  model.expect("Add the notes for 1.4.0 to the top of NEWS.md").tool("write", news).then.reply("NEWS.md is written.");
  const argv = ["node", bin, "run", "release", "1.4.0"];
  await using screen = await terminal(argv, { cols: 80, rows: 40, cwd: project.dir, env: project.env });
  await screen.waitFor("yes or no:", { deadline: 60_000 });
  expect(await project.exists("NEWS.md")).toBe(false);
  screen.type("yes\r");
  // Whatever a workflow does not allow, you are asked about.
  await screen.waitFor(/publish wants to use write: .*\n.*always in this run.*: $/m, { deadline: 60_000 });
  expect(await project.exists("NEWS.md")).toBe(false);
  screen.type("yes\r");
  expect((await screen.exit).exitCode).toBe(0);
  expect(screen.history().join("\n").trimEnd()).toEndWith("NEWS.md is written.");
  expect(await project.read("NEWS.md")).toBe(news.content);
});
