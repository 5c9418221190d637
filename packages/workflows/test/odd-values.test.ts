// Any YAML value under any key that a tool knows: nothing throws, and every file keeps its name, usable or disabled.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import type { EntityType, Provider } from "../src/entities/entity.ts";
import { getCommandHint } from "../src/entities/hints.ts";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { knownKeys } from "../src/entities/lint/known-keys.ts";
import { lintEntities } from "../src/entities/lint/lint.ts";
import { tools } from "../src/entities/tools/all.ts";
import { loadVerdicts } from "../src/entities/tools/load-verdicts.ts";
import { viewAs } from "../src/entities/tools/view-as.ts";

interface Home {
  readonly provider: Provider;
  readonly type: EntityType;
  /** The path of a file, by its number. */
  readonly path: (name: string) => string;
}

const homes: readonly Home[] = [
  { provider: "claude", type: "agent", path: (name) => `.claude/agents/${name}.md` },
  { provider: "claude", type: "command", path: (name) => `.claude/commands/${name}.md` },
  { provider: "claude", type: "skill", path: (name) => `.claude/skills/${name}/SKILL.md` },
  { provider: "opencode", type: "agent", path: (name) => `.opencode/agent/${name}.md` },
  { provider: "opencode", type: "command", path: (name) => `.opencode/command/${name}.md` },
  { provider: "opencode", type: "skill", path: (name) => `.opencode/skill/${name}/SKILL.md` },
  { provider: "copilot", type: "agent", path: (name) => `.github/agents/${name}.agent.md` },
  { provider: "copilot", type: "skill", path: (name) => `.github/skills/${name}/SKILL.md` },
  { provider: "agent-skills", type: "skill", path: (name) => `.agents/skills/${name}/SKILL.md` },
  { provider: "atomic", type: "agent", path: (name) => `.atomic/agents/${name}.md` },
  { provider: "atomic", type: "command", path: (name) => `.atomic/commands/${name}.md` },
  { provider: "atomic", type: "skill", path: (name) => `.atomic/skills/${name}/SKILL.md` },
];

/** Values as people leave them in templates, and as YAML makes them of what was meant as text. */
const written = [
  "{name}",
  "[{x}]",
  "[env: prod|staging]",
  "[a, [b, {c: d}], null]",
  "{{SKILL_NAME}}",
  "{toString: x, valueOf: {}}",
  "[{__proto__: {a: 1}, constructor: 7}]",
  "!!set {a, b}",
  "&a [*a]",
  "2026-11-15",
  ".nan",
  "[~]",
  "",
] as const;

const scalar = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...written) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(scalar, fc.dictionary(fc.string(), scalar))).map((value) => JSON.stringify(value)),
  },
);

interface Written extends Home {
  readonly key: string;
  readonly value: string;
}

/** Loads, lints and looks at all files as every tool does, and says which of them have lost their names. */
async function problemsWith(files: readonly Written[]): Promise<string[]> {
  await using folder = await temporaryFolder();
  const roots = { projectPath: join(folder.path, "project"), userPath: join(folder.path, "home") };
  for (const root of Object.values(roots)) mkdirSync(root);
  const paths = files.map(({ path, key, value }, number) => {
    const file = join(roots.projectPath, path(`file-${number}`));
    mkdirSync(dirname(file), { recursive: true });
    const given = { name: `file-${number}`, description: "A file", [key]: value };
    const lines = Object.entries(given).map(([each, text]) => `${each}: ${text}\n`);
    writeFileSync(file, `---\n${lines.join("")}---\nBody $1.\n`);
    return file;
  });
  const registry = await initializeWorkflowsSDK(roots);
  const entries = registry.entries();
  const said = [...registry.diagnostics(), ...entries.flatMap(({ diagnostics }) => diagnostics)];
  const problems = said.flatMap(({ code, path, message }) => (code === "reader-failed" ? [`${path}: ${message}`] : []));
  const loaded = new Map(entries.map((entity) => [entity.source.path, entity]));
  for (const [number, path] of paths.entries()) {
    const entity = loaded.get(path);
    if (entity === undefined) problems.push(`${path} is lost`);
    else if (files[number]?.key !== "name" && entity.name !== `file-${number}`)
      problems.push(`${path} is ${entity.name}`);
    else if (entity.name === "") problems.push(`${path} has no name`);
  }
  JSON.stringify(entries); // as `atomic entities --json` does
  for (const entity of entries) getCommandHint(entity);
  await lintEntities(roots.projectPath, { userPath: roots.userPath });
  for (const { name } of tools) viewAs(name, entries);
  for (const entity of entries) loadVerdicts(entity, entries);
  return problems;
}

test("a command with a list that contains a map keeps its name", async () => {
  await using folder = await temporaryFolder();
  const roots = { projectPath: join(folder.path, "project"), userPath: join(folder.path, "home") };
  const files = [
    [roots.projectPath, "argument-hint: [env: prod|staging]\nallowed-tools: Read"],
    [roots.userPath, "description: Unrestricted"],
  ] as const;
  for (const [root, yaml] of files) {
    mkdirSync(join(root, ".claude/commands"), { recursive: true });
    writeFileSync(join(root, ".claude/commands/deploy.md"), `---\n${yaml}\n---\nDeploy.`);
  }
  const deploy = (await initializeWorkflowsSDK(roots)).getCommand("deploy");
  expect(deploy?.source.location).toBe("project");
  expect(deploy).toMatchObject({ argumentHint: "[env: prod|staging]", tools: ["read"] });
});

const everyKey = homes.flatMap((home) =>
  [...(knownKeys[home.provider][home.type] ?? [])].map((key) => ({ ...home, key })),
);

describe("an odd value", () => {
  test.each(written.map((value) => [value]))("%j is survived under every known key of every format", async (value) => {
    expect(await problemsWith(everyKey.map((place) => ({ ...place, value })))).toEqual([]);
  });

  test("of any kind under any known key does not break loading", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...everyKey), anyValue), { minLength: 20, maxLength: 60 }),
        async (drawn) => {
          expect(await problemsWith(drawn.map(([place, value]) => ({ ...place, value })))).toEqual([]);
        },
      ),
      { numRuns: 10 },
    );
  });
});
