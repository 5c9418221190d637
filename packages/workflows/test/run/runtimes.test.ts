// The same source on the three programs that it has to work on: a run begun by one of them is ended by the next.
import { expect, setDefaultTimeout, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

setDefaultTimeout(180_000);

const runtimes = [
  ["Node", "node"],
  ["Bun", process.execPath],
  ["the Bun inside OpenCode", opencodeBinary],
] as const;

test("a run completes on Node, on Bun and on the Bun inside OpenCode, with the same journal", async () => {
  await using folder = await temporaryFolder();
  const entrypoints = [fileURLToPath(import.meta.resolve("./scenario/run-to-end.ts"))];
  await Bun.build({ entrypoints, outdir: folder.path, target: "node", conditions: ["bun"], naming: "[name].mjs" });
  const journals = runtimes.map(([name, program]) => {
    const place = join(folder.path, name.replaceAll(" ", "-"));
    const effects = `${place}.effects`;
    fs.mkdirSync(place);
    fs.writeFileSync(effects, "");
    const command = [program, join(folder.path, "run-to-end.mjs"), place, effects];
    // The second time it has ended already.
    for (const _time of [1, 2]) {
      const { exitCode, stderr, stdout } = Bun.spawnSync(command, { env: { ...process.env, BUN_BE_BUN: "1" } });
      expect(exitCode, `${name}: ${stderr}`).toBe(0);
      expect(JSON.parse(stdout.toString())).toMatchObject({ kind: "done" });
    }
    expect(fs.readFileSync(effects, "utf8").trim().split("\n")).toHaveLength(6);
    return typesIn(join(place, "runs/run/journal.jsonl"));
  });
  expect(journals[1]).toEqual(journals[0]!);
  expect(journals[2]).toEqual(journals[0]!);
});

test("a run that Node started is resumed by Bun, and then by Node again", async () => {
  await using folder = await temporaryFolder();
  const entrypoints = [fileURLToPath(import.meta.resolve("./scenario/run-to-end.ts"))];
  await Bun.build({ entrypoints, outdir: folder.path, target: "node", conditions: ["bun"], naming: "[name].mjs" });
  const [place, effects] = [join(folder.path, "place"), join(folder.path, "effects")];
  fs.mkdirSync(place);
  fs.writeFileSync(effects, "");
  const journal = join(place, "runs/run/journal.jsonl");
  for (const [index, program] of ["node", process.execPath, "node"].entries()) {
    const { exitCode, stderr } = Bun.spawnSync([program, join(folder.path, "run-to-end.mjs"), place, effects]);
    expect(exitCode, stderr.toString()).toBe(0);
    // As if it had been killed before the last of its records reached the disk.
    const lines = fs.readFileSync(journal, "utf8").split("\n").slice(0, -1);
    if (index < 2)
      fs.writeFileSync(
        journal,
        lines
          .slice(0, -3)
          .map((line) => `${line}\n`)
          .join(""),
      );
  }
  expect(fs.readFileSync(effects, "utf8").trim().split("\n")).toHaveLength(6);
  expect(typesIn(journal).filter((type) => type === "run-claimed")).toHaveLength(3);
});

function typesIn(journal: string): string[] {
  const lines = fs.readFileSync(journal, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { event: { type: string } }).event.type);
}
