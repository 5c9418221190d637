// A cloned repository may contain a record. No matter what it says, only files that were staged here are changed.
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { refusal } from "./refusal.ts";
import { payload, plantedRepository, secret, sha256 } from "./scenario/planted.ts";
import { tree } from "./scenario/tree.ts";

const phases = ["intent", "commit", "undo", "done"] as const;
const id = "0123456789ab";

/** Recovery as a caller sees it: what it did, or the code of the refusal. */
async function recovered(state: string): Promise<string> {
  try {
    return (await recover(state))?.outcome ?? "nothing";
  } catch (error) {
    if (error instanceof DurableError) return error.code;
    throw error;
  }
}

/** Entries that would do harm if the record were believed: as planned, and as if they had been applied already. */
function harmful(target: string): Record<string, string>[] {
  const [there, next] = [sha256(secret), sha256(payload)];
  return [
    { kind: "create", target, old: "absent", new: next },
    { kind: "create", target, old: "absent", new: there },
    { kind: "replace", target, old: there, new: next },
    { kind: "replace", target, old: next, new: there },
    { kind: "delete", target, old: there, new: "absent" },
  ];
}

const forged = { temp: "../../payload", backup: "../../../home/id_rsa" };
const forgedInHome = {
  temp: `../../../home/.durable-${id}-0.new`,
  backup: `../../../home/.durable-${id}-0.old`,
};

for (const phase of phases) {
  describe(`a planted record of phase ${phase}`, () => {
    for (const names of [forged, { ...forged, temp: "../../../home/id_rsa" }, forgedInHome]) {
      test(`that names its own staged files (${names.temp}, ${names.backup}) is refused as damaged`, async () => {
        for (const place of ["../../../home/.bash_login", "../../../home/id_rsa", "../../inside"]) {
          for (const entry of harmful(place)) {
            await using planted = await plantedRepository();
            const home = tree(planted.home);
            planted.plant(phase, { entries: [{ ...entry, ...names }], folders: [], prune: [] });
            const repository = tree(planted.repository);
            expect(await recovered(planted.state)).toBe("damaged");
            expect(tree(planted.home)).toEqual(home);
            expect(tree(planted.repository)).toEqual(repository);
          }
        }
      });
    }

    test.each(["../../../home/id_rsa", "../../../home/new", "../../inside", "../../new"])(
      "changes no file at %s, beside which nothing was staged",
      async (target) => {
        for (const entry of harmful(target)) {
          for (const more of [[], [{ kind: "replace", target: "../../payload", old: sha256("x"), new: sha256("y") }]]) {
            await using planted = await plantedRepository();
            const [home, repository] = [tree(planted.home), tree(planted.repository)];
            planted.plant(phase, { id, entries: [entry, ...more], folders: [], prune: [] });
            await recovered(planted.state);
            expect(tree(planted.home)).toEqual(home);
            expect(tree(planted.repository)).toEqual(repository);
          }
        }
      },
    );

    test.each([
      ["a symbolic link on the way", { entries: harmful("../../link/id_rsa").slice(0, 1) }],
      ["a symbolic link on the way to what is missing", { entries: harmful("../../link/a/b").slice(0, 1) }],
      ["the record itself", { entries: harmful("transaction.done").slice(0, 1) }],
      ["the record in capitals", { entries: harmful("Transaction.DONE").slice(0, 1) }],
      ["the lock", { entries: harmful("lock/1/owner.json").slice(0, 1) }],
      ["a staged file", { entries: harmful(`../../.durable-${id}-7.new`).slice(0, 1) }],
      ["an absolute path", { entries: harmful("/etc/passwd").slice(0, 1) }],
      ["a NUL character", { entries: harmful("a\0b").slice(0, 1) }],
      ["the same target twice", { entries: harmful("../../new").slice(0, 2) }],
      ["a folder that is above no target", { folders: ["../../../home/keys"] }],
      ["a folder to prune that is above no deletion", { prune: ["../../../home/keys"] }],
      ["another key", { more: 1 }],
      ["no key at all", { prune: undefined }],
      ["an invalid id", { id: "../../../../x" }],
      ["an invalid entry", { entries: [null] }],
      ["an invalid target", { entries: [{ ...harmful("x")[0], target: 1 }] }],
      ["an unknown kind", { entries: [{ ...harmful("x")[0], kind: "append" }] }],
      ["states that do not fit the kind", { entries: [{ ...harmful("x")[0], old: sha256("x") }] }],
      ["a folder in place of a list", { folders: "../../../home/keys" }],
    ])("with %s is refused as damaged", async (_what, part) => {
      await using planted = await plantedRepository();
      planted.plant(phase, { id, entries: harmful("../../new").slice(0, 1), folders: [], prune: [], ...part });
      const [home, repository] = [tree(planted.home), tree(planted.repository)];
      expect(await recovered(planted.state)).toBe("damaged");
      expect(tree(planted.home)).toEqual(home);
      expect(tree(planted.repository)).toEqual(repository);
    });
  });
}

test("a record that is refused says where it is and what to do", async () => {
  await using planted = await plantedRepository();
  planted.plant("done", { entries: [{ ...harmful("../../../home/id_rsa")[4], ...forged }], folders: [], prune: [] });
  const error = await refusal(() => transaction(planted.state, [{ path: join(planted.repository, "a"), content: "" }]));
  expect(error).toMatchObject({ code: "damaged", at: join(planted.state, "transaction.done") });
  expect(error.hint).toContain("Nothing was changed");
  expect(error.hint).toContain("remove it");
});

test("a FIFO in place of a folder does not hang recovery", async () => {
  await using planted = await plantedRepository();
  Bun.spawnSync(["mkfifo", join(planted.repository, "fifo")]);
  for (const phase of phases) {
    planted.plant(phase, { id, entries: harmful("../../fifo/x").slice(0, 1), folders: [], prune: [] });
    await recovered(planted.state);
  }
  expect(fs.lstatSync(join(planted.repository, "fifo")).isFIFO()).toBe(true);
});

test.each(["transaction.commit", "transaction.tmp", "lock", "lock/1/owner.json", "Lock/x"])(
  "a transaction that would change %s of its own state folder is refused",
  async (name) => {
    await using planted = await plantedRepository();
    const change = { path: join(planted.state, name), content: "" };
    expect((await refusal(() => transaction(planted.state, [change]))).code).toMatch(/^unsafe-/);
    expect(fs.readdirSync(planted.state)).toEqual(["lock"]);
  },
);

test("other files in the state folder may be changed", async () => {
  await using planted = await plantedRepository();
  await transaction(planted.state, [{ path: join(planted.state, "installed.json"), content: "{}" }]);
  expect(fs.readFileSync(join(planted.state, "installed.json"), "utf8")).toBe("{}");
});
