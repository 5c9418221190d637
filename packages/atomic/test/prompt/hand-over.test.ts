// The prompt line hands its terminal to the real OpenCode, and gets it back.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { build, runtimes } from "../program.ts";

setDefaultTimeout(240_000);
beforeAll(build);

const longWait = { deadline: 90_000 };

test.each(runtimes.filter(({ name }) => name === "Node" || name === "Bun"))(
  "on $name, a text and a command reach OpenCode, which gets every key until it ends",
  async ({ command }) => {
    await using model = await modelServer();
    await using project = await tmpProject({
      files: {
        ".opencode/command/ship.md": "---\ndescription: Ships a version\n---\nShip the version $1 now\n",
        "opencode.json": opencodeConfig(model),
      },
    });
    await project.skipPluginInstall();
    model.expect(/say hi/).reply("hello from the model");
    model.expect(/every single key/).reply("all of them");
    model.expect(/Ship the version 1\.2 now/).reply("shipped");
    await using term = await terminal([...command], { cols: 100, rows: 30, cwd: project.dir, env: project.env });
    await term.waitFor("Type a task", longWait);
    term.type("say hi\r");
    await term.waitFor("hello from the model", longWait);
    expect(term.isAlternate).toBe(true);
    term.type("every single key");
    await term.waitFor("every single key", longWait);
    term.press("enter");
    await term.waitFor("all of them", longWait);
    term.press("ctrl+c");
    await term.waitFor(
      (each) => !each.isAlternate && each.screen().some((line) => line.startsWith("> Type a task")),
      longWait,
    );
    term.type("/ship 1.2\r");
    await term.waitFor("shipped", longWait);
    term.press("ctrl+c");
    await term.waitFor(
      (each) => !each.isAlternate && each.screen().some((line) => line.startsWith("> Type a task")),
      longWait,
    );
    // The models come from OpenCode.
    term.type("/model scripted/");
    term.press("tab");
    await term.waitFor(`/model scripted/${model.models[0]}`, longWait);
    term.press("enter");
    await term.waitFor(`OpenCode gets the model scripted/${model.models[0]} now.`, longWait);
    term.press("ctrl+d");
    expect((await term.exit).exitCode).toBe(0);
  },
);

test("a host that is not installed is named, with the command that installs it", async () => {
  await using project = await tmpProject({ git: false });
  const [node] = runtimes;
  const env = { ...project.env, PATH: "/usr/bin:/bin", ATOMIC_HOST: "copilot" };
  await using term = await terminal([...(node?.command ?? [])], { cols: 100, cwd: project.dir, env });
  await term.waitFor("Type a task", longWait);
  term.type("hello\r");
  await term.waitFor('Copilot is not installed: there is no program "copilot".', longWait);
  await term.waitFor("npm install -g @github/copilot", longWait);
});
