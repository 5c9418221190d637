import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectWith } from "../hugo/packages.ts";
import { findPeers, leftOut, peerVersions } from "../hugo/peers.ts";
import { hugo, onBun, onNode, prepare } from "../hugo/programs.ts";
import { makeOnce, shared } from "../hugo/shared-folder.ts";

setDefaultTimeout(180_000);

const variables = ["HUGO_BENCH_FOLDER", "HUGO_BENCH_PEERS"];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "atomic-bench-test-"));
  process.env.HUGO_BENCH_FOLDER = folder;
  const build = join(import.meta.dirname, "../../scripts/build.mjs");
  const { success, stderr } = Bun.spawnSync(["node", build, "hugo-pm"]);
  if (!success) throw new Error(`hugo cannot be bundled: ${stderr}`);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const variable of variables) delete process.env[variable];
});

test.each([onNode, onBun])("a project with workflows is what hugo on $name lists", (runtime) => {
  const project = projectWith(5);
  const rows = prepare(hugo(runtime, "list"), project).trimEnd().split("\n").slice(2);
  expect(rows).toHaveLength(5);
  for (const row of rows)
    expect(row).toMatch(/^ {2}workflow-00\d +v1\.0\.0 +enabled +\S+ +\(2 agents, 1 skill, 1 command\)/);
});

test("what is made once is whole, or not there", () => {
  const failing = (): void => {
    throw new Error("no");
  };
  expect(() => makeOnce("thing", failing)).toThrow("no");
  expect(existsSync(shared("thing"))).toBe(false);
  makeOnce("thing", (unfinished) => writeFileSync(join(unfinished, "file"), ""));
  expect(readdirSync(makeOnce("thing", failing))).toEqual(["file"]);
});

test("a program that cannot be installed or run is left out, with its reason", () => {
  const peers = join(folder, "peers");
  const bin = (code: string, version: string) => ({
    "package.json": JSON.stringify({ version, bin: { skills: "cli.js", openskills: "cli.js" } }),
    "cli.js": code,
  });
  const write = (name: string, files: Record<string, string>): void => {
    for (const [path, content] of Object.entries(files)) {
      const target = join(peers, "node_modules", name);
      prepare(["mkdir", "-p", target], folder);
      writeFileSync(join(target, path), content);
    }
  };
  write("skills", bin("console.log('1.2.3')", "1.2.3"));
  write("openskills", bin("process.exit(1)", "4.5.6"));
  writeFileSync(join(peers, "package.json"), "{}");
  writeFileSync(join(peers, "node_modules/.installed"), "{}");
  const found = findPeers(peers);
  expect(peerVersions(found)).toEqual({ skills: "1.2.3" });
  expect(leftOut(found)).toBe("\n- Left out: openskills (4.5.6 does not run here), rulesync (could not be installed).");
  expect(findPeers("/nowhere")).toEqual(found); // as children of the run do

  // Those that need a newer Node come with one.
  const node = join(peers, "node_modules", `node-${process.platform}-${process.arch}`, "bin/node");
  prepare(["mkdir", "-p", dirname(node)], folder);
  writeFileSync(node, '#!/bin/sh\nexec node "$@"\n', { mode: 0o755 });
  delete process.env.HUGO_BENCH_PEERS;
  const cli = join(peers, "node_modules/skills/cli.js");
  expect(findPeers(peers).skills).toEqual({ available: true, version: "1.2.3", command: [node, cli] });
});
