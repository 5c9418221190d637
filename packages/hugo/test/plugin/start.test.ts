// What OpenCode has to load and to wait for at every start.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { loadedAtOnce } from "@atomic/testing/loaded-at-once";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { bundleHugo } from "../cli/programs.ts";

setDefaultTimeout(180_000);
const bundle = join(import.meta.dirname, "../../dist/bundle");

beforeAll(bundleHugo);

test("it is a few small files, without any command", () => {
  const texts = [...loadedAtOnce(join(bundle, "plugin.js")).values()];
  expect(texts.length).toBeLessThan(6);
  expect(texts.join("").length).toBeLessThan(16_000);
});

test("in OpenCode's own runtime it exports one plugin, which reads and writes nothing until it is used", async () => {
  await using folder = await temporaryFolder("plugin-start-");
  const script = `
    const fs = require("node:fs");
    const touched = [];
    for (const name of Object.keys(fs)) {
      const real = fs[name];
      if (typeof real === "function" && /^(?:read|write|open|mkdir|stat|access|exists|rm)/.test(name)) {
        fs[name] = (...given) => { touched.push(name); return real(...given); };
      }
    }
    const module = await import(${JSON.stringify(join(bundle, "plugin.js"))});
    const hooks = await module.default.server({ directory: process.cwd(), client: {} });
    await hooks.config({});
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "a" } } });
    console.log(JSON.stringify({ exports: Object.keys(module), id: module.default.id, hooks: Object.keys(hooks), touched }));
  `;
  await Bun.write(join(folder.path, "start.mjs"), script);
  const child = Bun.spawn([opencodeBinary, "start.mjs"], {
    cwd: folder.path,
    env: { ...process.env, BUN_BE_BUN: "1" },
    stdout: "pipe",
  });
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({
    exports: ["default"],
    id: "hugo-pm",
    hooks: ["config", "event", "tool", "tool.definition"],
    touched: [],
  });
  expect(await child.exited).toBe(0);
  expect(readdirSync(folder.path)).toEqual(["start.mjs"]);
});
