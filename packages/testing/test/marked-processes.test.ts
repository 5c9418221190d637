import { expect, setDefaultTimeout, test } from "bun:test";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { markedProcesses } from "@atomic/testing/marked-processes";
import { tmpProject } from "@atomic/testing/project";
import { connectionsIn } from "./hosts/network-trace.ts";

setDefaultTimeout(180_000);

const isLinux = process.platform === "linux";
if (!isLinux) console.warn("skipped: tests of marked processes: they are found through /proc, which only Linux has");

test.skipIf(!isLinux)("a marked process in a separate session is ended", async () => {
  await using project = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  {
    await using processes = await markedProcesses();
    // The shell exits immediately, so the sleeping process has no parent of ours.
    const flee = ["sh", "-c", 'setsid bash -c "$1" >/dev/null 2>&1 &', "sh", running.command];
    expect(await project.run(flee, { env: processes.env })).toMatchObject({ code: 0 });
    await running.started;
  }
  await running.ended;
});

test.skipIf(!isLinux)("a process with another mark is left alone", async () => {
  await using project = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  await using other = await markedProcesses();
  const mine = await markedProcesses();
  const sleeper = await project.start(["bash", "-c", running.command], { env: other.env });
  await running.started;
  await mine[Symbol.asyncDispose]();
  expect(() => process.kill(sleeper.pid, 0)).not.toThrow();
});

test("every internet address in a trace is found", () => {
  const trace = [
    `12 connect(13, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.7")}, 16) = -1 EINPROGRESS`,
    `12 connect(14, {sa_family=AF_INET6, sin6_port=htons(53), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0`,
    `12 connect(3, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT`,
    `13 connect(15, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.7")}, 16) = 0`,
  ].join("\n");
  expect(connectionsIn(trace)).toEqual(["192.0.2.7:443", "::1:53"]);
});
