// Magnus Opus as its users get it: published, installed by Hugo, loaded by OpenCode.
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { hugo, tryHugo } from "./hugo.ts";

const magnus = join(import.meta.dirname, "../../packages/magnus-opus");

beforeAll(() => bundlePackages("hugo-pm", "magnus-opus"));

test("Hugo installs it from its folder in a clone, where the registry has no package of ours", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry });
  expect(await hugo(project, "install", magnus, "--yes")).toStartWith('Installed workflow "magnus-opus" v0.1.0 ');
  expect(registry.requests.map(({ path }) => path)).toEqual([]);
  expect(await tryHugo(project, ["health"])).toMatchObject({ code: 0 });
}, 120_000);

test("Hugo installs it, OpenCode loads it, a person approves in a shell; Hugo removes it again", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry });
  const files = await publishFolder(registry, project, magnus);
  expect(files).toEqual(
    expect.arrayContaining(["bin/magnus-opus.js", "dist/bundle/plugin.js", "dist/bundle/graph.js", "workflow.json"]),
  );

  expect(await hugo(project, "install", "magnus-opus", "--yes")).toStartWith(
    'Installed workflow "magnus-opus" v0.1.0 (11 agents, 7 skills, 15 commands, 1 workflow)\n',
  );
  expect(await tryHugo(project, ["health"])).toMatchObject({ code: 0 });

  {
    await using model = await modelServer();
    await using server = await opencodeServe(project, { model });
    const session = await server.session();
    const start = { command: "implement", arguments: "" };
    model.expect("Start a run").tool("magnus_start", start).then.tool("magnus_next").then.reply("begun");
    await server.client.session.command(
      { sessionID: session.id, command: "implement", arguments: "a page with a form" },
      { throwOnError: true },
    );
    model.expect("too early").tool("write", { filePath: "src/early.ts", content: "" }).then.reply("refused");
    await session.prompt("too early", { agent: "build" });
    const said = JSON.stringify(await session.messages());
    expect(said).toContain("Magnus Opus refused write in the architecture phase (gate: user_approval)");
    const waived = await project.run([
      "node",
      join(magnus, "bin/magnus-opus.js"),
      "waive",
      "impl",
      "user_approval",
      "a test",
    ]);
    expect(waived).toMatchObject({ code: 0 });
    model.expect("and now").tool("magnus_status").then.reply("seen");
    const answer = await session.prompt("and now", { agent: "orchestrator" });
    expect(answer.text).toBe("seen");
    const status = JSON.stringify((await session.messages()).at(-2));
    expect(status).toContain("Waiting for:");
    expect(status).not.toContain("the user's approval");
  }

  await hugo(project, "remove", "magnus-opus");
  expect(await project.tree()).not.toContain(".opencode/hugo.json");
}, 180_000);
