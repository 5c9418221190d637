import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { LockedDependencies } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../../src/errors.ts";
import { readPackageTree } from "../../../src/packages/read-tree.ts";
import { hashTree } from "../../../src/packages/tree.ts";
import { removeTree } from "../../../src/sources/remove-tree.ts";

import {
  type PackageInStore,
  type PackageOnDisk,
  PackageStore,
  storedTree,
} from "../../../src/workspace/store/store.ts";
import { tree } from "../../tree.ts";
import { packageIn, pluginWorkflow } from "../support.ts";
import { treeOf } from "../tree.ts";

const content = { "index.js": "export default 1;\n", "agents/reader.md": "Reads.\n", "bin/run": "#!/bin/sh\n" };

async function put(
  store: PackageStore,
  fetch: (into: string) => PackageOnDisk,
  dependencies?: LockedDependencies,
): Promise<PackageInStore> {
  const staging = store.staging();
  try {
    return await store.put(fetch(staging), { workflow: "review", dependencies });
  } finally {
    removeTree(staging);
  }
}

const besideFiles = {
  "package.json": JSON.stringify({ name: "beside", version: "1.0.0" }),
  "index.js": "export default 2;\n",
};
const beside: LockedDependencies = new Map([
  ["beside", { version: "1.0.0", integrity: `sha512-${"A".repeat(86)}==`, tree: hashTree(tree(besideFiles)) }],
]);

const review = (into: string): PackageOnDisk => packageIn(into, "@org/review", content);

describe("a package in the store", () => {
  test("is stored under a name derived from its content, complete and with its executable bits", async () => {
    await using folder = await temporaryFolder();
    const stored = await put(new PackageStore(folder.path), review);
    const hex = stored.hash.slice("sha256:".length, "sha256:".length + 16);
    expect(stored.folder).toBe(join(folder.path, `store/review-${hex}/node_modules/@org/review`));
    expect(readPackageTree(stored.folder)).toEqual(stored.tree);
    expect(hashTree(stored.tree)).toBe(stored.hash);
    expect(stored.tree.get("bin/run")?.executable).toBe(true);
  });

  test("is found by what the lock records about it", async () => {
    await using folder = await temporaryFolder();
    const { hash, tree } = await put(new PackageStore(folder.path), review);
    const workflow = { ...pluginWorkflow("review"), tree: hash };
    expect(storedTree(folder.path, "review", workflow)).toEqual(tree);
    expect(storedTree(folder.path, "other", workflow)).toBeUndefined();
    expect(storedTree(folder.path, "review", pluginWorkflow("review"))).toBeUndefined();
  });

  test("is never looked for outside the store, whatever the lock says", async () => {
    await using folder = await temporaryFolder();
    const { hash } = await put(new PackageStore(folder.path), review);
    const workflow = { ...pluginWorkflow("review"), package: "../../../../../etc", tree: hash };
    expect(() => storedTree(folder.path, "review", workflow)).toThrow("contains the part ..");
  });

  test("is stored once, however often it is put", async () => {
    await using folder = await temporaryFolder();
    const store = new PackageStore(folder.path);
    await put(store, review);
    const before = fs.statSync(join(folder.path, "store", fs.readdirSync(join(folder.path, "store"))[0]!)).ino;
    await put(store, review);
    const [name, ...more] = fs.readdirSync(join(folder.path, "store"));
    expect(more).toEqual([]);
    expect(fs.statSync(join(folder.path, "store", name!)).ino).toBe(before);
  });

  test("is replaced if it was tampered with", async () => {
    await using folder = await temporaryFolder();
    const store = new PackageStore(folder.path);
    const stored = await put(store, review);
    fs.writeFileSync(join(stored.folder, "index.js"), "evil()");
    await put(store, review);
    expect(fs.readFileSync(join(stored.folder, "index.js"), "utf8")).toBe(content["index.js"]);
  });

  test("does not include what package managers put into it", async () => {
    await using folder = await temporaryFolder();
    const stored = await put(new PackageStore(folder.path), (into) => {
      const fetched = review(into);
      fs.mkdirSync(join(fetched.folder, ".git"));
      fs.writeFileSync(join(fetched.folder, ".git/HEAD"), "");
      packageIn(fetched.folder, "inner", {});
      packageIn(into, "beside", {});
      return fetched;
    });
    const found = Object.keys(treeOf(join(stored.folder, "../..")));
    expect(found.filter((path) => /inner|beside|HEAD/.test(path))).toEqual([]);
  });

  test("includes all dependencies if OpenCode loads it from here", async () => {
    await using folder = await temporaryFolder();
    const store = new PackageStore(folder.path);
    const withDependency = (into: string): PackageOnDisk => {
      packageIn(into, "beside", besideFiles);
      return review(into);
    };
    await put(store, review);
    const stored = await put(store, withDependency, beside);
    expect(fs.existsSync(join(stored.folder, "../../beside/index.js"))).toBe(true);
    expect(fs.existsSync(join(stored.folder, "index.js"))).toBe(true);
    const before = treeOf(join(folder.path, "store"));
    await put(store, review);
    expect(treeOf(join(folder.path, "store"))).toEqual(before);
    fs.writeFileSync(join(stored.folder, "../../beside/index.js"), "evil();");
    await put(store, withDependency, beside);
    expect(treeOf(join(folder.path, "store"))).toEqual(before);
  });

  test("is refused if its dependencies are not those that were locked", async () => {
    await using folder = await temporaryFolder();
    const store = new PackageStore(folder.path);
    const other = (into: string): PackageOnDisk => {
      packageIn(into, "beside", { "index.js": "evil();" });
      return review(into);
    };
    await expect(put(store, other, beside)).rejects.toMatchObject({ code: "integrity-mismatch" });
    expect(fs.existsSync(join(folder.path, "store"))).toBe(false);
  });

  const shared = "/dev/shm";
  const isElsewhere = fs.existsSync(shared) && fs.statSync(shared).dev !== fs.statSync(tmpdir()).dev;
  (isElsewhere ? test : test.skip)(
    `is moved here with all dependencies from another disk${isElsewhere ? "" : " (skipped: no /dev/shm)"}`,
    async () => {
      await using folder = await temporaryFolder();
      const staging = fs.mkdtempSync(join(shared, "store-"));
      try {
        packageIn(staging, "beside", besideFiles);
        const options = { workflow: "review", dependencies: beside };
        const stored = await new PackageStore(folder.path).put(review(staging), options);
        expect(fs.existsSync(join(stored.folder, "../../beside/index.js"))).toBe(true);
        expect(readPackageTree(stored.folder)).toEqual(stored.tree);
        expect(stored.tree.get("bin/run")?.executable).toBe(true);
      } finally {
        removeTree(staging);
      }
    },
  );

  test("is refused if it has links or an impossible name, and nothing of it stays", async () => {
    await using folder = await temporaryFolder();
    const store = new PackageStore(folder.path);
    const linked = put(store, (into) => {
      const fetched = review(into);
      fs.symlinkSync("/etc/passwd", join(fetched.folder, "agents/x.md"));
      return fetched;
    });
    await expect(linked).rejects.toBeInstanceOf(HugoError);
    await expect(put(store, (into) => packageIn(into, "..", content))).rejects.toBeInstanceOf(HugoError);
    expect(fs.existsSync(join(folder.path, "store"))).toBe(false);
    expect(fs.readdirSync(join(folder.path, "staging"))).toEqual([]);
  });
});

test("staging is empty, private to its user, and removed afterward with its content", async () => {
  await using folder = await temporaryFolder();
  const store = new PackageStore(folder.path);
  const [one, other] = [store.staging(), store.staging()];
  expect(one).not.toBe(other);
  expect(fs.readdirSync(one)).toEqual([]);
  packageIn(one, "x", {});
  fs.symlinkSync("/", join(one, "root"));
  removeTree(one);
  removeTree(other);
  expect(fs.readdirSync(join(folder.path, "staging"))).toEqual([]);
});
