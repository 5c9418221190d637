// A folder becomes a link to elsewhere in the middle of a transaction: whatever the moment, nothing changes there.
import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { DurableError } from "../src/errors.ts";
import { transaction } from "../src/transaction/transaction.ts";
import { tree } from "./scenario/tree.ts";

const CALLS = [
  ...["closeSync", "existsSync", "fchmodSync", "fchownSync", "fstatSync", "fsyncSync", "linkSync", "lstatSync"],
  ...["mkdirSync", "openSync", "readSync", "readdirSync", "readlinkSync", "renameSync", "rmdirSync", "statSync"],
  ...["symlinkSync", "unlinkSync", "writeSync"],
] as const;

/**
 * Runs `act` while something happens right before its n-th call of the file system after it has looked up where
 * everything is: then it writes its record. Returns how many such calls it made.
 */
async function interposed(n: number, happens: () => void, act: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const spies = CALLS.map((name) => {
    const real = Reflect.get(fs, name) as (...all: unknown[]) => unknown;
    return spyOn(fs, name as "statSync").mockImplementation(((...all: unknown[]) => {
      if (calls > 0 || (name === "openSync" && String(all[0]).includes("transaction."))) calls += 1;
      if (calls === n) happens();
      return real(...all);
    }) as never);
  });
  try {
    await act();
    return calls;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

if (process.platform !== "linux") console.log("Only Linux can open a folder and stay in it: skipped.");

test.skipIf(process.platform !== "linux").each(["config", "config/agents"])(
  "%s that becomes a link at any moment changes nothing where the link leads",
  async (replaced) => {
    await using folder = await temporaryFolder();
    const at = (path: string) => join(folder.path, path);
    const scene = (): void => {
      for (const name of fs.readdirSync(folder.path)) fs.rmSync(at(name), { recursive: true });
      for (const each of ["config/agents", "outside/agents", "outside/empty", "state"]) {
        fs.mkdirSync(at(each), { recursive: true });
      }
      for (const base of ["config", "outside"]) {
        for (const name of ["agents/old.md", "agents/edited.md", "edited.md"])
          fs.writeFileSync(at(`${base}/${name}`), name);
      }
    };
    const change = async (): Promise<"done" | "refused"> => {
      try {
        await transaction(
          at("state"),
          [
            { path: at("config/agents/new.md"), content: "new" },
            { path: at("config/agents/edited.md"), content: "changed" },
            { path: at("config/edited.md"), content: "changed" },
            { path: at("config/agents/deep/er/new.md"), content: "new" },
            { path: at("config/agents/old.md"), delete: true },
          ],
          { pruneEmptyUpTo: at("config") },
        );
        return "done";
      } catch (error) {
        if (error instanceof DurableError || (error as NodeJS.ErrnoException).code !== undefined) return "refused";
        throw error;
      }
    };
    const target = replaced === "config" ? "outside" : "outside/agents";
    const ends = new Set<string>();
    for (let n = 1; ; n += 1) {
      scene();
      const before = tree(at("outside"));
      let end = "";
      const calls = await interposed(
        n,
        () => {
          fs.renameSync(at(replaced), at("moved"));
          fs.symlinkSync(at(target), at(replaced));
        },
        async () => {
          end = await change();
        },
      );
      if (calls < n) break;
      ends.add(end);
      expect({ n, outside: tree(at("outside")) }).toEqual({ n, outside: before });
    }
    expect(ends).toEqual(new Set(["done", "refused"]));
  },
  120_000,
);
