// A real disk that is really full: a small tmpfs. Needs the right to mount.
import { test } from "bun:test";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

export type TinyDisk = AsyncDisposable & {
  path: string;
  /** Takes all space that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  remount(options: "ro" | "rw"): void;
};

export async function tinyDisk(size = "256k"): Promise<TinyDisk> {
  const folder = await temporaryFolder("tiny-disk-");
  mount(["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder.path]);
  const filler = join(folder.path, "filler");
  return {
    path: folder.path,
    fill: () => fillUp(filler),
    free: () => fs.rmSync(filler),
    remount: (options) => mount(["-o", `remount,${options}`, folder.path]),
    async [Symbol.asyncDispose]() {
      run(["umount", "--lazy", folder.path]); // also if a failed test still has a file open
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** `test` for a body that uses a tiny disk; skipped with the reason where mounting is not allowed. */
export function tinyDiskTest(name: string, body: () => Promise<void>): void {
  const reason = whyNot();
  if (reason === undefined) test(name, body);
  else test.skip(`${name} (skipped: ${reason})`, body);
}

let known: { reason: string | undefined } | undefined;

function whyNot(): string | undefined {
  known ??= { reason: Bun.which("mount") === null ? "there is no mount" : probe() };
  return known.reason;
}

function probe(): string | undefined {
  const folder = fs.mkdtempSync(join(tmpdir(), "tiny-disk-probe-"));
  try {
    const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "tmpfs", folder]);
    if (exitCode !== 0) return stderr.toString().trim();
    run(["umount", folder]);
    return undefined;
  } finally {
    fs.rmdirSync(folder);
  }
}

function fillUp(path: string): void {
  const fd = fs.openSync(path, "w");
  try {
    for (;;) fs.writeSync(fd, Buffer.alloc(1024));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function mount(args: string[]): void {
  run(["mount", ...args]);
}

function run(command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString().trim()}`);
}
