// What only the operating system can do to us: owners, permissions, full disks. Each on every runtime.
import { afterAll, describe, expect } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { listOperations, runTraced, type TracedCommand } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { rootTest, withoutPrivileges } from "./scenario/privileges.ts";
import { bundleScenarios, type Runtime, runtimes } from "./scenario/runtimes.ts";
import { tinyDisk, tinyDiskTest } from "./scenario/tiny-disk.ts";
import { tree } from "./scenario/tree.ts";

const scenarios = await bundleScenarios("write-one");
afterAll(() => scenarios[Symbol.asyncDispose]());

const nobody = 65534;
type Said = { exitCode: number; stdout: string };

function writeOne(runtime: Runtime, folder: string, content: string, as: readonly string[] = []): Said {
  const command = scenarios.run(runtime, "write-one", join(folder, ".state"), join(folder, "config.json"), content);
  const env = { ...process.env, ...runtime.env };
  const { exitCode, stdout, stderr } = Bun.spawnSync([...as, ...command], { env });
  return { exitCode, stdout: stdout.toString() + stderr.toString() };
}

for (const runtime of runtimes) {
  describe(`on ${runtime.name}`, () => {
    rootTest("mode, group and owner of a replaced file are kept", async () => {
      await using folder = await temporaryFolder();
      const config = join(folder.path, "config.json");
      fs.writeFileSync(config, "old");
      fs.chownSync(config, 0, nobody);
      fs.chmodSync(config, 0o640);
      expect(writeOne(runtime, folder.path, "new")).toEqual({ exitCode: 0, stdout: "" });
      expect(fs.readFileSync(config, "utf8")).toBe("new");
      const { uid, gid, mode } = fs.statSync(config);
      expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: 0, gid: nobody, mode: 0o640 });
    });

    rootTest("a file with a group that you are not in is written, and no one gets more than before", async () => {
      await using folder = await temporaryFolder();
      const config = join(folder.path, "config.json");
      const written = (mode: number) => {
        fs.writeFileSync(config, "old");
        fs.chownSync(config, 0, nobody);
        fs.chmodSync(config, mode);
        expect(writeOne(runtime, folder.path, `new ${mode}`, withoutPrivileges)).toEqual({ exitCode: 0, stdout: "" });
        expect(fs.readFileSync(config, "utf8")).toBe(`new ${mode}`);
        const now = fs.statSync(config);
        return { gid: now.gid, mode: now.mode & 0o7777 };
      };
      expect(written(0o640)).toEqual({ gid: 0, mode: 0o600 });
      expect(written(0o664)).toEqual({ gid: 0, mode: 0o644 });
      expect(written(0o2775)).toEqual({ gid: 0, mode: 0o755 });
      // The old group was shut out, and is among the others now.
      expect(written(0o604)).toEqual({ gid: 0, mode: 0o600 });
    });

    rootTest("a file of another user is refused, even for root", async () => {
      await using folder = await temporaryFolder();
      const config = join(folder.path, "config.json");
      fs.writeFileSync(config, "theirs");
      fs.chownSync(config, nobody, nobody);
      const { exitCode, stdout } = writeOne(runtime, folder.path, "new");
      expect(stdout).toContain(`unsafe-file: ${config} belongs to user ${nobody}, not to user 0`);
      expect(exitCode).toBe(1);
      expect(fs.readFileSync(config, "utf8")).toBe("theirs");
    });

    rootTest("a folder that may not be written is refused without a trace", async () => {
      await using folder = await temporaryFolder();
      fs.writeFileSync(join(folder.path, "config.json"), "old");
      fs.chmodSync(folder.path, 0o555);
      const before = tree(folder.path);
      const { exitCode, stdout } = writeOne(runtime, folder.path, "new", withoutPrivileges);
      expect(stdout).toMatch(/^io: .*EACCES: permission denied/);
      expect(exitCode).toBe(1);
      expect(tree(folder.path)).toEqual(before);
    });

    rootTest("a config in a folder that may not be written is left as it was", async () => {
      await using folder = await temporaryFolder();
      fs.mkdirSync(join(folder.path, "etc"));
      fs.writeFileSync(join(folder.path, "etc/real.json"), "old");
      fs.symlinkSync("etc/real.json", join(folder.path, "config.json"));
      fs.mkdirSync(join(folder.path, ".state"));
      fs.chmodSync(join(folder.path, "etc"), 0o555);
      const before = tree(folder.path);
      const { exitCode, stdout } = writeOne(runtime, folder.path, "new", withoutPrivileges);
      expect(stdout).toMatch(/^io: Nothing was changed: .*etc\/real.json cannot be written: EACCES: permission denied/);
      expect(exitCode).toBe(1);
      expect(tree(folder.path)).toEqual(before);
    });

    tinyDiskTest("a full disk leaves the file as it was and says so", async () => {
      await using disk = await tinyDisk();
      const config = join(disk.path, "config.json");
      expect(writeOne(runtime, disk.path, "old")).toEqual({ exitCode: 0, stdout: "" });
      disk.fill();
      const before = tree(disk.path);
      const { exitCode, stdout } = writeOne(runtime, disk.path, "new ".repeat(20_000));
      expect(stdout).toContain("ENOSPC: no space left on device");
      expect(exitCode).toBe(1);
      expect(tree(disk.path)).toEqual(before);
      disk.free();
      expect(writeOne(runtime, disk.path, "new").exitCode).toBe(0);
      expect(fs.readFileSync(config, "utf8")).toBe("new");
    });

    faultTest("a write that the system cuts short is completed", async () => {
      await using folder = await temporaryFolder();
      const config = join(folder.path, "config.json");
      const content = "every byte of it ".repeat(100);
      const traced: TracedCommand = {
        command: scenarios.run(runtime, "write-one", join(folder.path, ".state"), config, content),
        under: folder.path,
        env: runtime.env,
        only: ["write", "pwrite64", "writev", "pwritev"],
      };
      for (const at of [1, 2, 3]) {
        fs.rmSync(config, { force: true });
        const { exitCode, injected, operations } = await runTraced(traced, { kind: "short", at });
        expect({ exitCode, injected }).toEqual({ exitCode: 0, injected: true });
        expect(operations).toHaveLength(4); // lock, record, content, and the rest of one of them
        expect(fs.readFileSync(config, "utf8")).toBe(content);
      }
    });

    faultTest("a change whose lock cannot be released is still reported as made", async () => {
      await using folder = await temporaryFolder();
      const traced = (name: string): TracedCommand => {
        const [state, config] = [join(folder.path, name, ".state"), join(folder.path, name, "config.json")];
        fs.mkdirSync(join(folder.path, name));
        return {
          command: scenarios.run(runtime, "write-one", state, config, "new"),
          under: join(folder.path, name),
          env: runtime.env,
        };
      };
      const operations = await listOperations(traced("quiet"));
      const release = operations.find(({ call, path }) => call.startsWith("rename") && path.endsWith("released.json"));
      const { stdout } = await runTraced(traced("faulty"), { kind: "eio", at: release!.number });
      expect(stdout).toMatch(/^io: The change was completed \(1 file\)\. The lock .* could not be released: EIO/);
      expect(stdout).toContain(`completed: {"files":[{"path":"${folder.path}/faulty/config.json","did":"created"}]}`);
      expect(fs.readFileSync(join(folder.path, "faulty/config.json"), "utf8")).toBe("new");
    });
  });
}
