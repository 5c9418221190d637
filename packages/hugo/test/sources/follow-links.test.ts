import { describe, expect, test } from "bun:test";
import { followLinks } from "../../src/sources/follow-links.ts";

/** The files that appear where links are, as `path = content`, and the links that were followed. */
function follow(files: readonly string[], links: Readonly<Record<string, string>>, most = 1000): string[] {
  let counted = 0;
  const { copies, followed } = followLinks(
    new Map(files.map((path) => [path, path])),
    new Map(Object.entries(links)),
    () => {
      counted++;
      if (counted > most) throw new Error("too many");
    },
  );
  return [
    ...copies.map(([path, file]) => `${path} = ${file}`),
    ...[...followed].map((each) => each.join(" > ")),
  ].sort();
}

const shared = ["shared/pdf/SKILL.md", "shared/pdf/run.sh", "notes.md"];

test("a link to a folder in the repository is that folder", () => {
  expect(follow(shared, { ".opencode/skills": "../shared" })).toEqual([
    ".opencode/skills > shared",
    ".opencode/skills/pdf/SKILL.md = shared/pdf/SKILL.md",
    ".opencode/skills/pdf/run.sh = shared/pdf/run.sh",
  ]);
  expect(follow(shared, { "skills/pdf": "../shared/pdf/", "agents/a.md": ".././notes.md" })).toEqual([
    "agents/a.md = notes.md",
    "agents/a.md > notes.md",
    "skills/pdf > shared/pdf",
    "skills/pdf/SKILL.md = shared/pdf/SKILL.md",
    "skills/pdf/run.sh = shared/pdf/run.sh",
  ]);
});

test("links on the way and inside of a linked folder are followed, too", () => {
  const links = { skills: ".agents/all", ".agents/all": "../kept", "kept/pdf": "../shared/pdf" };
  expect(follow(shared, links)).toEqual([
    "skills > kept",
    "skills/pdf/SKILL.md = shared/pdf/SKILL.md",
    "skills/pdf/run.sh = shared/pdf/run.sh",
  ]);
  expect(follow(shared, { "skills/x.md": "../lib/n", lib: "." })).toEqual([]);
  expect(follow(shared, { "skills/x.md": "../lib/notes.md", lib: "." })).toEqual([
    "skills/x.md = notes.md",
    "skills/x.md > notes.md",
  ]);
});

describe("not followed:", () => {
  const cases: readonly [what: string, links: Readonly<Record<string, string>>][] = [
    ["out of the repository", { skills: "../shared" }],
    ["out of it and back", { "a/skills": "../../here/shared" }],
    ["an absolute path", { skills: "/shared" }],
    ["a path of Windows", { skills: "..\\shared" }],
    ["nothing", { skills: "gone" }],
    ["itself", { skills: "skills" }],
    ["each other", { skills: "agents", agents: "skills" }],
    ["the folder it is in", { "shared/skills": "." }],
    ["the whole repository", { "shared/skills": ".." }],
    ["through itself", { skills: "skills/x" }],
    ["somewhere else than to agents, commands or skills", { docs: "shared", "CLAUDE.md": "notes.md" }],
    ["a link that is a folder as well", { "shared/skills": "../notes.md", "shared/skills/x": "../../notes.md" }],
  ];
  test.each(cases)("%s", (_what, links) => {
    expect(follow(shared, links)).toEqual([]);
  });

  test("around in circles inside of a linked folder", () => {
    const links = { skills: "shared", "shared/again": "../skills", "shared/up": "..", "shared/pdf/pdf": "." };
    expect(follow(shared, links)).toEqual([
      "skills > shared",
      "skills/pdf/SKILL.md = shared/pdf/SKILL.md",
      "skills/pdf/run.sh = shared/pdf/run.sh",
    ]);
  });
});

test("folders that multiply through links are counted until there are too many", () => {
  const links: Record<string, string> = { skills: "l0" };
  for (let level = 0; level < 12; level++) {
    for (const name of "abcd") links[`l${level}/${name}`] = `../l${level + 1}`;
  }
  expect(() => follow(["l12/SKILL.md"], links)).toThrow("too many");
});
