// What a power cut may lose depends on the order of writes, syncs and renames. This reads that order from the system calls.
import { afterAll, expect } from "bun:test";
import { dirname, join } from "node:path";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { type FileOperation, listOperations } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { before, stateDir, writeProject } from "./scenario/project-files.ts";
import { bundleScenarios, runtimes } from "./scenario/runtimes.ts";

const scenarios = await bundleScenarios("install");
afterAll(() => scenarios[Symbol.asyncDispose]());

type Trace = {
  /** Place of the only rename that makes `path`. */
  renameTo(path: string): number;
  /** Whether `path` was synced between the two places. */
  synced(path: string, from: number, to: number): boolean;
  operations: readonly FileOperation[];
};

function traceOf(operations: readonly FileOperation[]): Trace {
  const at = (call: RegExp, path: string): number[] =>
    operations.flatMap((operation, index) => (call.test(operation.call) && operation.path === path ? [index] : []));
  return {
    operations,
    renameTo: (path) => {
      const [place, ...more] = at(/^rename/, path);
      expect(more).toEqual([]);
      return place ?? expect.unreachable(`nothing was renamed to ${path}`);
    },
    synced: (path, from, to) => at(/^f(data)?sync$/, path).some((place) => place > from && place < to),
  };
}

for (const runtime of runtimes) {
  faultTest(`on ${runtime.name} everything is synced before the step that relies on it`, async () => {
    await using folder = await temporaryFolder();
    const project = join(folder.path, "project");
    const state = stateDir(project);
    writeProject(project, before);
    const command = scenarios.run(runtime, "install", project);
    const trace = traceOf(await listOperations({ under: project, command, env: runtime.env }));
    const { operations, renameTo, synced } = trace;

    const [intent, commit, done] = ["intent", "commit", "done"].map((phase) =>
      renameTo(join(state, `transaction.${phase}`)),
    );
    const renames = operations.flatMap(({ call, path, from }, place) =>
      call.startsWith("rename") && from?.endsWith(".new") ? [{ place, path, from }] : [],
    );
    expect(renames).toHaveLength(3);
    const deletion = operations.findIndex(({ call, path }) => call.startsWith("unlink") && path.endsWith("/old.md"));

    expect(synced(join(state, "transaction.tmp"), 0, intent!)).toBe(true);
    for (const { path, from } of renames) {
      const wasWritten = operations.findIndex((operation) => operation.path === from);
      expect(synced(from, wasWritten, commit!)).toBe(true);
      expect(synced(dirname(path), wasWritten, commit!)).toBe(true);
    }
    // One flush of the disk serves all files that were written before the first of them is synced.
    const temps = operations.flatMap(({ call, path }, place) => (path.endsWith(".new") ? [{ call, place }] : []));
    const syncs = temps.filter(({ call }) => /^f(data)?sync$/.test(call)).map(({ place }) => place);
    const writes = temps.filter(({ call }) => /^p?write/.test(call)).map(({ place }) => place);
    expect(syncs).toHaveLength(3);
    expect(Math.min(...syncs)).toBeGreaterThan(Math.max(...writes));
    for (const { place, path } of [...renames, { place: deletion, path: operations[deletion]!.path }]) {
      expect(place).toBeGreaterThan(commit!);
      expect(synced(state, commit!, place)).toBe(true);
      expect(synced(dirname(path), place, done!)).toBe(true);
    }
    const kept = operations.flatMap(({ path }, place) =>
      path.endsWith(".old") && place < commit! ? [{ place, path }] : [],
    );
    expect(new Set(kept.map(({ path }) => path)).size).toBe(4);
    for (const { place, path } of kept) expect(synced(dirname(path), place, commit!)).toBe(true);
    const firstTemp = operations.findIndex(({ path }) => path.endsWith(".new"));
    expect(synced(state, intent!, firstTemp)).toBe(true);
    const firstRemoval = operations.findIndex(({ call, path }) => call.startsWith("unlink") && path.endsWith(".old"));
    expect(synced(state, done!, firstRemoval)).toBe(true);
    const recordGone = operations.findIndex(({ call, path }) => call.startsWith("unlink") && path.endsWith(".done"));
    const removals = operations.flatMap(({ call, path }, place) =>
      call.startsWith("unlink") && path.endsWith(".old") && !path.includes("/legacy/") ? [{ place, path }] : [],
    );
    expect(removals).toHaveLength(3);
    for (const { place, path } of removals) expect(synced(dirname(path), place, recordGone)).toBe(true);
    for (const made of operations.filter(({ call, path }) => call.startsWith("mkdir") && path.includes("/skills"))) {
      expect(synced(dirname(made.path), made.number - 1, commit!)).toBe(true);
    }
  });
}
