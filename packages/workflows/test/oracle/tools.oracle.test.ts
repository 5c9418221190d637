// The real programs, asked what they list; our view of each must list the same.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { heavyHost } from "@atomic/testing/heavy";
import { opencodeServe } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import type { ToolName } from "../../src/entities/entity.ts";
import { loadVerdicts } from "../../src/entities/tools/load-verdicts.ts";
import { toolPlaces } from "../../src/entities/tools/places.ts";
import { viewAs } from "../../src/entities/tools/view-as.ts";
import { type Comparison, compare, type ToLines } from "./compare.ts";
import { knownDifferences } from "./known-differences.ts";
import { claudeLines, listedByClaude } from "./listed-by-claude.ts";
import { copilotLines, listedByCopilot } from "./listed-by-copilot.ts";
import { listedByOpencode, opencodeLines } from "./listed-by-opencode.ts";
import { entriesOf, type Listing, pathIn, sorted, withoutBuiltins } from "./listing.ts";
import { entitiesOf, plant } from "./tree.ts";
import { chance } from "./trees/chance.ts";
import { configs } from "./trees/configs.ts";
import { copilotFiles, droppedByCopilot } from "./trees/copilot-files.ts";
import { oddContents } from "./trees/odd-contents.ts";
import { oddFiles } from "./trees/odd-files.ts";
import { places } from "./trees/places.ts";
import { sameNames } from "./trees/same-names.ts";

setDefaultTimeout(180_000);

const trees = [places, configs, sameNames, oddContents, oddFiles, chance, ...knownDifferences.map(({ tree }) => tree)];

/** Plants everything in one project and home, asks the tool, and holds our view against the answer. */
async function ask(
  tool: ToolName,
  list: (project: Project) => Promise<Listing>,
  toLines: ToLinesIn,
): Promise<Comparison> {
  await using empty = await tmpProject();
  const builtins = await list(empty);
  await using project = await tmpProject();
  await plant(project, ...trees);
  const view = viewAs(tool, entitiesOf(project));
  expect(view.fatal).toEqual([]);
  const theirs = withoutBuiltins(await list(project), builtins);
  return compare(view, (entry) => toLines(entry, project), theirs, knownDifferences);
}

type ToLinesIn = (entry: Parameters<ToLines>[0], project: Project) => Listing;

function agrees(tool: ToolName, { ours, theirs, differing, byChance }: Comparison): void {
  expect(sorted(ours)).toEqual(sorted(theirs));
  const known = knownDifferences.filter(({ tools }) => tools.includes(tool)).map(({ id }) => id);
  expect(differing).toEqual(known);
  expect(byChance.filter(({ isNamesake }) => !isNamesake)).toEqual([]);
  // Nothing of this means anything if the tool found no files.
  expect(theirs.length).toBeGreaterThan(250);
}

describe("Claude Code", () => {
  const host = heavyHost("claude");
  if (!host.available) console.warn(`skipped: what Claude Code lists: ${host.reason}`);

  test.skipIf(!host.available)("lists what our view of it lists", async () => {
    const comparison = await ask("claude", async (project) => await listedByClaude(project), claudeLines);
    agrees("claude", comparison);
    expect(comparison.byChance.map(({ name }) => name)).toEqual(["chance-name"]);
  });
});

describe("GitHub Copilot", () => {
  const host = heavyHost("copilot");
  if (!host.available) console.warn(`skipped: what Copilot lists: ${host.reason}`);

  test.skipIf(!host.available)("lists what our view of it lists", async () => {
    const comparison = await ask("copilot", async (project) => await listedByCopilot(project), copilotLines);
    agrees("copilot", comparison);
    expect(comparison.byChance).toEqual([]);
  });

  test.skipIf(!host.available)("drops the agents and commands that our view drops", async () => {
    await using project = await tmpProject({ git: false });
    await plant(project, copilotFiles);
    const view = viewAs("copilot", entitiesOf(project));
    const ours = entriesOf(view).flatMap((entry) => copilotLines(entry, project));
    const theirs = (await listedByCopilot(project)).filter(({ description }) => description.startsWith("At "));
    expect(sorted(ours)).toEqual(sorted(theirs));
    const names = view.refused.map(({ entity }) => pathIn(project, entity.source.path ?? ""));
    expect(names.sort()).toEqual(droppedByCopilot.toSorted());
  });

  test.skipIf(!host.available)("takes no more than a hundred agents from a folder, by chance", async () => {
    const agents = (folder: string, count: number): (readonly [string, string])[] =>
      Array.from({ length: count }, (_, i) => [`${folder}/a${i}.md`, "---\ndescription: One of many\n---\n"]);
    await using project = await tmpProject({
      files: Object.fromEntries([
        ...agents(".github/agents/deeper", 60),
        ...agents(".github/agents", 40),
        // They count, although they are not agents.
        [".github/agents/README.md", "About these agents"],
        ...agents("~/.copilot/agents/home", 100),
        ...agents("~/.copilot/agents/.hidden", 10),
      ]),
    });
    const real = (await listedByCopilot(project)).map(({ file = "" }) => file.startsWith("~"));
    expect(real.filter((isUsers) => isUsers).length).toBe(100);
    expect([99, 100]).toContain(real.filter((isUsers) => !isUsers).length);
    const { agents: ours } = viewAs("copilot", entitiesOf(project));
    const shown = ours.map(({ entity, decidedBy }) => `${entity.source.location} ${decidedBy}`);
    expect(shown.filter((each) => each === "user order").length).toBe(100);
    expect(shown.filter((each) => each === "project chance").length).toBe(100);
    const [crowded] = ours.filter(({ decidedBy }) => decidedBy === "chance");
    const verdicts = crowded && loadVerdicts(crowded.entity, entitiesOf(project));
    expect(verdicts?.at(-1)?.because).toBe(
      "if it is one of the 100 that Copilot happens to load of the 101 agent files in this folder",
    );
  });
});

describe("OpenCode", () => {
  test("lists what our view of it lists", async () => {
    const list = async (project: Project): Promise<Listing> => {
      await using server = await opencodeServe(project);
      const answer = await listedByOpencode(server.url, project, project.dir);
      if (answer.kind === "failed") throw new Error(answer.error);
      return answer.lines;
    };
    const comparison = await ask("opencode", list, opencodeLines);
    agrees("opencode", comparison);
    expect(comparison.byChance.map(({ name }) => name).sort()).toEqual([
      "chance-folder",
      "chance-folder",
      "chance-mode",
      "chance-skill",
    ]);
  });
});

test("every place that a tool reads has a file in the trees", () => {
  const planted = Object.keys(Object.assign({}, ...trees.map(({ files }) => files)) as object);
  const configParts = /#|opencode\.jsonc?$|config\.json$/;
  for (const { location, path } of Object.values(toolPlaces).flat()) {
    // The places that variables name are in the trees of folders.oracle.test.ts.
    if (configParts.test(path) || path.startsWith("OPENCODE_CONFIG")) continue;
    const folder = `${location === "user" ? "~/" : ""}${path}/`;
    expect([folder, planted.some((file) => file.startsWith(folder))]).toEqual([folder, true]);
  }
});
