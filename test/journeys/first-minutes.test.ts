// The parts of `atomic setup` one by one, and the programs without an installation: only our tarballs, an empty home, a project.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { forgetTarballs, stranger, walks } from "./stranger.ts";

setDefaultTimeout(300_000);
afterAll(forgetTarballs);

const shop = {
  "package.json": { name: "shop", private: true, type: "module", scripts: { test: "node --test" } },
  "src/cart.js": "export const cart = [];\n",
};

describe.each(walks())("$name", (walk) => {
  test("installs everything with one command, and has a first workflow", async () => {
    await using person = await stranger(walk, shop);
    const typed = async (command: string, ...answers: string[]): Promise<string> => {
      const { screen, exitCode } = await person.type(command, ...answers);
      expect(`${command}: ${exitCode}${exitCode === 0 ? "" : `\n${screen}`}`).toBe(`${command}: 0`);
      return screen;
    };
    await typed("npm install -g hugo-pm @atomic/cli magnus-opus");
    expect(await typed("hugo-pm setup")).toContain(".npm-global/bin/hugo");
    expect(await typed("hugo install magnus-opus", "y")).toContain('Installed workflow "magnus-opus" v0.1.0');
    await typed("atomic init");
    expect(await typed("atomic graph release")).toContain("release: Drafts release notes");
    // The program that the guide to Magnus Opus uses came with the same command.
    const status = await person.sh("magnus-opus status");
    expect(status).toMatchObject({ code: 1, stderr: expect.stringContaining("starts one.") });
    expect(await person.project.json("opencode.json")).toMatchObject({
      plugin: [expect.stringContaining("magnus-opus")],
    });
    expect(await person.project.read("src/cart.js")).toBe(shop["src/cart.js"]);

    await typed("hugo undo");
    expect(await person.project.exists("opencode.json")).toBe(false);
  });

  test("tries the programs without installing them", async () => {
    await using person = await stranger(walk, shop);
    const info = await person.sh("npx --yes hugo-pm info magnus-opus");
    expect(info).toMatchObject({ code: 0, stdout: expect.stringContaining("magnus-opus v0.1.0") });
    const entities = await person.sh("npx --yes @atomic/cli entities");
    expect(entities).toMatchObject({ code: 0, stdout: expect.stringContaining("ralph") });
    expect((await person.project.tree()).toSorted()).toEqual(["package.json", "src/cart.js"]);

    // A command that it prints runs the same package, not another one that is named like the program.
    await person.sh("npx --yes @atomic/cli init");
    const asked = await person.sh("npx --yes @atomic/cli run release 1.4.0 --host scripted --no-wait");
    const [, approve = ""] = /^ +(npx .*approve.*?) +# yes$/m.exec(asked.stderr) ?? [];
    expect(approve).toStartWith("npx -p @atomic/cli atomic approve ");
    expect(await person.sh(approve.replace("npx", "npx --yes"))).toMatchObject({ code: 0 });
  });
});

test("bunx runs the same programs", async () => {
  const [walk] = walks();
  if (walk === undefined) throw new Error("There is no walk.");
  await using person = await stranger({ ...walk, prefix: [] }, shop);
  const bunx = `'${process.execPath}' x`;
  const env = { BUN_CONFIG_REGISTRY: person.registry.url };
  for (const [name, command] of [
    ["@atomic/cli", "--version"],
    ["hugo-pm", "--version"],
  ] as const) {
    const { code, stdout, stderr } = await person.sh(`${bunx} ${name} ${command}`, { env });
    expect({ code, stdout, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
  }

  // `bunx atomic` would run another package, which is named like the program.
  await person.sh(`${bunx} @atomic/cli init`, { env });
  const asked = await person.sh(`${bunx} @atomic/cli run release 1.4.0 --host scripted --no-wait`, { env });
  const [, approve = asked.stderr] = /^ +(\S+x .*approve.*?) +# yes$/m.exec(asked.stderr) ?? [];
  expect(approve).toStartWith("bunx -p @atomic/cli atomic approve ");
  expect(await person.sh(approve.replace("bunx", bunx), { env })).toMatchObject({ code: 0 });
});

test("what is installed is small", async () => {
  const [walk] = walks();
  if (walk === undefined) throw new Error("There is no walk.");
  await using person = await stranger(walk);
  expect(await person.sh("npm install -g hugo-pm @atomic/cli magnus-opus")).toMatchObject({ code: 0 });
  const folder = person.project.path("~/.npm-global");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const packages = names
    .filter((name) => /node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(name))
    .map((name) => {
      const { name: own } = JSON.parse(readFileSync(join(folder, name), "utf8"));
      return own as string;
    });
  expect(packages.toSorted()).toEqual([
    ...["@atomic/cli", "@atomic/workflows", "@swc/wasm-typescript", "hugo-pm", "magnus-opus", "yaml"],
  ]);
});
