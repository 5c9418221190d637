import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { loadConfig, userConfigFolder } from "../../src/config/load.ts";

test("project settings override user settings one by one; what is disabled stays disabled", async () => {
  await using project = await tmpProject({
    files: {
      ".opencode/magnus-opus.jsonc": '{ "reviewModels": { "autoUse": true }, "disabled_skills": ["convex"] } // ours',
      "~/.config/opencode/magnus-opus.json": JSON.stringify({
        reviewModels: { codeReview: ["a/b", "c/d"], autoUse: false },
        disabled_skills: ["sveltekit"],
        agents: { developer: { model: "a/b" } },
      }),
    },
  });
  const userFolder = project.path("~/.config/opencode");
  const { config, problems, files } = loadConfig({ userFolder, projectFolder: project.path(".opencode") });
  expect(config).toEqual({
    reviewModels: { codeReview: ["a/b", "c/d"], autoUse: true },
    disabled_skills: ["sveltekit", "convex"],
    agents: { developer: { model: "a/b" } },
  });
  expect(problems).toEqual([]);
  expect(files.map((file) => file.split("/").at(-1))).toEqual(["magnus-opus.json", "magnus-opus.jsonc"]);
});

test("a file that does not parse is reported with its position and does not affect the other file", async () => {
  await using project = await tmpProject({
    files: {
      ".opencode/magnus-opus.json": '{ "gates": { "quorum": 2 }',
      ".opencode/magnus-opus.jsonc": '{ "gates": { "maxIterations": 4 } }',
    },
  });
  const projectFolder = project.path(".opencode");
  const { config, problems } = loadConfig({ userFolder: join(project.home, "none"), projectFolder });
  expect(config).toEqual({ gates: { maxIterations: 4 } });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.at).toBe(`${join(projectFolder, "magnus-opus.json")}:1:27`);
  // The position is said once.
  expect(problems[0]?.message).toMatch(/^expected .*; the whole file is ignored$/s);
  expect(await readFile(join(projectFolder, "magnus-opus.json"), "utf8")).toBe('{ "gates": { "quorum": 2 }');
});

test("a folder in place of the file is reported, and nothing else is lost", async () => {
  await using project = await tmpProject({
    files: { ".opencode/magnus-opus.json/x": "", ".opencode/magnus-opus.jsonc": "{}" },
  });
  const { config, problems } = loadConfig({ userFolder: "none", projectFolder: project.path(".opencode") });
  expect(config).toEqual({});
  expect(problems.map(({ message }) => message).join()).toContain("EISDIR");
});

test.each([
  [{}, "/home/me/.config/opencode"],
  [{ XDG_CONFIG_HOME: "/cfg" }, "/cfg/opencode"],
  [{ XDG_CONFIG_HOME: "" }, "/home/me/.config/opencode"],
])("with %j the user's config is in %s", (env, folder) => {
  expect(userConfigFolder("/home/me", env)).toBe(folder);
});
