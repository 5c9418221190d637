import { describe, expect, test } from "bun:test";
import { PackageTranslation } from "../../../src/delivery/translate/package-translation.ts";
import { readManifest } from "../../../src/packages/manifest.ts";
import { selectContents } from "../../../src/packages/selection.ts";
import { refusal } from "../../refusal.ts";
import { tree } from "../../tree.ts";
import { deliver, textAt } from "./deliver.ts";

const path = "skills/tidy/SKILL.md";
const skill = (frontmatter: string, body = "Sweep."): string => `---\n${frontmatter}\n---\n${body}`;

describe("a skill", () => {
  test("is copied byte for byte, with everything in its folder", () => {
    const files = {
      [path]: skill("name: tidy\ndescription: x\nlicense: MIT\nallowed-tools: Read\nmetadata: { a: b }"),
      "skills/tidy/scripts/run.sh": "#!/bin/sh\n",
      "skills/tidy/agents/a.md": "---\ntools: ][\n---\n",
      "skills/tidy/logo.png": new Uint8Array([0, 255]),
    };
    const { files: delivered, notes, stopped } = deliver(files);
    expect([...delivered.keys()].sort()).toEqual(Object.keys(files).sort());
    for (const [at, { bytes }] of delivered) expect(bytes).toEqual(Buffer.from(files[at as keyof typeof files]));
    expect(delivered.get("skills/tidy/scripts/run.sh")?.executable).toBe(true);
    expect({ notes, stopped }).toEqual({ notes: [], stopped: [] });
  });

  test.each([
    ["no name", "description: x", "description: x\nname: tidy"],
    ["another name than its folder's", "name: Sweep\ndescription: x", "name: tidy\ndescription: x"],
    ["a name that is not text", "name: 7\ndescription: x", "name: tidy\ndescription: x"],
    ["a description that is not YAML", "name: tidy\ndescription: a: b", "name: tidy\ndescription: 'a: b'"],
  ])("with %s is called after its folder", (_, given, wanted) => {
    expect(textAt(deliver({ [path]: skill(given) }), path)).toBe(skill(wanted));
  });

  test("without a description is noted, since no model hears of it", () => {
    const { notes } = deliver({ [path]: skill("name: tidy") });
    expect(notes.map(({ message }) => message)).toEqual([
      "OpenCode does not show the model a skill without a description",
    ]);
  });

  test.each([
    ["only a person may use it", "name: tidy\ndisable-model-invocation: true", "SKILL.md:3:1"],
    ["it takes tools away", "disallowed-tools: Bash", "SKILL.md:2:1"],
    ["it has a hook before tools", "hooks: { PreToolUse: [] }", "SKILL.md:2:1"],
    ["it would run what it does not allow", "allowed-tools: Read", "SKILL.md:4:1"],
  ])("is stopped with all its files if %s", (_, frontmatter, place) => {
    const delivered = deliver({
      [path]: skill(frontmatter, "!`ls`"),
      "skills/tidy/scripts/run.sh": "#!/bin/sh\n",
      "skills/tidy/inner/SKILL.md": skill("name: inner"),
      "skills/other/SKILL.md": skill("name: other\ndescription: x"),
    });
    expect([...delivered.files.keys()]).toEqual(["skills/other/SKILL.md"]);
    expect(delivered.stopped.map(({ destination }) => destination)).toEqual([
      path,
      "skills/tidy/inner/SKILL.md",
      "skills/tidy/scripts/run.sh",
    ]);
    for (const each of delivered.stopped) {
      expect(each).toMatchObject({ entity: "skills/tidy", at: `skills/tidy/${place}` });
      expect(each.source).toBe(each.destination);
    }
  });

  test("inside another one arrives with it, under its own name", () => {
    const delivered = deliver({
      [path]: skill("name: tidy\ndescription: x"),
      "skills/tidy/examples/good/SKILL.md": skill("name: build-anything\ndescription: x"),
      "skills/tidy/examples/same/SKILL.md": skill("name: tidy\ndescription: x"),
      "skills/tidy/examples/plain/SKILL.md": "No frontmatter",
      "skills/tidy/.hidden/SKILL.md": skill("name: hidden"),
    });
    expect(delivered.stopped).toEqual([]);
    expect(delivered.files.size).toBe(5);
    expect(textAt(delivered, "skills/tidy/examples/good/SKILL.md")).toContain("name: build-anything");
    // Of two skills with one name, OpenCode would load only one.
    expect(textAt(delivered, "skills/tidy/examples/same/SKILL.md")).toContain("name: tidy-same");
  });

  test("inside another one is left out on its own if it cannot be restricted, or if OpenCode reads it as code", () => {
    const delivered = deliver({
      [path]: skill("name: tidy\ndescription: x"),
      "skills/tidy/more/SKILL.md": skill("name: more\ndescription: x\ndisallowed-tools: Bash"),
      "skills/tidy/js/SKILL.md": "---js\nrequire('fs')",
    });
    expect(delivered.stopped.map(({ entity, destination, because }) => [entity, destination, because])).toEqual([
      ["skills/tidy/js/SKILL.md", "skills/tidy/js/SKILL.md", expect.stringContaining("It is inside another skill")],
      ["skills/more", "skills/tidy/more/SKILL.md", expect.stringContaining('"disallowed-tools" is a restriction')],
    ]);
    expect([...delivered.files.keys()]).toEqual([path]);
  });

  test("that is the whole package is also checked", () => {
    const delivered = deliver({ "SKILL.md": skill("name: tidy\ndisallowed-tools: Bash"), "run.sh": "#!/bin/sh\n" });
    expect(delivered.stopped.map(({ source, at }) => `${source} ${at}`)).toEqual([
      "SKILL.md SKILL.md:3:1",
      "run.sh SKILL.md:3:1",
    ]);
  });

  test.each([
    ["no frontmatter", "Sweep.", "SKILL.md:1:1"],
    ["a description that is not text", skill("name: tidy\ndescription: [x]"), "SKILL.md:3:1"],
    ["bad frontmatter", skill("name: tidy\n  x: y"), "SKILL.md:2:7"],
  ])("is refused if it has %s", (_, text, place) => {
    expect(refusal(() => deliver({ [path]: text })).at).toBe(`skills/tidy/${place}`);
  });
});

test("parts that are not selected are neither checked nor delivered", () => {
  const all = tree({ "agents/good.md": "Body", "agents/bad.md": "---\n]\n---\n", [path]: "Sweep." });
  const manifest = readManifest(all);
  const translation = new PackageTranslation(manifest, all);
  const selected = selectContents({ manifest }, ["agents/good"]);
  const { files } = translation.deliver(undefined, selected.manifest);
  expect([...files.keys()]).toEqual(["agents/good.md"]);
  expect(() => translation.deliver()).toThrow("agents/bad.md:2:1");
});

test("a package is read once, and its agents once more for each set of the user's permissions", () => {
  const all = tree({
    ".claude-plugin/plugin.json": '{ "name": "p" }',
    "agents/a.md": "---\ntools: Bash, Read\n---\nBody\n",
    "commands/c.md": "---\nmodel: sonnet\n---\nMove $0\n",
  });
  const [asks, denies] = [{ bash: "ask" }, { bash: "deny" }] as const;
  const translation = new PackageTranslation(readManifest(all), all);
  for (const limit of [undefined, asks, denies, asks, undefined]) {
    expect(translation.deliver(limit)).toEqual(new PackageTranslation(readManifest(all), all).deliver(limit));
  }
  expect(textAt(translation.deliver(asks), "agents/a.md")).toContain("bash: ask");
  expect(textAt(translation.deliver(denies), "agents/a.md")).not.toContain("bash: ask");
});
