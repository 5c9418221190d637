// OpenCode's processes: its shell tools run in separate sessions.
import { expect, setDefaultTimeout, test } from "bun:test";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { ask } from "./hosts/network-trace.ts";

setDefaultTimeout(180_000);

const isLinux = process.platform === "linux";
if (!isLinux)
  console.warn("skipped: tests of OpenCode's processes: they are found through /proc, which only Linux has");
const linuxTest = test.skipIf(!isLinux);

linuxTest("a disposed server takes the tool that is running with it", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  await using running = await longRunningCommand();
  model.expect("hold on").tool("bash", { command: running.command, description: "Hold on" });
  {
    await using server = await opencodeServe(project, { model });
    const session = await server.session();
    void session.prompt("hold on").catch(() => undefined); // the server goes away in the middle of it
    await running.started;
  }
  await running.ended;
});

linuxTest("a killed test takes OpenCode and its tool with it", async () => {
  await using project = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  const asking = await project.start(["bun", ask, "opencode", running.command]);
  await running.started;
  process.kill(asking.pid, "SIGKILL");
  await running.ended;
});

test("waiting for an event of a killed server fails at once and names it", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  model.expect("die").tool("bash", { command: "kill -s KILL $PPID", description: "Die" });
  await using server = await opencodeServe(project, { model });
  const session = await server.session();
  const prompted = session.prompt("die").catch((error: Error) => error.message);
  const waiting = server.waitForEvent("session.idle", { sessionID: session.id, deadline: 600_000 });
  await expect(waiting).rejects.toThrow(/No session\.idle of ses_\w+: opencode serve has ended with (137|SIGKILL)\./);
  expect(await prompted).toMatch(/opencode serve has ended with/);
});
