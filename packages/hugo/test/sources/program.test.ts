import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { HugoError } from "../../src/errors.ts";
import {
  fetchTimeout,
  limitsOfDependencies,
  minimumReleaseAge,
  SizeCounter,
  SLOW_NETWORK,
} from "../../src/sources/limits.ts";
import { gitEnvironment, managerEnvironment } from "../../src/sources/program/environment.ts";
import { findProgram, trustedPath } from "../../src/sources/program/find-program.ts";
import { type ProgramToRun, runProgram, TooSlow } from "../../src/sources/program/run-program.ts";
import { watchingSize } from "../../src/sources/watch-size.ts";
import { refusal } from "../refusal.ts";
import { refusalOf } from "./fetching.ts";

const env = { PATH: process.env.PATH ?? "" };

async function shell(script: string, more: Partial<ProgramToRun> = {}) {
  return await runProgram({ file: "/bin/sh", args: ["-c", script], cwd: "/", env, timeout: 30_000, ...more });
}

test("a program's end, output and words of complaint are all there", async () => {
  expect(await shell("echo out; echo err >&2; exit 3")).toEqual({ code: 3, stdout: "out\n", stderr: "err\n" });
});

test("a program has the folder, the environment and the input it was given, and nothing of ours", async () => {
  process.env.HUGO_TEST_LEAK = "leaked";
  try {
    const { stdout } = await shell("pwd; cat; echo $A-$HUGO_TEST_LEAK", {
      cwd: "/tmp",
      env: { ...env, A: "1" },
      input: "given\n",
    });
    expect(stdout).toBe("/tmp\ngiven\n1-\n");
  } finally {
    delete process.env.HUGO_TEST_LEAK;
  }
});

test("a program that does not read its input does not hurt us", async () => {
  expect(await shell("exit 0", { input: "x".repeat(1_000_000) })).toMatchObject({ code: 0 });
});

test("a program has no terminal to ask on", async () => {
  const { code } = await shell("exec < /dev/tty");
  expect(code).not.toBe(0);
});

test("output can be read as it arrives, and its reader can end the program", async () => {
  const chunks: Buffer[] = [];
  const taken = await shell("printf abc", { onOutput: (chunk) => chunks.push(chunk) });
  expect([taken.stdout, Buffer.concat(chunks).toString()]).toEqual(["", "abc"]);
  const enough = new Error("enough");
  const onOutput = (): void => {
    throw enough;
  };
  expect(await shell("echo start; exec cat /dev/zero > /dev/null", { onOutput }).catch((error: unknown) => error)).toBe(
    enough,
  );
});

test("output can go into a file, all of it, also of a program that ends while it prints", async () => {
  await using folder = await temporaryFolder("program-");
  const stdoutFile = join(folder.path, "stdout");
  writeFileSync(stdoutFile, "from before");
  const script = 'process.stdout.write("x".repeat(3_000_000)); process.exit(4)';
  const end = await runProgram({
    file: process.execPath,
    args: ["-e", script],
    cwd: "/",
    env,
    timeout: 30_000,
    stdoutFile,
  });
  expect(end).toEqual({ code: 4, stdout: "", stderr: "" });
  expect(statSync(stdoutFile).size).toBe(3_000_000);
});

test("a program that takes too long is stopped, and the caller chooses the error", async () => {
  const slow = { timeout: 100 };
  const neutral = await refusalOf(shell("exec sleep 60", slow));
  expect(neutral).toBeInstanceOf(TooSlow);
  expect(neutral).toMatchObject({
    code: "program-failed",
    message: "sh did not finish within 0.1 seconds and was stopped",
  });
  expect(neutral.hint).not.toContain("HUGO_FETCH_TIMEOUT");
  expect(await refusalOf(shell("exec sleep 60", { ...slow, whenSlow: SLOW_NETWORK }))).toMatchObject(SLOW_NETWORK);
});

test("a program that is no longer needed is stopped, or never started", async () => {
  const [reason, abort] = [new Error("enough"), new AbortController()];
  const onOutput = (): void => abort.abort(reason);
  const run = () => shell("echo started; exec sleep 60", { signal: abort.signal, onOutput }).catch((error) => error);
  expect(await run()).toBe(reason);
  expect(await shell("echo again", { signal: abort.signal }).catch((error) => error)).toBe(reason);
});

test("a guard that rejects ends the program", async () => {
  const guard = Promise.reject(new Error("too much"));
  expect(await shell("exec cat /dev/zero > /dev/null", { guard }).catch(String)).toBe("Error: too much");
});

test("a program that cannot be started is named", async () => {
  await using folder = await temporaryFolder("program-");
  const file = join(folder.path, "broken");
  writeFileSync(file, "#!/nowhere/at/all\n", { mode: 0o755 });
  expect(await refusalOf(runProgram({ file, args: [], cwd: "/", env, timeout: 9000 }))).toMatchObject({
    code: "program-failed",
  });
});

test("a program ends with us, even if we are killed", async () => {
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = createServer((socket) => {
    socket.on("error", () => undefined).once("close", () => ended.resolve());
    started.resolve();
  });
  const port = await listenOnLoopback(server);
  // It holds a connection for as long as it lives.
  const program = `require("node:net").connect(${port}, "127.0.0.1").on("close", () => process.exit())`;
  const options = { file: process.execPath, args: ["-e", program], cwd: "/", env, timeout: 600_000 };
  const own = join(import.meta.dirname, "../../src/sources/program/run-program.ts");
  const script = `import { runProgram } from ${JSON.stringify(own)}; runProgram(${JSON.stringify(options)}); console.log("watched");`;
  const us = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    await Promise.all([started.promise, once(us.stdout, "data")]);
    us.kill("SIGKILL");
    await ended.promise;
  } finally {
    server.close();
  }
});

test("no listener stays behind", async () => {
  const count = () => ["SIGINT", "SIGTERM", "SIGHUP", "exit"].map((name) => process.listenerCount(name));
  const before = count();
  await Promise.all(Array.from({ length: 5 }, () => shell("true")));
  expect(count()).toEqual(before);
});

const world = {
  cwd: "/project",
  home: "/home/me",
  env: {
    PATH: "/project/node_modules/.bin:bin::/usr/bin",
    https_proxy: "http://p",
    SSH_AUTH_SOCK: "/agent",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    LANG: "de_DE.UTF-8",
    NPM_TOKEN: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
    NODE_OPTIONS: "--require=/evil.js",
    BUN_OPTIONS: "--preload=/evil.js",
    BUN_INSPECT: "1",
    LD_PRELOAD: "/evil.so",
    DYLD_INSERT_LIBRARIES: "/evil.so",
    GIT_SSH_COMMAND: "evil",
    GIT_CONFIG_GLOBAL: "/evil",
    npm_config_script_shell: "/evil",
    npm_config_ignore_scripts: "false",
  },
};

test("git gets the user's home, keys and network, and nothing that would run something", () => {
  const given = gitEnvironment(world);
  expect(given).toMatchObject({
    PATH: "/usr/bin",
    HOME: "/home/me",
    https_proxy: "http://p",
    SSH_AUTH_SOCK: "/agent",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
  });
  expect(JSON.stringify(given)).not.toMatch(/evil|secret/);
});

test("a package manager gets the network and its own home folder", () => {
  const given = managerEnvironment(world, "/staging");
  expect(given).toMatchObject({ PATH: "/usr/bin", HOME: "/staging", TMPDIR: "/staging", https_proxy: "http://p" });
  expect(given).not.toHaveProperty("SSH_AUTH_SOCK");
  expect(JSON.stringify(given)).not.toMatch(/evil|secret|home\/me/);
});

test("without a PATH nothing is found, and nothing fails", () => {
  expect(trustedPath({ cwd: "/", home: "/root", env: {} })).toBe("");
});

test.each<[string, (path: string) => void]>([
  ["is locked", (path) => mkdirSync(path, { mode: 0 })],
  ["is a link to itself", (path) => symlinkSync(path, path)],
  ["is a file", (path) => writeFileSync(path, "")],
  ["is missing", () => undefined],
])("a folder on the PATH that %s is skipped, as shells do", async (_, make) => {
  await using folder = await temporaryFolder("path-");
  chmodSync(folder.path, 0o755);
  const [first, second] = [join(folder.path, "first"), join(folder.path, "second")];
  make(first);
  mkdirSync(second);
  writeFileSync(join(second, "tool"), "", { mode: 0o755 });
  const PATH = `${first}:${second}`;
  const find = () => findProgram("tool", { cwd: "/project", home: "/home/me", env: { PATH } });
  expect(asOrdinaryUser(find)).toBe(join(second, "tool"));
});

/** Root can look into every folder. */
function asOrdinaryUser<T>(task: () => T): T {
  if (process.getuid?.() !== 0) return task();
  process.seteuid?.(65534);
  try {
    return task();
  } finally {
    process.seteuid?.(0);
  }
}

test.each([
  [{}, 24 * 60 * 60_000],
  [{ HUGO_MINIMUM_RELEASE_AGE: "" }, 24 * 60 * 60_000],
  [{ HUGO_MINIMUM_RELEASE_AGE: "0" }, 0],
  [{ HUGO_MINIMUM_RELEASE_AGE: "90.5" }, 5_430_000],
])("with %j a release must be %d milliseconds old", (given, age) => {
  expect(minimumReleaseAge(given)).toBe(age);
});

test.each(["-1", "1d", "Infinity", "1e9", " 1", "0x10"])("a minimum age of %p is refused", (text) => {
  expect(refusal(() => minimumReleaseAge({ HUGO_MINIMUM_RELEASE_AGE: text }))).toMatchObject({
    code: "setting-invalid",
    message: "HUGO_MINIMUM_RELEASE_AGE must be a number of minutes",
  });
});

test("a fetching step has five minutes, or as many seconds as the user sets", () => {
  expect(fetchTimeout({})).toBe(300_000);
  expect(fetchTimeout({ HUGO_FETCH_TIMEOUT: "1.5" })).toBe(1500);
});

test("a counter accepts exactly up to its limit", () => {
  const counter = new SizeCounter("x", { files: 2, bytes: 10 });
  counter.add(5);
  counter.add(5);
  expect(() => counter.add(0)).toThrow(HugoError);
  expect(() => new SizeCounter("x", { files: 9, bytes: 10 }).add(11)).toThrow("x has more than 9 files or 0 MiB");
  expect(limitsOfDependencies({ files: 1, bytes: 1 })).toEqual({ files: 4, bytes: 6 });
});

test("a folder that grows beyond all measure is noticed while it grows", async () => {
  await using folder = await temporaryFolder("growing-");
  const grow = `i=0; while :; do i=$((i+1)); mkdir -p d$((i % 7)); echo x > d$((i % 7))/$i; done`;
  const error = await refusalOf(
    watchingSize(folder.path, "it", { files: 20, bytes: 1_000_000 }, (guard) =>
      shell(grow, { cwd: folder.path, guard }),
    ),
  );
  expect(error).toMatchObject({ code: "package-unsafe" });
});

test("a small or missing folder is left alone", async () => {
  const limits = { files: 5, bytes: 100 };
  expect(await watchingSize("/nowhere/at/all", "it", limits, async () => "done")).toBe("done");
  await using folder = await temporaryFolder("small-");
  // Long enough for the folder to be looked at several times while files come and go.
  const churn = "for i in $(seq 400); do echo x > a; mv a b; rm b; done";
  const end = await watchingSize(folder.path, "it", limits, (guard) => shell(churn, { cwd: folder.path, guard }));
  expect(end.code).toBe(0);
});
