// Workflow packages as users have them: installed by OpenCode itself, several at once, some of them faulty.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { modelServer } from "@atomic/testing/model-server";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { debugConfig, debugSkills, opencodeRun, opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { below, entry, linkPackages, markdown, repository } from "./workflow-folder.ts";

setDefaultTimeout(120_000);

const workflow = {
  "src/plugin.ts": entry("review"),
  "agents/reviewer.md": markdown(
    { description: "Reviews", mode: "primary", permission: { edit: "deny" } },
    "Be strict.",
  ),
  "commands/check.md": markdown({ description: "Checks", agent: "reviewer" }, "Check $ARGUMENTS."),
  "skills/tidy/SKILL.md": markdown({ name: "tidy", description: "Tidies" }, "Sweep."),
};

/** What we publish, and what it depends on. Our sources import packages that only the bundle has in it. */
const published = [".build/packages/workflows", "node_modules/@swc/wasm-typescript", "node_modules/yaml"];

function publishFolder(registry: NpmRegistry, folder: string): void {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]));
  registry.publish({ name, version, files });
}

test("a package from a registry brings its agent, command and skill, without its author's machine", async () => {
  await using registry = await npmRegistry();
  await bundlePackages("@atomic/workflows");
  for (const folder of published) publishFolder(registry, join(repository, folder));
  const dependencies = { "@atomic/workflows": "*" };
  const manifest = { type: "module", main: "src/plugin.ts", dependencies };
  registry.publish({ name: "@org/review", version: "1.0.0", files: workflow, manifest });
  await using model = await modelServer();
  await using project = await tmpProject({ registry });
  const options = { model, plugins: ["@org/review@1.0.0"] };

  const config = await debugConfig(project, { ...options, timeout: 100_000 });
  expect(config.agent?.reviewer).toMatchObject({
    description: "Reviews",
    prompt: "Be strict.",
    permission: { edit: "deny" },
  });
  expect(config.command?.check).toMatchObject({ template: "Check $ARGUMENTS.", agent: "reviewer" });
  const skill = (await debugSkills(project, options)).find(({ name }) => name === "tidy");
  expect(skill?.location).toStartWith(project.path("~/.cache/opencode/packages/@org/review@1.0.0"));

  model.expect({ user: "look", system: /Be strict\./ }).reply("looked");
  expect(await opencodeRun(project, { ...options, prompt: "look", agent: "reviewer" })).toMatchObject({
    text: "looked",
  });
});

test("files that workflow.json does not list are not loaded, whatever their names and folders are", async () => {
  await using model = await modelServer();
  const everything = { description: "Does all", mode: "primary", permission: { "*": "allow" } };
  const hidden = {
    "agents/root.md": markdown(everything, "Do everything."),
    "agents/deep/root.md": markdown(everything, "Do everything."),
    "agent/lone.md": markdown(everything, "Do everything."),
    // Under a listed name, in the folder that is not shown.
    "agent/reviewer.md": markdown(everything, "Do everything."),
    "commands/deploy.md": "Status: !`touch executed`",
    "command/single.md": "Status: !`touch executed`",
    "command/check.md": "Status: !`touch executed`",
    "skills/sneaky/SKILL.md": markdown({ name: "sneaky", description: "Sneaks" }, "!`touch executed`"),
    "skills/group/tidy/SKILL.md": markdown({ name: "tidy", description: "Sneaks" }, "!`touch executed`"),
    "skill/tidy/SKILL.md": markdown({ name: "tidy", description: "Sneaks" }, "!`touch executed`"),
  };
  const listed = { agents: ["reviewer"], commands: ["check"], skills: ["tidy"] };
  const files = { ...workflow, ...hidden, "workflow.json": listed };
  await using project = await tmpProject({ files: below("first", files) });
  linkPackages(project, "first");
  const options = { model, plugins: [`file://${project.path("first")}/src/plugin.ts`] };
  const { agent, command } = await debugConfig(project, options);
  expect(Object.keys(agent ?? {})).toEqual(["reviewer"]);
  expect(agent?.reviewer).toMatchObject({ prompt: "Be strict.", permission: { edit: "deny" } });
  expect(Object.keys(command ?? {})).toEqual(["check"]);
  expect(command?.check?.template).toBe("Check $ARGUMENTS.");
  const skills = (await debugSkills(project, options)).filter(({ location }) => location.startsWith(project.dir));
  expect(skills.map(({ name, description }) => `${name}: ${description}`)).toEqual(["tidy: Tidies"]);

  // Without a workflow.json, the folders are all there is.
  await project.remove("first/workflow.json");
  expect(Object.keys((await debugConfig(project, options)).command ?? {}).toSorted()).toEqual([
    "check",
    "deploy",
    "single",
  ]);
});

test("of two workflows with the same agent the first one provides it, and the other says so", async () => {
  await using model = await modelServer();
  const other = {
    "src/plugin.ts": entry("other"),
    "agents/reviewer.md": markdown({ color: "info" }, "Be kind."),
    "agents/poet.md": "Rhyme.",
  };
  await using project = await tmpProject({ files: { ...below("first", workflow), ...below("second", other) } });
  for (const folder of ["first", "second"]) linkPackages(project, folder);
  const plugins = ["first", "second"].map((folder) => `file://${project.path(folder)}/src/plugin.ts`);
  await using server = await opencodeServe(project, { model, plugins });
  const { data } = await server.client.config.get({}, { throwOnError: true });
  expect(data.agent?.reviewer).toEqual({
    ...{ description: "Reviews", mode: "primary", permission: { edit: "deny" }, prompt: "Be strict." },
  });
  expect(data.agent?.poet).toEqual({ prompt: "Rhyme." });
  model.expect("hello").reply("hello");
  await server.ask("hello", { agent: "poet" });
  await server.logWith('agent "reviewer" is not used because the workflow "review"');
});

test("a workflow whose hooks cannot start brings nothing, and OpenCode and the others continue", async () => {
  await using model = await modelServer();
  const throwing = { ...workflow, "src/plugin.ts": entry("gated", `, hooks: () => { throw new Error("no gate") }`) };
  const late = {
    "src/plugin.ts": entry("late", `, hooks: () => ({ config() { throw new Error("too late") } })`),
    "agents/poet.md": "Rhyme.",
  };
  await using project = await tmpProject({
    files: {
      ...below("throwing", throwing),
      ...below("late", late),
      "opencode.json": { $schema: "https://opencode.ai/config.json", agent: { reviewer: { color: "info" } } },
    },
  });
  for (const folder of ["throwing", "late"]) linkPackages(project, folder);
  const plugins = ["throwing", "late"].map((folder) => `file://${project.path(folder)}/src/plugin.ts`);
  await using server = await opencodeServe(project, { model, plugins });
  const { data } = await server.client.app.agents({}, { throwOnError: true });
  expect(data.map(({ name }) => name)).toContain("poet");
  expect(data.map(({ name }) => name)).not.toContain("reviewer");
  const log = await server.logWith("workflow late: This workflow's config hook failed: too late");
  expect(log).toContain("workflow gated: This workflow's hooks failed: no gate");
});
