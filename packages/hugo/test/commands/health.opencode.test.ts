// What the real OpenCode made of what is installed, and what is found out where it says nothing.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { type Health, health } from "../../src/commands/health.ts";
import { install } from "../../src/commands/install.ts";
import { common, plain, quietContext } from "./quiet-context.ts";

setDefaultTimeout(120_000);

/** The code of a plugin that registers these agents and this folder of skills. */
function plugin(agents: Readonly<Record<string, object>>, before = ""): string {
  return `${before}
export default { id: "plugin", server: async () => ({ config: async (config) => {
  config.agent = { ...config.agent, ...${JSON.stringify(agents)} };
  config.skills = { ...config.skills, paths: [...(config.skills?.paths ?? []), new URL("./skills", import.meta.url).pathname] };
} }) };\n`;
}

function publish(
  registry: NpmRegistry,
  name: string,
  agents: Readonly<Record<string, object>>,
  more: { code?: string; manifest?: object; files?: Record<string, string> } = {},
): void {
  const names = Object.keys(agents);
  registry.publish({
    name,
    version: "1.0.0",
    manifest: { type: "module", main: "plugin.js", ...more.manifest },
    files: {
      "plugin.js": more.code ?? plugin(agents),
      "workflow.json": JSON.stringify({ agents: names }),
      ...Object.fromEntries(
        names.map((agent) => [`agents/${agent}.md`, `---\ndescription: ${agent}\n---\nI am ${agent}.`]),
      ),
      ...more.files,
    },
  });
}

const stack = new AsyncDisposableStack();
let registry: NpmRegistry;
let project: Project;

beforeAll(async () => {
  registry = stack.use(await npmRegistry());
  project = stack.use(await tmpProject({ registry }));
  publish(
    registry,
    "verse",
    { poet: { prompt: "I am poet.", description: "poet" } },
    {
      files: {
        "skills/meter/SKILL.md": "---\nname: meter\ndescription: d\n---\nCount.",
        "workflow.json": '{"agents":["poet"],"skills":["meter"]}',
      },
    },
  );
  publish(registry, "lost-import", { seeker: {} }, { code: plugin({ seeker: {} }, 'import "not-there";') });
  publish(registry, "newer", { later: {} }, { manifest: { engines: { opencode: ">=99.0.0" } } });
  publish(registry, "gone", { ghost: {} });
  publish(
    registry,
    "forgetful",
    { kept: { prompt: "I am kept." } },
    { files: { "workflow.json": '{"agents":["kept","dropped"]}', "agents/dropped.md": "I am dropped." } },
  );
  publish(registry, "asleep", { sleeper: {} });
  const packages = ["verse", "lost-import", "newer", "gone", "forgetful", "asleep"];
  await install.run(context(), {
    ...common,
    yes: true,
    spec: packages,
    force: false,
    allowNew: true,
    as: undefined,
    replace: false,
    prefix: undefined,
    select: undefined,
    details: false,
  });
  await project.remove(`.opencode/.hugo/store/${stored("gone")}`);
  await disable.run(context(), { ...common, name: ["asleep"], all: false });
  await project.write(".opencode/agents/poet.md", "---\ndescription: My own poet\n---\n");
  await project.skipPluginInstall();
});
afterAll(() => stack.disposeAsync());

/** The workflow's folder in the store. */
function stored(name: string): string | undefined {
  return readdirSync(project.path(".opencode/.hugo/store")).find((entry) => entry.startsWith(`${name}-`));
}

function context() {
  return quietContext(project.dir, { home: project.home, env: project.env });
}

async function run(input: { name?: string; all?: boolean; static?: boolean } = {}): Promise<Health> {
  return await health.run(context(), { ...common, name: undefined, all: false, static: false, ...input });
}

const line = (found: Health, workflow: string): string =>
  health.report.text({ ...found, workflows: found.workflows.filter((one) => one.workflow === workflow) }, plain);

test("reports what OpenCode loads, what it does not, and why it is silent about it", async () => {
  const asked = registry.requests.length;
  const found = await run();
  expect(found.opencode).toEqual({ kind: "asked" });
  // OpenCode fetches no plugin by itself.
  expect(registry.requests.slice(asked)).toEqual([]);
  expect(found.workflows.map(({ workflow, state }) => [workflow, state.kind])).toEqual([
    ["forgetful", "loaded"],
    ["gone", "not-loaded"],
    ["lost-import", "not-loaded"],
    // OpenCode ignores "engines" in a package that it loads from a folder.
    ["newer", "loaded"],
    ["verse", "loaded"],
  ]);
  expect(line(found, "gone")).toMatch(/gone v1\.0\.0 {2}not loaded: \S+\/node_modules\/gone does not exist/);
  expect(line(found, "lost-import")).toMatch(/not loaded: it cannot be imported: .*not-there/);
  expect(line(found, "forgetful")).toContain('✗ The agent "dropped" is listed, but OpenCode did not load it\n');
  expect(health.report.exitCode(found)).toBe(1);
  expect(health.report.notes(found, plain)).toBe("3 workflows need attention.\n");

  const verse = found.workflows.find(({ workflow }) => workflow === "verse");
  expect(verse).toMatchObject({ state: { kind: "loaded", version: "1.0.0" }, version: "1.0.0", delivery: "plugin" });
  // The plugin overwrites what it finds, whatever the user wants.
  expect(verse?.findings).toEqual([
    {
      severity: "warning",
      code: "collision",
      message: expect.stringMatching(
        /^Agent "poet" is also in \.opencode\/agents\/poet\.md\. OpenCode uses the one from "verse"\.$/,
      ),
      hint: expect.stringContaining("agents/poet.md"),
    },
  ]);

  // The second look is at entries by name, for which OpenCode keeps its own copies: one more start.
  const cache = "~/.cache/opencode/packages";
  const pinOf = (name: string): string => `./.opencode/.hugo/store/${stored(name)}/node_modules/${name}`;
  for (const name of ["verse", "forgetful"]) {
    const folder = project.path(`${cache}/${name}@1.0.0/node_modules`);
    await project.run(["mkdir", "-p", folder]);
    await project.run(["cp", "-r", project.path(pinOf(name)), folder]);
  }
  await project.write(`${cache}/verse@1.0.0/node_modules/verse/agents/poet.md`, "I am somebody else.");
  await project.write(`${cache}/forgetful@1.0.0/node_modules/forgetful/package.json`, {
    name: "forgetful",
    version: "0.9.0",
    type: "module",
    main: "plugin.js",
  });
  const config = await project.read("opencode.json");
  const written = config
    .replace(pinOf("verse"), "verse@1.0.0")
    .replace(pinOf("forgetful"), "forgetful@1.0.0")
    .replace(pinOf("newer"), "newer")
    .replace(/"\$schema": "[^"]*",/, "");
  await project.write("opencode.json", `\uFEFF${written}`);
  const again = await run({ all: true });
  // OpenCode puts a "$schema" into each config that has none, and takes the mark in front of it away.
  expect(await project.read("opencode.json")).toBe(`\uFEFF${written}`);
  expect(line(again, "verse")).toContain("✗ OpenCode's copy differs from what was installed: agents/poet.md\n");
  expect(line(again, "forgetful")).toContain(
    "  ✗ OpenCode loads 0.9.0 from its cache, but the plugin entry asks for 1.0.0\n    Remove ",
  );
  expect(line(again, "newer")).toContain('"newer" in opencode.json does not specify an exact version');
  expect(line(again, "asleep")).toBe("asleep v1.0.0  disabled\n");
});

test("without OpenCode it reports what the files show, and what it could not check", async () => {
  const env = { ...project.env, PATH: "/nowhere" };
  const found = await health.run(quietContext(project.dir, { home: project.home, env }), {
    ...common,
    name: "verse",
    all: false,
    static: false,
  });
  expect(found.opencode).toEqual({ kind: "absent" });
  expect(found.workflows[0]?.state).toEqual({ kind: "unknown" });
  expect(health.report.notes(found, plain)).toContain(
    "OpenCode is not on the PATH, so Hugo cannot check what it loads.",
  );
});

test("a disabled workflow is looked at when it is named, and OpenCode is not started for it", async () => {
  const found = await run({ name: "asleep" });
  expect(found).toMatchObject({
    opencode: { kind: "not-asked" },
    workflows: [{ state: { kind: "disabled" }, findings: [] }],
  });
  expect(health.report.exitCode(found)).toBe(0);
  await expect(run({ name: "aslep" })).rejects.toMatchObject({ code: "not-installed", exitCode: 1 });
});

test("an OpenCode that does not start is reported in its own words", async () => {
  await project.write(".opencode/agents/poet.md", "---\nmode: boss\n---\n");
  const found = await run({ name: "verse" });
  expect(found.opencode.kind).toBe("silent");
  expect(health.report.notes(found, plain)).toMatch(
    /OpenCode did not respond, so Hugo cannot check what it loads: `opencode debug config` exited with \d+: \S/,
  );
  expect(health.report.exitCode(found)).toBe(1);
});
