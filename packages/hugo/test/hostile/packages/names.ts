// Names that are one on some disks, none on others, or something else to a program.
import { expect } from "bun:test";
import type { Hostile } from "../hostile-package.ts";
import { agent, archive, folder, harmless, json, repository, skill } from "../making.ts";

const together = (what: string, one: string, other: string): Hostile => ({
  what,
  make: (world) =>
    archive(world, "evil", [
      { path: `package/${one}`, content: agent() },
      { path: `package/${other}`, content: agent("Or at this.") },
    ]),
  expected: { code: "package-unsafe", says: "the same file on many file systems" },
});

const fileName = (what: string, name: string, says = "unsafe name"): Hostile => ({
  what,
  make: (world) => archive(world, "evil", [{ path: `package/${name}`, content: agent() }]),
  expected: { code: "package-unsafe", says },
});

const packageName = (name: string): Hostile => ({
  what: `a package that calls itself ${json(name)}`,
  make: (world) => folder(world, "called", { ...harmless, "package.json": json({ name, version: "1.0.0" }) }),
  expected: { code: "name-invalid", says: /name/ },
});

export const names: readonly Hostile[] = [
  together("two agents that differ in case", "agents/Review.md", "agents/review.md"),
  together("CVE-2024-32002 (git): two folders that differ in case", "Skills/x/SKILL.md", "skills/y/SKILL.md"),
  together("composed and decomposed letters", "agents/\u00e9.md", "agents/e\u0301.md"),
  together("letters that share their capital", "agents/stra\u00dfe.md", "agents/strasse.md"),
  together("a file and a folder that differ in case", "skills/a/x", "skills/a/X/y.md"),
  fileName("CVE-2018-11499: a device of Windows as an agent", "agents/con.md"),
  fileName("a device of Windows with more behind it", "skills/s/aux.tar.gz"),
  fileName("a stream of Windows", "agents/a.md:evil.md"),
  fileName("a name that ends with a dot", "agents/a.md."),
  fileName("a name that ends with a space", "agents/a.md "),
  fileName("CVE-2021-42574 (Trojan Source): a name that reads backwards", "agents/a\u202edm.exe", "invisible"),
  fileName("a name with a zero-width space", "agents/re\u200bview.md", "invisible"),
  {
    what: "a name that is not UTF-8",
    make: async (world) => {
      const repo = await repository(world, "bytes", {});
      const id = await repo.git("rev-parse", "main:agents/looker.md");
      await repo.git("read-tree", "--empty");
      await repo.git("update-index", "--add", "--cacheinfo", `100644,${id},agents/looker.md`);
      const script = `printf '100644 ${id}\\tagents/\\377.md\\0' | git update-index -z --index-info && git commit-tree -m x "$(git write-tree)"`;
      const child = Bun.spawn(["sh", "-c", script], { cwd: repo.dir, env: repo.env });
      await repo.git("update-ref", "refs/heads/main", (await new Response(child.stdout).text()).trim());
      return repo.packageUrl;
    },
    expected: { code: "package-unsafe", says: "not UTF-8" },
  },
  ...[
    "..",
    ".",
    "con",
    "__proto__",
    "constructor",
    "@scope/..",
    "@scope/../../x",
    "-rf",
    "a b",
    "x\u202ey",
    "\u001b[31mred",
    "",
  ].map(packageName),
  {
    what: "an agent called __proto__",
    make: (world) => folder(world, "proto", { "agents/__proto__.md": agent() }),
    expected: {
      installed: ({ files, printed }) => {
        expect([...files.keys()].filter((path) => path.startsWith("agents/"))).toEqual(["agents/proto.md"]);
        expect(printed).toContain("__proto__ is proto");
      },
    },
  },
  {
    what: "a skill called constructor",
    make: (world) => folder(world, "proto", { "skills/constructor/SKILL.md": skill("constructor") }),
    expected: {
      installed: ({ files }) => {
        const paths = [...files.keys()].filter((path) => path.startsWith("skills/"));
        expect(paths.map((path) => path.replace(/-[0-9a-f]{8}\//, "-#/"))).toEqual(["skills/constructor-#/SKILL.md"]);
      },
    },
  },
  {
    what: "a skill that calls itself by a path",
    make: (world) => folder(world, "whole", { "SKILL.md": skill("../../outside/x") }),
    expected: { code: "manifest-invalid", says: "not allowed" },
  },
];
