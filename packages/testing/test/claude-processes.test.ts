// Claude's processes and connections.
import { expect, setDefaultTimeout, test } from "bun:test";
import { claudeQuery } from "@atomic/testing/claude";
import { heavyHost } from "@atomic/testing/heavy";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { modelServer } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";
import { ask, tracedAnswer, traceMissing } from "./hosts/network-trace.ts";

setDefaultTimeout(180_000);

const host = heavyHost("claude");
if (!host.available) console.warn(`skipped: tests of Claude's processes: ${host.reason}`);
const claudeTest = test.skipIf(!host.available);

claudeTest("a disposed query takes the tool that is running with it", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  await using running = await longRunningCommand();
  model.expect("hold on").tool("Bash", { command: running.command, description: "Hold on" });
  {
    await using _claude = await claudeQuery(project, model, "hold on");
    await running.started;
  }
  await running.ended;
});

claudeTest("a killed test takes Claude and its tool with it", async () => {
  await using project = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  const asking = await project.start(["bun", ask, "claude", running.command]);
  await running.started;
  process.kill(asking.pid, "SIGKILL");
  await running.ended;
});

const untraceable = host.available ? traceMissing() : host.reason;
if (untraceable) console.warn(`skipped: the trace of Claude's connections: ${untraceable}`);

test.skipIf(untraceable !== undefined)("Claude connects only to the scripted model", async () => {
  await using project = await tmpProject({ git: false });
  const { stdout, connections } = await tracedAnswer(project, "claude", "echo $((6 * 7))");
  expect(stdout).toContain("it said 42");
  expect(connections.map((address) => `http://${address}`)).toEqual([/model (\S+)/.exec(stdout)?.[1] ?? ""]);
});
