// A killed test process leaves nothing behind.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { OrphanGuard } from "@atomic/testing/marked-processes";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

test.each([
  ["temporary-folder", "temporaryFolder()"],
  ["git", 'gitRepo({ files: { "a.txt": "a" } })'],
  ["project", "tmpProject()"],
])("a killed process leaves nothing of %s", async (module, make) => {
  await using outer = await tmpProject({ git: false });
  const making = await startMaking(outer, module, `await ${make}; console.log("made"); setInterval(() => {}, 1000);`);
  await making.printed(/made/, 15_000);
  const made = readdirSync(outer.path("made"));
  expect(made).not.toEqual([]);
  const emptied = whenEmpty(outer.path("made"));
  process.kill(making.pid, "SIGKILL");
  await emptied;
});

faultTest("a killed sweep leaves neither its log nor the command it was running", async () => {
  await using outer = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  const traced = { under: outer.dir, command: ["bash", "-c", running.command], deadline: 60_000 };
  const making = await startMaking(outer, "faults/run-traced", `await runTraced(${JSON.stringify(traced)});`);
  await running.started;
  expect(readdirSync(outer.path("made"))).toHaveLength(1);
  const emptied = whenEmpty(outer.path("made"));
  process.kill(making.pid, "SIGKILL");
  await running.ended;
  await emptied;
});

test("a guard that cannot do its duty says which one", async () => {
  const guard = new OrphanGuard({ folder: "/proc/self/fd" });
  await expect(guard.end()).rejects.toThrow("/proc/self/fd could not be removed");
});

/** A separate program whose temporary files are in the folder `made`. */
async function startMaking(outer: Project, module: string, code: string): ReturnType<Project["start"]> {
  const names = { git: "gitRepo", project: "tmpProject", "faults/run-traced": "runTraced" } as Record<string, string>;
  const from = JSON.stringify(require.resolve(`@atomic/testing/${module}`));
  await outer.write("makes.ts", `import { ${names[module] ?? "temporaryFolder"} } from ${from};\n${code}`);
  await mkdir(outer.path("made"));
  return await outer.start(["bun", "makes.ts"], { env: { TMPDIR: outer.path("made") } });
}

function whenEmpty(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (readdirSync(folder).length > 0) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(folder, look);
  });
}
