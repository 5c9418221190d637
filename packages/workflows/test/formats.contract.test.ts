// What every format promises, asked of every place of every format: a new one is covered as soon as `all.ts` lists it.
import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { Entity } from "../src/entities/entity.ts";
import type { ConfigPlace, FolderPlace, Format, FormatPlace } from "../src/entities/format.ts";
import { formats } from "../src/entities/formats/all.ts";
import { type Loaded, type LoadOptions, loadFormat } from "../src/entities/load.ts";

/** An unreadable restriction in each format. A workflow has none: it is code. */
const unreadableTools: Readonly<Record<string, string>> = {
  "claude agent": "tools: 42",
  "claude command": "allowed-tools: 42",
  "claude skill": "allowed-tools: 42",
  "opencode agent": "tools: 42",
  "opencode command": "permission: 42",
  "opencode skill": "allowed-tools: 42",
  "copilot agent": "tools: 42",
  "copilot skill": "allowed-tools: 42",
  "atomic agent": "disallowedTools: 42",
  "atomic command": "allowed-tools: 42",
  "atomic skill": "disallowed-tools: 42",
  "agent-skills skill": "allowed-tools: 42",
};

const BODY = "\r\n  First line with $& and $1 \t\n\n---\n\u00e9\u{1f600}\u0000 last line without an end";

/** Also the places that only a variable can name. */
function belowOf(folder: string): Pick<LoadOptions, "locate"> {
  return { locate: ({ path }) => [{ path: join(folder, path) }] };
}

/** A file of this place: `sample.md`, `sample/SKILL.md`. */
function fileNamed(name: string, { pattern }: FolderPlace): string {
  const file = pattern.slice(pattern.lastIndexOf("/") + 1);
  return file.startsWith("*") ? `${name}${file.slice(1)}` : `${name}/${file}`;
}

async function withFiles(
  format: Format,
  place: FormatPlace,
  files: Readonly<Record<string, string>>,
  use: (loaded: Loaded, pathOf: (file: string) => string) => void,
): Promise<void> {
  await using folder = await temporaryFolder();
  const pathOf = (file: string): string => join(folder.path, place.path, file);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(pathOf(file)), { recursive: true });
    writeFileSync(pathOf(file), content);
  }
  use(loadFormat(format, folder.path, place.location, belowOf(folder.path)), pathOf);
}

function only({ entities }: Loaded): Entity {
  expect(entities.length).toBe(1);
  return entities[0] as Entity;
}

function expectFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  for (const part of Object.values(value)) expectFrozen(part);
}

for (const format of formats) {
  for (const place of format.places) {
    const where = `${format.provider}: ${place.location === "user" ? "~/" : ""}${place.path}`;
    if (place.kind === "config") describe(where, () => configContract(format, place));
    else describe(`${where}/${place.pattern}`, () => folderContract(format, place));
  }
}

function folderContract(format: Format, place: FolderPlace): void {
  const file = fileNamed("Sample", place);
  const isCode = place.type === "workflow";
  const content = isCode ? BODY : `---\ndescription: A sample\n---\n${BODY}`;

  test("keeps the prompt byte for byte", async () => {
    await withFiles(format, place, { [file]: content }, (loaded) => expect(only(loaded).prompt).toBe(BODY));
  });

  test("finds the file under its name in lower case, and shows it as it is written", async () => {
    await withFiles(format, place, { [file]: content }, (loaded) => {
      expect(only(loaded)).toMatchObject({ type: place.type, name: "sample", displayName: "Sample" });
    });
  });

  test("reports the file's location", async () => {
    await withFiles(format, place, { [file]: content }, (loaded, pathOf) => {
      const { path, location } = place;
      const source = { provider: format.provider, location, place: path, path: pathOf(file), relative: file };
      expect({ ...only(loaded).source }).toEqual(source);
    });
  });

  test("returns an immutable entity", async () => {
    await withFiles(format, place, { [file]: content }, (loaded) => {
      const entity = only(loaded);
      expectFrozen(entity);
      expect(() => Object.assign(entity, { name: "other" })).toThrow(TypeError);
      expect(() => Object.assign(entity, { prompt: "other" })).toThrow(TypeError);
    });
  });

  if (isCode) return;

  test("reads the body on demand, and names the file if it was deleted", async () => {
    await withFiles(format, place, { [file]: content }, (loaded, pathOf) => {
      rmSync(pathOf(file));
      expect(() => only(loaded).prompt).toThrow(`${pathOf(file)}: The file does not exist`);
    });
  });

  test("describes a broken file with its path, disables it, and keeps its neighbour", async () => {
    const broken = fileNamed("broken", place);
    const files = { [broken]: "---\ndescription: [a\n\tb: {\n---\nBody", [file]: content };
    await withFiles(format, place, files, ({ entities, diagnostics }, pathOf) => {
      const [bad, good] = entities.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      expect(good).toMatchObject({ name: "sample", diagnostics: [] });
      expect(good?.disabledBecause).toBeUndefined();
      expect(bad?.disabledBecause).toContain("frontmatter cannot be read");
      const found = [...diagnostics, ...(bad?.diagnostics ?? [])];
      expect(found.length).toBeGreaterThan(0);
      expect(found.map(({ path }) => path)).toEqual(found.map(() => pathOf(broken)));
    });
  });

  test("disables a file whose tool restriction cannot be read", async () => {
    const restriction = unreadableTools[`${format.provider} ${place.type}`];
    expect(restriction).toBeString();
    const text = `---\ndescription: A sample\n${restriction}\n---\nBody`;
    await withFiles(format, place, { [file]: text }, (loaded, pathOf) => {
      const { disabledBecause, tools, diagnostics } = only(loaded);
      expect(disabledBecause).toBeString();
      expect(tools).toBeUndefined();
      expect(diagnostics[0]).toMatchObject({ severity: "error", path: pathOf(file), line: 3 });
    });
  });

  test("accepts an empty file and one without frontmatter", async () => {
    const plain = fileNamed("plain", place);
    await withFiles(format, place, { [file]: "", [plain]: "Just text.\n" }, ({ entities, diagnostics }) => {
      expect(diagnostics).toEqual([]);
      const prompts = entities.map(({ name, prompt, disabledBecause }) => [name, prompt, disabledBecause]);
      expect(prompts.toSorted()).toEqual([
        ["plain", "Just text.\n", undefined],
        ["sample", "", undefined],
      ]);
    });
  });
}

/** What a config stands for: all that has to be on the disk for agents of these names, with these texts. */
interface ConfigSample {
  /** The name of an agent, in capitals where the file may have them. */
  readonly agentName: string;
  /** What a file is called that does not parse. */
  readonly syntaxCode: string;
  /** Files by their path from the base. */
  readonly files: (
    place: ConfigPlace,
    agents: Readonly<Record<string, AgentSample>>,
  ) => Readonly<Record<string, string>>;
  /** Where the entity of an agent says that it stands. */
  readonly source: (place: ConfigPlace, name: string) => Readonly<Record<string, string>>;
}

interface AgentSample {
  readonly description: string;
  readonly prompt: string;
  readonly tools?: unknown;
}

const stored = ".hugo/store/sample-0123456789abcdef/node_modules/@org/sample";

const configSamples: Readonly<Record<string, ConfigSample>> = {
  opencode: {
    agentName: "Sample",
    syntaxCode: "config-syntax",
    files: ({ path }, agent) => ({ [path]: JSON.stringify({ agent }) }),
    source: ({ path }, name) => ({ path, place: path, pointer: `agent.${name}` }),
  },
  hugo: {
    agentName: "sample",
    syntaxCode: "hugo-lock-invalid",
    files: ({ path }, agents) => ({
      [path]: JSON.stringify(lockOf(Object.keys(agents))),
      [join(dirname(path), "opencode.json")]: JSON.stringify({ plugin: ["@org/sample@1.0.0"] }),
      ...Object.fromEntries(
        Object.entries(agents).map(([name, { prompt, ...values }]) => [
          join(dirname(path), stored, `agents/${name}.md`),
          `---\n${JSON.stringify(values)}\n---\n${prompt}`,
        ]),
      ),
    }),
    source: ({ path }, name) => {
      const place = join(dirname(path), stored, "agents");
      return { path: join(place, `${name}.md`), place, relative: `${name}.md`, workflow: "sample" };
    },
  },
};

function lockOf(agents: readonly string[]): object {
  const tree = `sha256:0123456789abcdef${"0".repeat(48)}`;
  const origin = { package: "@org/sample", source: "@org/sample", version: "1.0.0", tree };
  const sample = { ...origin, delivery: "plugin", agents, commands: [], skills: [] };
  return { version: 1, workflows: { sample } };
}

function configContract(format: Format, place: ConfigPlace): void {
  const agent: AgentSample = { description: "A sample", prompt: BODY };
  const sample = configSamples[format.provider] as ConfigSample;

  async function withAgents(
    agents: Readonly<Record<string, AgentSample>>,
    use: (loaded: Loaded, sourceOf: (name: string) => Readonly<Record<string, string>>) => void,
  ): Promise<void> {
    await using folder = await temporaryFolder();
    for (const [file, content] of Object.entries(sample.files(place, agents))) {
      mkdirSync(dirname(join(folder.path, file)), { recursive: true });
      writeFileSync(join(folder.path, file), content);
    }
    use(loadFormat(format, folder.path, place.location, belowOf(folder.path)), (name) => {
      const source = sample.source(place, name);
      return { ...source, path: join(folder.path, source.path ?? "") };
    });
  }

  test("keeps the prompt, finds the name in lower case, and reports the position", async () => {
    const displayName = sample.agentName;
    await withAgents({ [displayName]: agent }, (loaded, sourceOf) => {
      const entity = only(loaded);
      expect(entity).toMatchObject({ type: "agent", name: "sample", displayName, prompt: BODY });
      expect(entity.source).toMatchObject({
        provider: format.provider,
        location: place.location,
        ...sourceOf(displayName),
      });
      expect(place.types).toContain(entity.type);
      expectFrozen(entity);
    });
  });

  test("disables an entry whose tool restriction cannot be read, and keeps its neighbor", async () => {
    await withAgents({ bad: { ...agent, tools: 42 }, good: agent }, ({ entities }, sourceOf) => {
      const [bad, good] = entities;
      expect(bad?.disabledBecause).toBeString();
      expect(bad?.diagnostics.map(({ path }) => path)).toEqual([sourceOf("bad").path]);
      expect(good?.disabledBecause).toBeUndefined();
    });
  });

  test("describes a broken file with its path and line", async () => {
    await withFiles(format, place, { "": '{\n  "agent": {\n' }, ({ entities, diagnostics }, pathOf) => {
      expect(entities).toEqual([]);
      expect(diagnostics).toMatchObject([{ severity: "error", code: sample.syntaxCode, path: pathOf(""), line: 3 }]);
      expect(diagnostics[0]?.message).toStartWith("expected ");
    });
  });
}

test("every provider has one format", () => {
  const providers = formats.map(({ provider }) => provider);
  expect(providers.toSorted()).toEqual(["agent-skills", "atomic", "claude", "copilot", "hugo", "opencode"]);
});
