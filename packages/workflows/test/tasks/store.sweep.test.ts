// kill -9, a full disk, … at every operation of marking tasks: the file is always whole, and the work comes to its end.
import { expect } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatReport, sweep, sweepPoints } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { parseTasks } from "../../src/tasks/parse.ts";
import { taskStore } from "../../src/tasks/store.ts";
import { markAll } from "./scenario/mark-all.ts";

const handmade = `{ "version": "1.0", // of ours
  "tasks": [
    { "id": "a", "name": "A", "status": "pending", "owner": "me", }, // first
    { "id": "b", "name": "B", "status": "pending", "dependencies": ["a"] }
  ] }\n`;

faultTest(
  "after any fault at any operation the tasks file is whole, and the next process finishes the work",
  async () => {
    await using folder = await temporaryFolder();
    const place = join(folder.path, "project");
    const file = join(place, "research/tasks.json");
    const command = [process.execPath, fileURLToPath(import.meta.resolve("./scenario/mark.ts")), place];
    const report = await sweep({
      under: place,
      command,
      prepare: () => {
        fs.rmSync(place, { recursive: true, force: true });
        fs.mkdirSync(join(place, "research"), { recursive: true });
        fs.writeFileSync(file, handmade);
      },
      recover: async () => {
        // Even before recovery, a reader finds the whole file.
        parseTasks(fs.readFileSync(file, "utf8"), file);
        // A change first finishes or undoes what was interrupted.
        const seen = () => ({ edits: [], result: fs.readdirSync(join(place, "research")).join() });
        const left = await taskStore({ folder: place, path: "research/tasks.json" }).change(seen);
        if (left !== "tasks.json") throw new Error(`not recovered: ${left}`);
        // In this process: starting another one would take as long as everything else.
        const { complete, reason } = await markAll(place);
        if (!complete) throw new Error(reason);
      },
      check: () => {
        const text = fs.readFileSync(file, "utf8");
        if (text !== handmade.replaceAll("pending", "passing")) return `the file is ${text}`;
        const left = fs.readdirSync(join(place, "research")).join();
        return left === "tasks.json" ? undefined : `left behind: ${left}`;
      },
      points: sweepPoints({ max: 3 }),
    });
    expect(report.failures, formatReport(report)).toEqual([]);
  },
);
