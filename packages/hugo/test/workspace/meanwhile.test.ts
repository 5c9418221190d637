import { describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { hashOf } from "../../src/packages/hash.ts";
import { refuseUnsafePlace } from "../../src/workspace/safe-place.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { storedFolder, storedTree } from "../../src/workspace/store/store.ts";
import { placeIn, pluginWorkflow } from "./support.ts";

const LOOKS = ["existsSync", "lstatSync", "openSync", "readdirSync", "readFileSync", "statSync"] as const;

/** Runs `act` while something happens right after its n-th look at the disk. Gives how many looks it took. */
async function interleaved(n: number, happens: () => void, act: () => unknown): Promise<number> {
  let looks = 0;
  const counted = (look: (...all: unknown[]) => unknown) =>
    Object.assign((...all: unknown[]) => {
      try {
        return look(...all);
      } finally {
        looks += 1;
        if (looks === n) happens();
      }
    }, look);
  const spies = LOOKS.map((name) => {
    const real = Reflect.get(fs, name) as (...all: unknown[]) => unknown;
    return spyOn(fs, name).mockImplementation(counted(real) as never);
  });
  const native = fs.realpathSync.native as (...all: unknown[]) => unknown;
  spies.push(spyOn(fs.realpathSync, "native").mockImplementation(counted(native) as never) as never);
  try {
    await act();
    return looks;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** The same for every look, one run each. */
async function atEveryLook(prepare: () => void, happens: () => void, act: () => unknown): Promise<number> {
  for (let n = 1; ; n += 1) {
    prepare();
    if ((await interleaved(n, happens, act)) < n) return n - 1;
  }
}

describe("before Hugo has the lock, another one finishes at any moment", () => {
  type Act = (place: ReturnType<typeof placeIn>) => unknown;
  const looking: [what: string, act: Act][] = [
    ["the check of the place", refuseUnsafePlace],
    ["a snapshot", readSnapshot],
  ];

  test.each(looking)("%s does not mind that the state folder is gone", async (_, act) => {
    await using project = await tmpProject();
    const [state, folder] = [project.path(".opencode/.hugo"), project.path(".opencode")];
    const looks = await atEveryLook(
      () => {
        fs.mkdirSync(`${state}/lock`, { recursive: true });
        fs.mkdirSync(`${state}/generations`, { recursive: true });
        const generation = { version: 1, title: "install docs", files: [] };
        fs.writeFileSync(`${state}/generations/000001.json`, JSON.stringify(generation));
      },
      () => fs.rmSync(folder, { recursive: true, force: true }),
      () => act(placeIn(project)),
    );
    expect(looks).toBeGreaterThan(5);
  });

  test("a stored package that is being removed is either missing or complete", async () => {
    await using project = await tmpProject();
    const state = project.path(".opencode/.hugo");
    const workflow = { ...pluginWorkflow("docs"), tree: hashOf("docs") };
    const folder = storedFolder(state, "docs", workflow.package, workflow);
    const found = new Set<number | undefined>();
    await atEveryLook(
      () => {
        fs.mkdirSync(folder, { recursive: true });
        for (const name of ["a.md", "b.md", "c.md"]) fs.writeFileSync(`${folder}/${name}`, "");
      },
      () => fs.rmSync(state, { recursive: true, force: true }),
      () => found.add(storedTree(state, "docs", workflow)?.size),
    );
    expect(found).toEqual(new Set([undefined, 3]));
  });

  test("a snapshot does not mind that what it was about to finish is gone with the state folder", async () => {
    await using project = await tmpProject();
    const lock = project.path(".opencode/.hugo/lock");
    const looks = await atEveryLook(
      () => {
        fs.mkdirSync(project.path(".opencode/.hugo"), { recursive: true });
        fs.writeFileSync(project.path(".opencode/.hugo/transaction.tmp"), "");
      },
      () => {
        // Who has the lock keeps the folder.
        const isLocked = fs.existsSync(lock) && fs.readdirSync(lock).length > 0;
        if (!isLocked) fs.rmSync(project.path(".opencode"), { recursive: true, force: true });
      },
      () => readSnapshot(placeIn(project)),
    );
    expect(looks).toBeGreaterThan(15);
  });

  test("the check of the place does not mind that the record of the change is gone", async () => {
    await using project = await tmpProject();
    const record = project.path(".opencode/.hugo/transaction.intent");
    const looks = await atEveryLook(
      () => {
        fs.mkdirSync(project.path(".opencode/.hugo/lock"), { recursive: true });
        fs.writeFileSync(record, '1\n{ "entries": [], "folders": [], "prune": [] }\n');
      },
      () => fs.rmSync(record, { force: true }),
      () => refuseUnsafePlace(placeIn(project)),
    );
    expect(looks).toBeGreaterThan(5);
  });
});
