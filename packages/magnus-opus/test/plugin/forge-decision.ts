// What an agent's program can do that knows how Magnus Opus keeps its record. Run by Bun, from an agent's shell:
//   forge-decision.ts <how> <journal> <words…>
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { consoleOf } from "@atomic/terminal/console";
import { main } from "../../src/cli/main.ts";
import type { MagnusEvent } from "../../src/run/event.ts";
import * as persons from "../../src/run/person-actions.ts";
import { openRun } from "../../src/sessions/journal.ts";
import { sealOf, sealPath, writeSeal } from "../../src/sessions/seal.ts";

const [how = "", journal = "", ...words] = process.argv.slice(2);
const [why = "", place = ""] = words;
const by = { kind: "person", how: "command", name: "anna" } as const;

/** The decision that every attempt is about. */
function waived(): MagnusEvent {
  return { type: "waived", at: Date.now(), by, phase: "implementation", gate: "phase", why };
}

function records(): unknown[] {
  return readJournal(journal).records.map(({ event }) => event);
}

async function write(path: string, events: readonly unknown[]): Promise<void> {
  await using file = await openJournal(path);
  for (const event of events) file.appendSync(event);
}

const ways: Readonly<Record<string, () => Promise<void>>> = {
  /** As the plugin itself would. */
  append: async () => await write(journal, [waived()]),
  /** All of it, with sums that fit, in another file; what was decided before is different, too. */
  copy: async () => {
    const [first, ...rest] = records() as [{ description: string }, ...unknown[]];
    await write(place, [{ ...first, description: "something else" }, ...rest, waived()]);
  },
  /** Only the end is new. */
  longer: async () => await write(place, [...records(), waived()]),
  /** The line that would come next. */
  line: async () => {
    await write(place, [...records(), waived()]);
    writeFileSync(place, `${readFileSync(place, "utf8").trimEnd().split("\n").at(-1)}\n`);
  },
  /** In the person's own words of an earlier decision, of a later time. */
  replay: async () => {
    const earlier = records().find((event) => (event as MagnusEvent).type === "approved") as object;
    await write(journal, [{ ...earlier, ...waived(), by: (earlier as MagnusEvent).by }]);
  },
  seal: async () => {
    const path = sealPath(journal);
    const { root } = JSON.parse(readFileSync(path, "utf8"));
    writeSeal(path, { ...sealOf(records()), root });
  },
  library: async () => {
    await using run = await openRun({ journal, seal: sealPath(journal) }, { drive: false });
    const acted = persons.waive(run.state, { by: { ...by, how: "shell" }, at: Date.now() }, { gate: "phase", why });
    if (!acted.ok) throw new Error(acted.because);
    await run.append(acted.event);
  },
  /** The command line, told that a person calls it. */
  main: async () => {
    const cwd = join(dirname(journal), "..", "..", "..");
    const argv = ["waive", basename(dirname(journal)), "phase", why];
    const caller = { commandLine: ["magnus-opus"], agent: () => undefined };
    process.exitCode = await main(argv, { ...consoleOf(process, "magnus-opus"), cwd, caller }, "anna");
  },
};

await ways[how]!();
