// Real processes, on Linux: elsewhere there is nothing to look at.
import { afterEach, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { AgentPrograms, agentVariable, processWords } from "../../../src/plugin/live/agent-programs.ts";

const run = "impl-20260118-143052-a1b2c3-profile";
const isOpen = (call: string): boolean => call === "call_open";

const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) await end(child);
});

const waiting = "echo ready; read line";

async function program(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = spawn("sh", ["-c", waiting], { env: { ...process.env, ...env }, detached: true });
  started.push(child);
  await once(child.stdout, "data");
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** As OpenCode does when it can be reached over a port. */
async function port() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

const isLinux = process.platform === "linux";
if (!isLinux) console.log("skipped: only Linux shows what processes have inherited");

test.if(isLinux)(
  "a program that an agent left running makes what you type doubtful, and again when it has ended",
  async () => {
    const programs = new AgentPrograms();
    await using _port = await port();
    const child = await program(programs.env(run, "call_1"));
    expect(programs.doubt([])).toBe(
      `typed while a program started by an agent was running: process ${child.pid} (sh -c ${waiting}); \`kill ${child.pid}\` ends it`,
    );
    await end(child);
    expect(programs.doubt([])).toContain(`right after a program started by an agent ended: process ${child.pid}`);
    expect(programs.doubt([])).toBeUndefined();
  },
);

test.if(isLinux)(
  "programs that a call leaves running are remembered when it ends, but not those of open calls",
  async () => {
    const programs = new AgentPrograms();
    await using _port = await port();
    const open = await program(programs.env(run, "call_open"));
    programs.remember(isOpen);
    await end(open);
    expect(programs.doubt([])).toBeUndefined();
    const left = await program(programs.env(run, "call_1"));
    programs.remember(isOpen);
    await end(left);
    expect(programs.doubt([])).toContain("right after");
  },
);

test.if(isLinux)("those of an earlier OpenCode count for the same run, those of other runs do not", async () => {
  const programs = new AgentPrograms();
  await using _port = await port();
  const child = await program({ [agentVariable]: `1:1 ${run} call_1` });
  expect(programs.doubt(["impl-20260119-143052-a1b2c3"])).toBeUndefined();
  expect(programs.doubt([run])).toContain(`process ${child.pid}`);
});

test("an OpenCode that an agent started is never the user's", () => {
  process.env[agentVariable] = `1:1 ${run} call_1`;
  try {
    expect(new AgentPrograms().doubt([])).toBe(`typed in an OpenCode instance started by an agent of run ${run}`);
  } finally {
    delete process.env[agentVariable];
  }
});

test.if(isLinux)("a process is shown with the ones that started it", async () => {
  const child = await program({});
  expect(processWords(child.pid)).toStartWith(`process ${child.pid} (sh -c ${waiting}), started by ${process.pid} (`);
  expect(processWords(2 ** 22 + 1)).toStartWith("process 4194305");
});
