// Whatever is enabled, disabled and switched in whichever order: nothing of the user's is lost, and all of it comes back.
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Project, tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { remove } from "../../src/commands/remove.ts";
import { switchTo } from "../../src/commands/switch.ts";
import { undo } from "../../src/commands/undo.ts";
import { contents, contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

setDefaultTimeout(120_000);

const config = `{
  "plugin": [
    "first",
    ["@org/review@1.0.0", { "strict": true }], // with options
    "@org/debug@1.0.0",
    "@org/audit"
  ]
}
`;
const shared = { "agents/both.md": "Both.\n" };
const lint = { ...shared, "skills/lint/SKILL.md": "Lint.\n" };
const tidy = { ...shared, "commands/tidy.md": "Tidy.\n" };
const names = ["audit", "debug", "lint", "review", "tidy"];

type Step = { readonly command: "enable" | "disable" | "switch"; readonly names: readonly string[] } | "undo";

const some = fc.subarray(names, { minLength: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ command: fc.constantFrom("enable", "disable", "switch"), names: some }) },
  { weight: 1, arbitrary: fc.constant("undo" as const) },
);

async function start(): Promise<Project> {
  const project = await tmpProject({ git: false, files: { "opencode.json": config, ".git/HEAD": "ref: x\n" } });
  const plugins = Object.fromEntries(["audit", "debug", "review"].map((name) => [name, pluginWorkflow(name)]));
  const copies = { lint: copiedWorkflow("lint", lint), tidy: copiedWorkflow("tidy", tidy) };
  await install(project, { ...plugins, ...copies }, { ...lint, ...tidy });
  await project.write(".opencode/commands/tidy.md", "My own way.\n");
  await project.write(".opencode/agents/own.md", "Mine.\n");
  return project;
}

async function take(project: Project, next: Step): Promise<void> {
  const context = contextOf(project);
  if (next === "undo") {
    await undo.run(context, input).catch((error: { code?: string }) => {
      if (error.code !== "nothing-to-undo") throw error;
    });
  } else if (next.command === "switch") await switchTo.run(context, { ...input, name: next.names });
  else await (next.command === "enable" ? enable : disable).run(context, { ...input, name: next.names, all: false });
}

/** The plugins as OpenCode reads them. Comments beside a removed entry go with it. */
async function pluginsIn(project: Project): Promise<unknown> {
  return (Bun.JSON5.parse(await project.read("opencode.json")) as { plugin: unknown }).plugin;
}

async function withoutConfig(project: Project): Promise<Record<string, string>> {
  const { "opencode.json": _, ...others } = await contents(project);
  return others;
}

test("enabling everything restores all files and the order of all plugins, whatever happened before", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 7 }), async (steps) => {
      await using project = await start();
      const [before, plugins] = [await withoutConfig(project), await pluginsIn(project)];
      for (const next of steps) {
        await take(project, next);
        const now = Object.values(await contents(project));
        expect(now).toContain("My own way.\n");
        expect(await project.read(".opencode/agents/own.md")).toBe("Mine.\n");
      }
      await enable.run(contextOf(project), { ...input, name: [], all: true });
      expect(await withoutConfig(project)).toEqual(before);
      expect(await pluginsIn(project)).toEqual(plugins);
    }),
    { numRuns: 25 },
  );
});

test("removing everything leaves the user's own files, whatever happened before", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 5 }),
      fc.shuffledSubarray(names, { minLength: 5 }),
      async (steps, order) => {
        await using project = await start();
        for (const next of steps) await take(project, next);
        for (const name of order) await remove.run(contextOf(project), { ...input, name: [name] });
        expect(await pluginsIn(project)).toEqual(["first"]);
        const left = await withoutConfig(project);
        expect(left[".opencode/agents/own.md"]).toBe("Mine.\n");
        expect(Object.keys(left).filter((path) => !/own\.md$|tidy\.md$|^\.git/.test(path))).toEqual([]);
        expect(Object.values(left)).toContain("My own way.\n");
      },
    ),
    { numRuns: 20 },
  );
});
