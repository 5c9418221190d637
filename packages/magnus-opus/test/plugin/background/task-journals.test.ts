import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { BackgroundRecord } from "../../../src/background/records.ts";
import { TaskJournals } from "../../../src/plugin/background/task-journals.ts";

const given: BackgroundRecord = { type: "given", at: 1, how: "delivery", tasks: ["ses_a"] };

async function inFolder(act: (folder: string, journals: () => TaskJournals, told: string[]) => Promise<void>) {
  await using folder = await temporaryFolder("background ü");
  const told: string[] = [];
  await act(folder.path, () => new TaskJournals(folder.path, (message) => told.push(message)), told);
}

test("what one process leaves open, the next one finds; what is settled is gone", async () => {
  await inFolder(async (folder, journals) => {
    const first = journals();
    for (const root of ["ses_open", "ses_settled"]) await first.open(root);
    await first.append("ses_open", [given]);
    first.close("ses_open", false);
    first.close("ses_settled", true);
    expect(readdirSync(folder).filter((name) => !name.endsWith(".lock"))).toEqual(["ses_open.jsonl"]);
    const next = journals();
    expect(await next.restore()).toEqual([{ records: [given], isSameProcess: true }]);
    next.close("ses_open", true);
  });
});

test("what has happened can be read again while the journal is in use, and not after that", async () => {
  await inFolder(async (_, journals) => {
    const tasks = journals();
    expect(tasks.read("ses_a")).toEqual([]);
    await tasks.open("ses_a");
    await tasks.append("ses_a", [given]);
    expect(tasks.read("ses_a")).toEqual([given]);
    tasks.close("ses_a", true);
    expect(tasks.read("ses_a")).toEqual([]);
  });
});

test("a session that another process works with is left alone", async () => {
  await inFolder(async (folder, journals, told) => {
    await using _other = await openJournal(join(folder, "ses_a.jsonl"));
    expect(await journals().restore()).toEqual([]);
    await expect(journals().open("ses_a")).rejects.toThrow("held by");
    expect(told).toEqual([]);
  });
});

test("a damaged journal is set aside, one of a newer version is not touched; both are reported", async () => {
  await inFolder(async (folder, journals, told) => {
    const newer = join(folder, "ses_newer.jsonl");
    {
      await using journal = await openJournal(newer);
      await journal.append({ type: "background-tasks", version: 99 });
    }
    const before = await readFile(newer, "utf8");
    const first = journals();
    await first.open("ses_bad");
    await first.append("ses_bad", [given, given]);
    first.close("ses_bad", false);
    const bad = join(folder, "ses_bad.jsonl");
    await writeFile(bad, (await readFile(bad, "utf8")).replace("delivery", "deLivery"));
    const next = journals();
    expect(await next.restore()).toEqual([{ records: [], isSameProcess: true }]);
    expect(told).toEqual([expect.stringContaining("set aside"), expect.stringContaining("newer version")]);
    expect(await readFile(newer, "utf8")).toBe(before);
    next.close("ses_bad", true);
  });
});
