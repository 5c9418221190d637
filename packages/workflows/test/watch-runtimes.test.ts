// A watch lives in a process: what keeps that alive, and whether events arrive, each runtime decides for itself.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { OwnedProcess } from "@atomic/testing/owned-process";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";

const deadline = 30_000;
setDefaultTimeout(4 * deadline);

const runtimes = [
  { name: "Node", command: ["node"], env: {} },
  { name: "Bun", command: [process.execPath], env: {} },
  { name: "the Bun inside OpenCode", command: [opencodeBinary], env: { BUN_BE_BUN: "1" } },
];

async function bundle(folder: TemporaryFolder): Promise<string> {
  const entrypoints = [fileURLToPath(import.meta.resolve("./scenario/watch-project.ts"))];
  await Bun.build({ entrypoints, outdir: folder.path, target: "node", conditions: ["bun"], naming: "[name].mjs" });
  return join(folder.path, "watch-project.mjs");
}

describe.each(runtimes)("on $name", ({ command, env }) => {
  const start = async (script: string, ...args: string[]): Promise<OwnedProcess & AsyncDisposable> => {
    const inherited = { PATH: process.env.PATH ?? "", HOME: "/dev/null/home" };
    const argv = [...command, script, ...args];
    const watching = await OwnedProcess.start(argv, { cwd: "/", env: { ...inherited, ...env } });
    return Object.assign(watching, { [Symbol.asyncDispose]: () => watching.stop() });
  };

  test("an open watch does not keep the process alive", async () => {
    await using folder = await temporaryFolder();
    await using watching = await start(await bundle(folder), folder.path, "forget");
    expect(await watching.end(deadline)).toEqual({ code: 0, signal: null });
    expect(watching.stdout).toBe("watching\n");
  });

  test("with keepAlive it does, reports changes, and stops when it is disposed", async () => {
    await using folder = await temporaryFolder();
    await using watching = await start(await bundle(folder), folder.path, "wait");
    const agents = join(folder.path, ".claude/agents");
    const file = join(agents, "a.md");
    await watching.printed(/watching/, deadline);
    mkdirSync(agents, { recursive: true });
    writeFileSync(file, "One.");
    await watching.printed(/\[\["a"\],\[\],\[\]\]/, deadline);
    writeFileSync(file, "Two.");
    await watching.printed(/\[\[\],\["a"\],\[\]\]/, deadline);
    rmSync(join(folder.path, ".claude"), { recursive: true });
    expect(await watching.end(deadline)).toEqual({ code: 0, signal: null });
    expect(watching.stdout.trim().split("\n").at(-1)).toBe('[[],[],["a"]]');
  });
});
