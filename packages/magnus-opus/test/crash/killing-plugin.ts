// Magnus Opus with a death wish: OpenCode kills itself right before or after an event of a journal is on disk, when a file
// in the home folder says which.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type Journal, openJournal } from "@atomic/durable-files/journal/journal";
import plugin from "../../src/plugin.ts";
import { type KillPoint, orderName, spentOrderName } from "./kill-point.ts";

const journals = await prototypeOfJournals();
const { appendSync } = journals;
journals.appendSync = function (this: Journal, event: unknown): number {
  dieIf({ when: "before", at: this.last + 1 });
  const at = appendSync.call(this, event);
  dieIf({ when: "after", at });
  return at;
};

function dieIf({ when, at }: KillPoint): void {
  const order = join(homedir(), orderName);
  if (!existsSync(order)) return;
  const wanted = JSON.parse(readFileSync(order, "utf8")) as KillPoint;
  if (wanted.when !== when || wanted.at !== at) return;
  renameSync(order, join(homedir(), spentOrderName));
  process.kill(process.pid, "SIGKILL");
}

/** Their class is private, except to this test. */
async function prototypeOfJournals(): Promise<Journal> {
  const folder = mkdtempSync(join(tmpdir(), "journal-"));
  await using journal = await openJournal(join(folder, "any.jsonl"));
  const prototype = Object.getPrototypeOf(journal) as Journal;
  rmSync(folder, { recursive: true });
  return prototype;
}

export default plugin;
