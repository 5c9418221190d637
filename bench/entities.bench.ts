import { initializeWorkflowsSDK } from "@atomic/workflows/internal/entities/initialize";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import grayMatter from "gray-matter/package.json" with { type: "json" };
import jsYaml from "js-yaml/package.json" with { type: "json" };
import yaml from "yaml/package.json" with { type: "json" };
import { homeBeside, projectWith, shareFixtures } from "./entities/fixtures.ts";
import { command, groupOn, importing, loading, onlyStart, ours, type Runtime, runtimes } from "./entities/processes.ts";
import { bench, type Group, type MicroContestant } from "./harness/bench.ts";

shareFixtures();

const floor = "read, parse nothing";

/**
 * What we claim, for CPU and for wall: everything that the registry knows costs hardly more than what `gray-matter` needs to
 * parse the same files, and a few times what it takes to start and read them. Bun starts and reads in a third of the
 * time, so there the same work is a larger multiple.
 */
const claims = {
  Node: { parsing: 1.1, reading: 3.5, importing: 2 },
  Bun: { parsing: 1.1, reading: 6, importing: 3 },
} as const;

function loadThousand(runtime: Runtime): Group {
  const { parsing, reading } = claims[runtime.name];
  return groupOn(runtime, "Load 1,000 entities in a fresh process", "gray-matter", [
    onlyStart(runtime),
    loading(runtime, 1_000, floor, "read"),
    loading(runtime, 1_000, "read with promises", "read-promises"),
    ours(loading(runtime, 1_000, "atomic"), { of: "gray-matter", atMost: parsing }, { of: floor, atMost: reading }),
    loading(runtime, 1_000, "gray-matter"),
    loading(runtime, 1_000, "js-yaml"),
    loading(runtime, 1_000, "yaml"),
  ]);
}

function loadTenThousand(runtime: Runtime): Group {
  const { parsing, reading } = claims[runtime.name];
  return groupOn(runtime, "Load 10,000 entities in a fresh process", "gray-matter", [
    loading(runtime, 10_000, floor, "read"),
    ours(loading(runtime, 10_000, "atomic"), { of: "gray-matter", atMost: parsing }, { of: floor, atMost: reading }),
    loading(runtime, 10_000, "gray-matter"),
  ]);
}

function importRegistry(runtime: Runtime): Group {
  const { importing: atMost } = claims[runtime.name];
  return groupOn(runtime, "Import the registry", "startup only", [
    onlyStart(runtime),
    ours(importing(runtime, "import registry", "registry"), { of: "startup only", atMost }),
  ]);
}

/** Lint reads every file as each of three tools does, and checks some forty rules. */
function commands(runtime: Runtime): Group {
  return groupOn(runtime, "Commands in a project with 10,000 entities", "atomic entities", [
    command(runtime, 10_000, ["entities"]),
    ours(command(runtime, 10_000, ["which", "claude-agent-000001"]), { of: "atomic entities", atMost: 1.3 }),
    ours(command(runtime, 10_000, ["lint"]), { of: "atomic entities", atMost: 3 }),
  ]);
}

type Ask = (registry: EntityRegistry, index: number) => unknown;

const scale = "10 µs, for scale";

/** Asks for another one of 10,000 entities with each call. `atMost` is in tens of microseconds. */
function asking(name: string, ask: Ask, isRight: (result: unknown) => boolean, atMost = 1): MicroContestant {
  let registry: EntityRegistry;
  let turn = 0;
  return {
    name,
    ours: true,
    expectRatio: { of: scale, atMost, metric: "cpu" },
    setup: async () => {
      const projectPath = projectWith(10_000);
      registry = await initializeWorkflowsSDK({ projectPath, userPath: homeBeside(projectPath) });
    },
    micro: () => {
      turn = (turn + 4 * 997) % 10_000;
      return ask(registry, turn);
    },
    check: (_round, result) => {
      if (!isRight(result)) throw new Error(`${name} found the wrong entity`);
    },
  };
}

const isFound = (result: unknown): boolean => result !== undefined;
const numberOf = (index: number): string => String(index).padStart(6, "0");

const lookups: Group = {
  title: "Find one of 10,000 entities",
  baseline: scale,
  contestants: [
    { name: scale, micro: () => spin(0.01) },
    asking("by name", (registry, i) => registry.getSkill(`claude-skill-${numberOf(i + 2)}`), isFound),
    asking("in uppercase", (registry, i) => registry.getSkill(`CLAUDE-SKILL-${numberOf(i + 2)}`), isFound),
    asking("by alias", (registry, i) => registry.getAgent(`review-claude-agent-${numberOf(i + 1)}`), isFound),
    asking(
      "by qualified name",
      (registry, i) => registry.getAgent(`claude:project/claude-agent-${numberOf(i + 1)}`),
      isFound,
    ),
    asking(
      "a name with no matches",
      (registry, i) => registry.getAgent(`nobody-${i}`),
      (found) => found === undefined,
    ),
    asking(
      "by prefix, 25 matches",
      (registry, i) => registry.searchSkills(`claude-skill-${numberOf(i).slice(0, 4)}`),
      (found) => (found as unknown[]).length === 25,
      3,
    ),
  ],
};

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

export default bench({
  title: "Reading agent, skill and command files",
  about: `The files are 2 kB each with 15 lines of frontmatter (quotes, a list, a map): a quarter each are Claude commands, Claude agents, Claude
skills and OpenCode commands. The process is cold but the files are not: the system has cached them, as on the second start of the day.

- \`atomic\` imports the package and loads everything into a registry: names, aliases, models, restrictions, precedence. The bodies stay on disk.
- \`gray-matter\`, \`js-yaml\` and \`yaml\` find the same files, read them and parse the frontmatter, but do nothing else.
- \`read, parse nothing\` starts the runtime, finds the files and reads them: no reader of these files can cost less.
- Both runtimes use the published package, in which a load reads six files (\`scripts/build.mjs\`). From this repository's many
  files, a load takes about 25 ms longer on Node and about 3 ms longer on Bun.`,
  rounds: 8,
  versions: { "gray-matter": grayMatter.version, "js-yaml": jsYaml.version, yaml: yaml.version },
  groups: [
    ...runtimes.map(loadThousand),
    ...runtimes.map(loadTenThousand),
    ...runtimes.map(importRegistry),
    ...runtimes.filter(({ name }) => name === "Node").map(commands),
    lookups,
  ],
});
