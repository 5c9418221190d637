// What a person sees who has a faulty workflow: OpenCode's own screen, on a real terminal.
import { expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { below, entry, linkPackages, markdown } from "./workflow-folder.ts";

setDefaultTimeout(180_000);

test("a file that is left out is shown when work begins", async () => {
  const workflow = {
    "src/plugin.ts": entry("team"),
    "agents/broken.md": markdown({ mode: "boss" }),
    "agents/a.md": "Hi",
  };
  await using model = await modelServer({ allowUnused: true });
  await using project = await tmpProject({
    files: { ...below("w", workflow), "opencode.json": opencodeConfig(model, { plugin: ["./w/src/plugin.ts"] }) },
  });
  linkPackages(project, "w");
  model.expect("hello").always().reply("hi");
  await using screen = await terminal([opencodeBinary], { cols: 120, rows: 40, cwd: project.dir, env: project.env });
  await screen.waitFor("Ask anything", { deadline: 30_000 });
  screen.type("hello");
  await screen.waitFor("hello", { deadline: 10_000 });
  screen.press("enter");
  await screen.waitFor("Workflow team", { deadline: 20_000 });
  expect(screen.screen().join("\n")).toContain("agents/broken.md:2:1");
});
