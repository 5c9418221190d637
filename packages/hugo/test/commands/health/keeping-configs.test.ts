import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { keepingConfigs } from "../../../src/commands/health.ts";
import { placeFor } from "../../../src/workspace/place.ts";

const configs = {
  "opencode.json": '\uFEFF{"plugin": []}',
  ".opencode/opencode.jsonc": '\n {\r\n  // mine\r\n  "plugin": []\r\n}\r\n',
  "~/.config/opencode/opencode.json": "{}\n",
};

/** As OpenCode does when it starts. */
function withSchema(text: string): string {
  return text.replace(/^\s*\{/, '{\n  "$schema": "https://opencode.ai/config.json",');
}

test("OpenCode's writes to config files during a check are undone byte for byte", async () => {
  await using project = await tmpProject({ files: configs });
  const place = placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false });
  const answer = await keepingConfigs(place, async () => {
    for (const [path, text] of Object.entries(configs)) await project.write(path, withSchema(text));
    return "answer";
  });
  expect(answer).toBe("answer");
  for (const [path, text] of Object.entries(configs)) expect(await project.read(path)).toBe(text);
});

test("it is also undone if the answer is no longer needed", async () => {
  await using project = await tmpProject({ files: configs });
  const place = placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false });
  const asking = keepingConfigs(place, async () => {
    await project.write("opencode.json", withSchema(configs["opencode.json"]));
    throw new Error("enough");
  });
  await expect(asking).rejects.toThrow("enough");
  expect(await project.read("opencode.json")).toBe(configs["opencode.json"]);
});

test("changes others make meanwhile are kept, and nothing is written needlessly", async () => {
  await using project = await tmpProject({ files: configs });
  const place = placeFor({ cwd: project.dir, home: project.home, env: project.env }, { global: false });
  await keepingConfigs(place, async () => {
    await project.write("opencode.json", '{"plugin": ["mine"]}');
    await project.remove(".opencode/opencode.jsonc");
    await project.write("opencode.jsonc", "{}");
  });
  expect(await project.read("opencode.json")).toBe('{"plugin": ["mine"]}');
  expect(await project.tree()).toEqual([".opencode/", "opencode.json", "opencode.jsonc"]);
});
