import { expect, test } from "bun:test";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { registeredFindings } from "../../../src/commands/health/check-workflow.ts";
import { pinFindings } from "../../../src/commands/health/pin-findings.ts";
import { type LoadedFrom, loadedFrom } from "../../../src/opencode/loaded-from.ts";
import { readConfigAnswer, readSkillAnswer } from "../../../src/opencode/query-opencode.ts";
import { hashOf } from "../../../src/packages/hash.ts";
import { placeFor } from "../../../src/workspace/place.ts";

const place = placeFor({ cwd: "/project", home: "/home/me", env: {} }, { global: false });

function locked(more: Partial<LockedWorkflow> = {}): LockedWorkflow {
  return {
    package: "@org/verse",
    source: "@org/verse",
    version: "1.0.0",
    tree: hashOf("tree"),
    delivery: { kind: "plugin" },
    agents: ["poet"],
    commands: ["sing"],
    skills: ["meter"],
    ...more,
  };
}

function entriesOf(...specs: string[]): LoadedFrom[] {
  return specs.map((spec, index) => {
    const from = loadedFrom(
      { file: "/project/opencode.json", index, spec, isTuple: false },
      { home: "/home/me", env: {} },
    );
    if (from === undefined) throw new Error(`${spec} is not for Hugo.`);
    return from;
  });
}

function pins(specs: readonly string[], present?: string, workflow: LockedWorkflow = locked()): string[] {
  const findings = pinFindings(place, {
    name: "verse",
    locked: workflow,
    entries: entriesOf(...specs),
    ...(present !== undefined && { present }),
  });
  return findings.map(({ severity, code }) => `${severity} ${code}`);
}

test.each<[readonly string[], string | undefined, readonly string[]]>([
  [[], undefined, []],
  [[`./.opencode/.hugo/store/verse-${hashOf("tree").slice(7, 23)}/node_modules/@org/verse`], "1.0.0", []],
  // OpenCode fetches these by itself.
  [["@org/verse@1.0.0"], undefined, ["warning drift"]],
  [["@org/verse@1.0.0"], "1.0.0", ["warning drift"]],
  [["@org/verse@1.0.0"], "0.9.0", ["warning drift", "problem stale-cache"]],
  [["@org/verse@1.1.0"], "1.1.0", ["problem drift"]],
  [["@org/verse"], "1.0.0", ["warning drift"]],
  [["@org/verse"], "0.9.0", ["problem drift"]],
  [["@org/verse@latest"], undefined, ["problem drift"]],
  [["@org/verse@1.1.0", "@org/verse@1.0.0"], "1.0.0", ["warning duplicate-entry", "warning drift"]],
  [["@org/verse@1.0.0", "./verse"], "1.0.0", ["problem duplicate-entry", "problem drift"]],
])("%j in the config with %s in the cache", (specs, present, expected) => {
  expect(pins(specs, present)).toEqual([...expected]);
});

test("a package from a folder or a repository has to be loaded from the store", () => {
  const tree = hashOf("tree");
  const stored = `./.opencode/.hugo/store/verse-${tree.slice(7, 23)}/node_modules/@org/verse`;
  const ofFolder = locked({ source: "./verse", tree });
  expect(pins([stored], "3.0.0", ofFolder)).toEqual([]);
  expect(pins([`/project/${stored.slice(2)}`], undefined, ofFolder)).toEqual([]);
  expect(pins(["./verse"], "1.0.0", ofFolder)).toEqual(["problem drift"]);
  // After a migration, it is unknown which package it was.
  const { tree: _, ...migrated } = ofFolder;
  expect(pins(["./verse"], "1.0.0", migrated)).toEqual([]);
});

test("entries listed but missing are reported, with the reason if a file shows it", () => {
  const registered = { agents: new Map(), commands: new Map([["sing", {}]]), skills: new Map<string, string>() };
  const broken = {
    severity: "error",
    code: "c",
    message: "It is broken.",
    path: "/x/skills/meter/SKILL.md",
    line: 2,
    column: 1,
    hint: "Fix it.",
  } as const;
  const other = { ...broken, path: "/x/agents/poet.md", severity: "warning" } as const;
  expect(registeredFindings(locked(), registered, { diagnostics: [broken, other], absent: new Set() })).toEqual([
    {
      severity: "problem",
      code: "not-registered",
      message: 'The agent "poet" is listed, but OpenCode did not load it',
      hint: expect.stringContaining("hugo build --check"),
    },
    {
      severity: "problem",
      code: "not-registered",
      message: 'The skill "meter" is listed, but OpenCode did not load it: skills/meter/SKILL.md:2:1 It is broken.',
      hint: "Fix it.",
    },
  ]);
  const nothing = { diagnostics: [], absent: new Set<string>() };
  expect(registeredFindings(locked({ selection: ["commands/sing"] }), registered, nothing)).toEqual([]);
  // Their files are already reported as missing.
  const absent = new Set(["agents/poet.md", "skills/meter/SKILL.md"]);
  expect(registeredFindings(locked(), registered, { diagnostics: [], absent })).toEqual([]);
});

test("only well-formed answers from OpenCode count", () => {
  expect(readConfigAnswer({ agent: { a: {}, b: 1 }, command: [], skills: { paths: ["/x", 1] } })).toEqual({
    agents: new Map([["a", {}]]),
    commands: new Map(),
    skillPaths: ["/x"],
  });
  expect(readConfigAnswer(undefined)).toEqual({ agents: new Map(), commands: new Map(), skillPaths: [] });
  const skills = [
    { name: "s", location: "/s" },
    { name: "customize-opencode", location: "<built-in>" },
    { name: 1 },
    "x",
  ];
  expect(readSkillAnswer(skills)).toEqual(new Map([["s", "/s"]]));
  expect(readSkillAnswer({})).toEqual(new Map());
});
