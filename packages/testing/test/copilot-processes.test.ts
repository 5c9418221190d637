// Copilot's processes and connections.
import { expect, setDefaultTimeout, test } from "bun:test";
import { copilotClient } from "@atomic/testing/copilot";
import { heavyHost } from "@atomic/testing/heavy";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { modelServer } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";
import { ask, tracedAnswer, traceMissing } from "./hosts/network-trace.ts";

setDefaultTimeout(180_000);

const host = heavyHost("copilot");
if (!host.available) console.warn(`skipped: tests of Copilot's processes: ${host.reason}`);
const copilotTest = test.skipIf(!host.available);

copilotTest("a disposed client takes the tool that is running with it", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  await using running = await longRunningCommand();
  model.expect("hold on").tool("bash", { command: running.command, description: "Hold on" });
  {
    await using copilot = await copilotClient(project, model);
    const session = await copilot.createSession();
    await session.send("hold on");
    await running.started;
  }
  await running.ended;
});

copilotTest("a killed test takes Copilot and its tool with it", async () => {
  await using project = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  const asking = await project.start(["bun", ask, "copilot", running.command]);
  await running.started;
  process.kill(asking.pid, "SIGKILL");
  await running.ended;
});

const untraceable = host.available ? traceMissing() : host.reason;
if (untraceable) console.warn(`skipped: the trace of Copilot's connections: ${untraceable}`);

test.skipIf(untraceable !== undefined)("Copilot connects only to the scripted model", async () => {
  await using project = await tmpProject({ git: false });
  const { stdout, connections } = await tracedAnswer(project, "copilot", "echo $((6 * 7))");
  expect(stdout).toContain("it said 42");
  expect(connections.map((address) => `http://${address}`)).toEqual([/model (\S+)/.exec(stdout)?.[1] ?? ""]);
});
