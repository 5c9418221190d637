import { expect, test } from "bun:test";
import { differences } from "../../../src/commands/author/check-load.ts";
import { checkPackageJson } from "../../../src/commands/author/check-package.ts";
import { missingFromPackage } from "../../../src/commands/author/packing.ts";
import { problemOfDiagnostic, problemsOf } from "../../../src/commands/author/read-source.ts";
import { fillTemplate, printManifest, readTemplate } from "../../../src/commands/author/write-files.ts";
import { HugoError } from "../../../src/errors.ts";
import { readJsonObject } from "../../../src/packages/json-part.ts";
import { type Manifest, readManifest } from "../../../src/packages/manifest.ts";
import { tree } from "../../tree.ts";

const entities = (...names: string[]) => names.map((name) => ({ name, path: "" }));

test("a manifest is the same text whatever the order, and what it says can be read back", () => {
  const one = printManifest({ agents: entities("b", "a"), commands: [], skills: entities("git/x") });
  expect(one).toBe('{\n  "agents": ["a", "b"],\n  "commands": [],\n  "skills": ["git/x"]\n}\n');
  expect(printManifest({ skills: entities("git/x"), commands: [], agents: entities("a", "b") })).toBe(one);
  const files = tree({
    "workflow.json": printManifest({ agents: entities("b", "a"), commands: [], skills: [] }),
    "agents/a.md": "",
    "agents/b.md": "",
  });
  expect(readManifest(files).agents.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("the template is filled with a name, and its own name is gone", () => {
  const filled = fillTemplate(readTemplate(), "@my-workflow/x");
  expect([...filled.keys()]).toEqual([...filled.keys()].sort());
  expect(filled.has(".gitignore")).toBe(true);
  expect(filled.get("README.md")).toStartWith("# x\n");
  expect(filled.get("package.json")).toContain('"name": "@my-workflow/x"');
  const others = [...filled].filter(([path]) => path !== "package.json" && path !== "README.md");
  expect(others.filter(([path, text]) => `${path}${text}`.includes("my-workflow"))).toEqual([]);
});

test("the template's README names each of its files", () => {
  const template = readTemplate();
  const readme = template.get("README.md") ?? "";
  const named = [...template.keys()].filter((path) => /^(?:agents|commands|skills|src)\//.test(path));
  expect(named.filter((path) => !readme.includes(`\`${path}\``))).toEqual([]);
});

function manifestWith(more: Partial<Manifest>): Manifest {
  return {
    from: "workflow.json",
    delivery: { kind: "copy" },
    package: {},
    agents: [],
    commands: [],
    skills: [],
    ...more,
  };
}

test("a difference is what is listed and missing, or there and not listed", () => {
  const manifest = manifestWith({ agents: entities("a", "b"), commands: entities("c"), skills: entities("s") });
  const registered = {
    agents: new Map([
      ["a", {}],
      ["x", {}],
    ]),
    commands: new Map([["c", {}]]),
    skills: new Map<string, string>(),
  };
  expect(differences(manifest, registered).map(({ severity, at }) => `${severity} ${at}`)).toEqual([
    "error agents/b.md",
    "warning workflow.json",
    "error skills/s",
  ]);
  expect(differences(manifestWith({}), { agents: new Map(), commands: new Map(), skills: new Map() })).toEqual([]);
});

test("files that npm never packs are not missed", () => {
  const needed = ["agents/a.md", "skills/s/.gitignore", "skills/s/.DS_Store", "skills/s/SKILL.md", "skills/s/x.orig"];
  expect(missingFromPackage(needed, new Set(["agents/a.md"])).map(({ at }) => at)).toEqual(["skills/s/SKILL.md"]);
  expect(missingFromPackage(needed, new Set(needed))).toEqual([]);
});

test.each([
  [{}, ["name", "version", "description", "opencode-workflow"]],
  [
    { name: "", version: 1, description: null, keywords: "opencode-workflow" },
    ["name", "version", "description", "opencode-workflow"],
  ],
  [
    {
      name: "a",
      version: "1",
      description: "d",
      keywords: ["x", "opencode-workflow"],
      scripts: { install: "x", test: "y", prepare: "z" },
    },
    ["install"],
  ],
  [{ name: "a", version: "1", description: "d", keywords: ["opencode-workflow"] }, []],
])("for %j, the problems are %j", (json, said) => {
  const part = readJsonObject(JSON.stringify(json), { file: "package.json", code: "manifest-invalid", hint: "" });
  const problems = checkPackageJson(part);
  expect(problems.map(({ message }) => /"([^"]+)"/.exec(message)?.[1] ?? "")).toEqual(said);
  expect(
    problems.every(
      ({ severity, at, hint }) => severity === "warning" && at?.startsWith("package.json:1:") && hint !== "",
    ),
  ).toBe(true);
});

test("a location appears once, relative to the package's folder", () => {
  const refused = new HugoError("manifest-invalid", {
    message: "package.json:1:2: main is missing",
    at: "package.json:1:2",
    hint: "h",
  });
  expect(problemsOf(refused)).toEqual([
    {
      severity: "error",
      at: "package.json:1:2",
      message: "main is missing",
      hint: "h",
    },
  ]);
  const elsewhere = new HugoError("package-unsafe", { message: "It has a link", hint: "h" });
  expect(problemsOf(elsewhere)).toEqual([{ severity: "error", message: "It has a link", hint: "h" }]);
  const parts = [1, 2].map((line) => ({ at: `a.md:${line}:1`, message: "bad" }));
  const several = new HugoError("content-invalid", { message: "a.md:1:1: bad; a.md:2:1: bad", hint: "h", parts });
  expect(problemsOf(several)).toMatchObject(parts);
  const diagnostic = { severity: "info", code: "c", message: "m", path: "/p/agents/a.md", line: 3, column: 1 } as const;
  expect(problemOfDiagnostic("/p", diagnostic)).toEqual({
    severity: "warning",
    message: "m",
    at: "agents/a.md:3:1",
    hint: "",
  });
  expect(problemOfDiagnostic("/p", { severity: "error", code: "c", message: "m", path: "/p" }).at).toBe(".");
});
