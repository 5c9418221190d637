// What only a real process can show: that nothing of the folder it is started in runs before its first line.
import { expect, setDefaultTimeout, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { bundleHugo, hugoBin } from "../cli/programs.ts";
import { agent } from "./making.ts";

setDefaultTimeout(180_000);

test("the program, as it is installed, runs nothing of the project that it is started in", async () => {
  await bundleHugo();
  await using project = await tmpProject({
    files: {
      "package/agents/looker.md": agent(),
      "bunfig.toml": 'preload = ["./preload.cjs"]\n[run]\nbun = true\n',
      ".npmrc": "node-options=--require ./preload.cjs\n",
      ".env": "NODE_OPTIONS=--require ./preload.cjs\nHUGO_PACKAGE_MANAGER=none\n",
      "tsconfig.json": '{ "compilerOptions": { "paths": { "*": ["./preload.cjs"] } } }',
      "node_modules/node:fs/index.js": "require('../../preload.cjs');\n",
    },
  });
  const mark = project.path("executed");
  await project.write("preload.cjs", `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");\n`);
  for (const argv of [["install", "--yes", "./package"], ["list"], ["verify"], ["remove", "--yes", "package"]]) {
    const { code, stderr } = await project.run([hugoBin, ...argv]);
    expect({ argv, code, stderr: code === 0 ? "" : stderr }).toEqual({ argv, code: 0, stderr: "" });
  }
  expect(await project.exists("executed")).toBe(false);
});
