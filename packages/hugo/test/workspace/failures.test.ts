import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tmpProject } from "@atomic/testing/project";
import { HugoError } from "../../src/errors.ts";
import { change } from "../../src/workspace/change.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { installCopy, installPlugin, placeIn, refusalOf } from "./support.ts";
import { treeOf } from "./tree.ts";

// Root may write everywhere, unless it lays that right down.
const isRoot = process.getuid?.() === 0;
const asNobodySpecial = isRoot ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : [];

function readOnlyTest(name: string, body: () => Promise<void>): void {
  if (!isRoot || Bun.which("setpriv") !== null) test(name, body);
  else test.skip(`${name} (skipped: root needs setpriv to lay down its rights)`, body);
}

const files = { "agents/reader.md": "Reads.\n" };

describe("a command that fails", () => {
  test("in a fresh project leaves no .opencode behind", async () => {
    await using project = await tmpProject();
    const failing = change(placeIn(project), "hugo install", async ({ store }) => {
      const staging = store.staging();
      fs.writeFileSync(`${staging}/half-a-package`, "");
      throw new HugoError("spec-invalid", { message: "no such package", hint: "Write it differently." });
    });
    expect((await refusalOf(failing)).code).toBe("spec-invalid");
    expect(await project.tree()).toEqual([]);
  });

  test("releases the lock, and leaves everything as it was", async () => {
    await using project = await tmpProject({ files: { "opencode.json": "{}\n" } });
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installCopy(workspace, "docs", files),
      result: 0,
    }));
    const before = treeOf(project.dir);
    const failing = change(place, "hugo install", async (workspace) => {
      workspace.store.staging();
      throw new Error("a mistake of Hugo itself");
    });
    expect(failing).rejects.toThrow("a mistake of Hugo itself");
    await failing.catch(() => undefined);
    expect(treeOf(project.dir)).toEqual(before);
    await change(place, "hugo list", async () => ({ result: 0 }));
  });

  readOnlyTest("in a folder that may not be written says so once, and what to do", async () => {
    await using project = await tmpProject({ files: { ".opencode/agents/own.md": "Mine.\n" } });
    await chmod(project.path(".opencode"), 0o555);
    const program = fileURLToPath(import.meta.resolve("./scenario/command.ts"));
    const { code, stderr } = await project.run([...asNobodySpecial, process.execPath, program, "install", project.dir]);
    await chmod(project.path(".opencode"), 0o755);
    expect(code).not.toBe(0);
    expect(stderr).toStartWith(`disk-refused: ${project.path(".opencode")} cannot be written (EACCES)`);
    expect(stderr).toContain("Make the folder writable");
    expect(await project.tree()).toEqual([".opencode/agents/own.md"]);
  });

  test("leaves other files of .opencode where they are", async () => {
    await using project = await tmpProject({ files: { ".opencode/agents/own.md": "Mine.\n" } });
    await change(placeIn(project), "hugo install", async () => ({ result: "declined" }));
    expect(treeOf(project.path(".opencode"))).toMatchObject({ "agents/own.md": expect.stringContaining("Mine.") });
    expect(await project.exists(".opencode/.hugo")).toBe(false);
  });
});

describe("what a killed command left behind", () => {
  test("goes with the next command that changes something, or could have", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installCopy(workspace, "docs", files),
      result: 0,
    }));
    const before = treeOf(project.dir);
    await project.write(".opencode/.hugo/staging/abc/node_modules/x/index.js", "half");
    await project.write(".opencode/.hugo/store/old-0123456789abcdef/node_modules/old/index.js", "unused");
    await project.write(`.opencode/.hugo/bases/${"0".repeat(64)}`, "unused");
    await project.write(
      ".opencode/.hugo/unsettled",
      `store/old-0123456789abcdef\nbases/${"0".repeat(64)}\nstore/..\nbases/../../agents\nbases/half a li`,
    );
    await project.write(".opencode/.hugo/bases/new-0123", "half");
    await project.write(".opencode/.hugo/gone-0123/1/released.json", "{}");
    await project.write(".opencode/.hugo/waiting-999999999-0123", "");
    await change(place, "hugo enable", async () => ({ result: "nothing to do" }));
    expect(treeOf(project.dir)).toEqual(before);
  });

  test("goes, but what no command has listed stays: it may be another branch's", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installCopy(workspace, "docs", files),
      result: 0,
    }));
    await project.write(".opencode/.hugo/store/other-0123456789abcdef/node_modules/other/index.js", "theirs");
    await project.write(".opencode/.hugo/store/other-0123456789abcdef/tsconfig.json", "{}\n");
    await project.write(`.opencode/.hugo/bases/${"0".repeat(64)}`, "theirs");
    const before = treeOf(project.dir);
    await change(place, "hugo update", async () => ({ result: "nothing to do" }));
    expect(treeOf(project.dir)).toEqual(before);
  });

  test("does not matter if it cannot even be read", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    await mkdir(project.path(".opencode/.hugo/staging/x/locked"), { recursive: true });
    await project.write(".opencode/.hugo/staging/x/locked/file", "");
    await chmod(project.path(".opencode/.hugo/staging/x/locked"), 0o000);
    await change(place, "hugo install", async () => ({ result: 0 }));
    expect(await project.tree()).toEqual([]);
  });

  test("is tidied even if hugo.json cannot be read, but nothing that may be needed is removed", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installCopy(workspace, "docs", files),
      result: 0,
    }));
    await project.write(".opencode/.hugo/staging/abc/index.js", "half");
    await project.write(".opencode/hugo.json", "<<<<<<< ours\n");
    const bases = fs.readdirSync(project.path(".opencode/.hugo/bases"));
    const error = await refusalOf(change(place, "hugo update", async () => ({ result: 0 })));
    expect(error.code).toBe("lock-conflict");
    expect(await project.exists(".opencode/.hugo/staging")).toBe(false);
    expect(fs.readdirSync(project.path(".opencode/.hugo/bases"))).toEqual(bases);
  });
});

describe("a draft", () => {
  test("cannot write to a config file that OpenCode does not read", async () => {
    await using project = await tmpProject();
    const draft = change(placeIn(project), "hugo install", async ({ lock }) => ({
      changes: { title: "x", lock, configs: new Map([[project.path("package.json"), "{}"]]) },
      result: 0,
    }));
    await expect(draft).rejects.toThrow("is not one of this project's config files");
    expect(await project.tree()).toEqual([]);
  });

  test.each(["../x.md", "hugo.json", ".hugo/store/x", "plugins/x.js", "opencode.json", "agents/../hugo.json"])(
    "cannot write a copied file to %s",
    async (path) => {
      await using project = await tmpProject();
      const bytes = Buffer.from("x");
      const draft = change(placeIn(project), "hugo install", async ({ lock }) => ({
        changes: { title: "x", lock, files: [{ kind: "write", path, bytes, executable: false }] },
        result: 0,
      }));
      await expect(draft).rejects.toThrow();
      expect(await project.tree()).toEqual([]);
    },
  );

  test("cannot overwrite or delete a file that was never read", async () => {
    await using project = await tmpProject({ files: { ".opencode/agents/own.md": "Mine.\n" } });
    for (const kind of ["write", "delete"] as const) {
      const bytes = Buffer.from("x");
      const error = await refusalOf(
        change(placeIn(project), "hugo install", async ({ lock }) => ({
          changes: { title: "x", lock, files: [{ kind, path: "agents/own.md", bytes, executable: false }] },
          result: 0,
        })),
      );
      expect(error.code).toBe("file-taken");
    }
    expect(await project.read(".opencode/agents/own.md")).toBe("Mine.\n");
  });

  test("that changes nothing writes nothing", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installPlugin(workspace, "review"),
      result: 0,
    }));
    const before = treeOf(project.dir);
    const { lock } = await readSnapshot(place);
    await change(place, "hugo update", async () => ({ changes: { title: "update", lock }, result: 0 }));
    expect(treeOf(project.dir)).toEqual(before);
  });
});
