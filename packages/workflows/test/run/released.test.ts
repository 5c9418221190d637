// A journal of every format that was ever released: what wrote it must be able to change, what it says must not.
import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import { toyInterpreter } from "./toy.ts";

test("a journal of format 1 is read and resumed", async () => {
  await using folder = await temporaryFolder();
  fs.cpSync(join(import.meta.dirname, "fixtures/v1"), folder.path, { recursive: true });
  const begun: string[] = [];
  const engine = embeddedEngine(folder.path, {
    interpret: toyInterpreter((key) => {
      begun.push(key);
      return `did ${key}`;
    }),
  });
  const before = await engine.state("run");
  expect(before).toMatchObject({ name: "example", input: { topic: "locks" }, budget: { usd: 1 }, claims: 1, inbox: 1 });
  expect(before.spent).toMatchObject({ tokens: 660, steps: 8, wallMs: 50 });
  expect(
    [...before.calls].map(([key, call]) => [key, typeof call.phase === "string" ? call.phase : call.phase.kind]),
  ).toEqual([
    ["start", "finished"],
    ["fan", "ended"],
    ["fan.0/a1", "finished"],
    ["fan.1/b1", "finished"],
    ["fan.0/nap", "ended"],
    ["fan.1/b2", "finished"],
    ["fan.0/a2", "finished"],
    ["first", "ended"],
    ["first.0/quick", "finished"],
    ["first.1/slow", "abandoned"],
    ["approve", "open"],
  ]);
  await engine.signal("run", "approve", "yes");
  expect(await (await engine.run("run")).ended).toMatchObject({
    kind: "done",
    result: {
      value: [
        "did start",
        [
          ["did fan.0/a1", "slept", "did fan.0/a2"],
          ["did fan.1/b1", "did fan.1/b2"],
        ],
        [["did first.0/quick"], 0],
        "yes",
        [["did L#1/work"], ["did L#2/work"]],
      ],
    },
  });
  expect(begun).toEqual(["L#1/work", "L#2/work"]);
});
