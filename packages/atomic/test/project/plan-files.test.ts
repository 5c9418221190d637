// What `atomic init` decides, without a disk.
import { describe, expect, test } from "bun:test";
import { packageManagerOf } from "../../src/project/package-manager.ts";
import { type FoundProject, planFiles } from "../../src/project/plan-files.ts";
import { planTsconfig, type TsconfigPlan } from "../../src/project/tsconfig.ts";

const content = {
  names: { agent: ["reviewer"], command: [], skill: [], workflow: [] },
  firstWorkflow: "// first\n",
  tsconfig: "{}\n",
  packages: { "@atomic/cli": "^1.2.3", "@atomic/workflows": "^1.2.3" },
};

const empty: FoundProject = {
  packageJson: undefined,
  listedAbove: new Set(),
  tsconfig: undefined,
  hasOwnTsconfig: false,
  hasWorkflows: false,
  hasNames: false,
};

const decided = (found: Partial<FoundProject>): string[] =>
  planFiles({ ...empty, ...found }, content).map(({ did, path }) => `${did} ${path}`);

const packageJsonFrom = (packageJson: string | undefined): string | undefined =>
  planFiles({ ...empty, packageJson }, content).find(({ path }) => path === "package.json")?.text;

describe("a plan", () => {
  test("for an empty folder creates everything", () => {
    expect(decided({})).toEqual([
      "created .atomic/workflows/release.ts",
      "created .atomic/entity-names.d.ts",
      "created .atomic/tsconfig.json",
      "created package.json",
    ]);
  });

  test("for a project that has everything changes nothing", () => {
    const packageJson = JSON.stringify({
      dependencies: { "@atomic/cli": "1" },
      peerDependencies: { "@atomic/workflows": "*" },
    });
    const all = { packageJson, hasOwnTsconfig: true, hasWorkflows: true, hasNames: true };
    expect(decided(all)).toEqual([
      "kept .atomic/workflows",
      "kept .atomic/entity-names.d.ts",
      "kept .atomic/tsconfig.json",
      "kept package.json",
    ]);
  });

  test("leaves packages to the root of a monorepo that lists them", () => {
    const listedAbove = new Set(["@atomic/cli", "@atomic/workflows"]);
    expect(decided({ packageJson: "{}", listedAbove })).toContain("kept package.json");
  });
});

describe("package.json", () => {
  test.each([
    [
      "is created",
      undefined,
      '{\n  "private": true,\n  "devDependencies": {\n    "@atomic/cli": "^1.2.3",\n    "@atomic/workflows": "^1.2.3"\n  }\n}\n',
    ],
    [
      "keeps its tabs, line ends and order, and what it has",
      '{\r\n\t"name": "x",\r\n\t"devDependencies": {\r\n\t\t"zod": "4.0.0",\r\n\t\t"@atomic/cli": "file:../cli"\r\n\t},\r\n\t"private": true\r\n}',
      '{\r\n\t"name": "x",\r\n\t"devDependencies": {\r\n\t\t"zod": "4.0.0",\r\n\t\t"@atomic/cli": "file:../cli",\r\n\t\t"@atomic/workflows": "^1.2.3"\r\n\t},\r\n\t"private": true\r\n}',
    ],
    [
      "in alphabetical order stays in order",
      '{\n  "devDependencies": {\n    "@acme/lint": "1",\n    "zod": "4"\n  }\n}\n',
      '{\n  "devDependencies": {\n    "@acme/lint": "1",\n    "@atomic/cli": "^1.2.3",\n    "@atomic/workflows": "^1.2.3",\n    "zod": "4"\n  }\n}\n',
    ],
    [
      "on one line stays on one line",
      '{"name":"x"}\n',
      '{"name":"x","devDependencies":{"@atomic/cli":"^1.2.3","@atomic/workflows":"^1.2.3"}}\n',
    ],
  ])("%s", (_what, before, after) => {
    expect(packageJsonFrom(before)).toBe(after);
  });

  test.each([
    ["that does not parse", '{ "name": "x" "y" }', "package.json:1:15"],
    ["with a comma too many", '{ "name": "x,}", }', "package.json:1:16: a comma before the closing bracket is not"],
    ["with a comment", "{\n  // mine\n}", "package.json:2:3: a comment is not allowed"],
    ["that is a list", "[]", "package.json:1:1"],
    ["that is empty", "", "package.json:1:1"],
    ["whose dev dependencies are a list", '{\n  "devDependencies": []\n}', "package.json:2:22"],
  ])("%s is refused, with the position", (_what, text, at) => {
    expect(() => packageJsonFrom(text)).toThrow(at);
  });
});

describe("tsconfig.json", () => {
  const plan = (text: string, extended: readonly (string | undefined)[] = [], isModule = false): TsconfigPlan =>
    planTsconfig({ text, extended, isModule });
  const bundler = '"compilerOptions": { "noEmit": true, "skipLibCheck": true, "moduleResolution": "bundler" }';

  test("gets the dot folder, and keeps its comments and layout", () => {
    const before = `{
  // How we check.
  ${bundler}, /* both */
  "include": [
    "src", // ours
  ],
}
`;
    expect(plan(before)).toEqual({
      kind: "include",
      text: before.replace('"src", // ours', '"src", // ours\n    ".atomic/**/*",'),
    });
  });

  test.each([
    ["without a list, still has everything", `{ ${bundler} }`, `{ ${bundler}, "include": ["**/*", ".atomic/**/*"] }`],
    [
      "with files, has no more than those",
      `{ ${bundler}, "files": ["a.ts"] }`,
      `{ ${bundler}, "files": ["a.ts"], "include": [".atomic/**/*"] }`,
    ],
    [
      "in one line stays there",
      `{ ${bundler}, "include": ["src"] }`,
      `{ ${bundler}, "include": ["src", ".atomic/**/*"] }`,
    ],
  ])("%s", (_what, before, after) => {
    expect(plan(before)).toEqual({ kind: "include", text: after });
  });

  test.each([[".atomic/*"], [".atomic/**/*"], ["./.atomic/workflows/*.ts"]])("that has %j stays", (pattern) => {
    expect(plan(JSON.stringify({ include: ["src", pattern] }))).toEqual({ kind: "covered" });
  });

  const options = (compilerOptions: object): string => JSON.stringify({ compilerOptions, include: ["src"] });
  test.each<[string, string, (string | undefined)[], boolean, string]>([
    ["compiles", options({ outDir: "dist", module: "nodenext" }), [], true, "it also compiles"],
    [
      "compiles, although it extends one that does not",
      '{ "extends": "a", "compilerOptions": { "noEmit": false } }',
      [options({ noEmit: true, skipLibCheck: true, module: "preserve" })],
      true,
      "it extends the one that lists its files",
    ],
    [
      "turns off what it extends",
      options({ noEmit: false }),
      ['{ "compilerOptions": { "noEmit": true, "module": "preserve" } }'],
      true,
      "it also compiles",
    ],
    [
      "refers to others, as Vite's does",
      '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      [],
      true,
      "it only refers to other projects",
    ],
    [
      "extends what is not there",
      options({ noEmit: true, skipLibCheck: true, module: "preserve" }),
      [undefined],
      true,
      "it extends a file that cannot be found",
    ],
    [
      "does not read exports",
      options({ noEmit: true, skipLibCheck: true, moduleResolution: "Node10", module: "esnext" }),
      [],
      true,
      "its moduleResolution does not read what packages export",
    ],
    [
      "checks packages, too",
      options({ noEmit: true, module: "preserve" }),
      [],
      true,
      "it also checks the types of packages (skipLibCheck is off)",
    ],
    [
      "says nothing about modules",
      options({ noEmit: true, skipLibCheck: true }),
      [],
      true,
      "its moduleResolution does not read what packages export",
    ],
    [
      "is CommonJS",
      options({ noEmit: true, skipLibCheck: true, module: "NodeNext" }),
      [],
      false,
      "it treats the project's files as CommonJS",
    ],
    [
      "has its files in one folder",
      options({ noEmit: true, skipLibCheck: true, module: "preserve", rootDir: "src" }),
      [],
      true,
      "its rootDir does not contain .atomic",
    ],
    [
      "requires a type on every export",
      options({ noEmit: true, skipLibCheck: true, module: "preserve" }),
      ['{ "compilerOptions": { "declaration": true, "isolatedDeclarations": true } }'],
      true,
      "it requires a type on every export (isolatedDeclarations)",
    ],
    [
      "excludes dot folders",
      `{ ${bundler}, "exclude": ["**/.*"] }`,
      [],
      true,
      "it excludes folders that begin with a dot",
    ],
  ])("that %s stays as it is", (_what, text, extended, isModule, because) => {
    expect(plan(text, extended, isModule)).toEqual({ kind: "apart", because });
  });

  test.each<[string, string, string[], boolean]>([
    [
      "Next.js",
      options({ noEmit: true, skipLibCheck: true, module: "esnext", moduleResolution: "bundler", allowJs: true }),
      [],
      false,
    ],
    ["Bun", options({ noEmit: true, skipLibCheck: true, module: "Preserve", moduleResolution: "bundler" }), [], false],
    ["modern Node", options({ noEmit: true, skipLibCheck: true, module: "nodenext" }), [], true],
    [
      "a shared base",
      '{ "extends": "../base.json", "include": ["src"] }',
      [options({ noEmit: true, skipLibCheck: true, module: "preserve" })],
      false,
    ],
    [
      "a rootDir that is the project",
      options({ noEmit: true, skipLibCheck: true, module: "preserve", rootDir: "./" }),
      [],
      false,
    ],
    ["an exclude of ./dist", `{ ${bundler}, "include": ["src"], "exclude": ["./dist"] }`, [], false],
  ])("of %s is extended", (_what, text, extended, isModule) => {
    expect(plan(text, extended, isModule)).toMatchObject({
      kind: "include",
      text: expect.stringContaining('".atomic/**/*"'),
    });
  });
});

test.each([
  [
    "the nearest lock file",
    ["pnpm-lock.yaml", "package-lock.json"],
    "bun@1.3.0",
    "npm/11",
    "pnpm install",
    "pnpm exec",
  ],
  ["bun's old lock file", ["bun.lockb"], undefined, undefined, "bun install", "bunx"],
  ["bun's new lock file", ["bun.lock"], undefined, undefined, "bun install", "bunx"],
  ["yarn's", ["yarn.lock"], undefined, undefined, "yarn install", "yarn"],
  ["npm's", ["npm-shrinkwrap.json"], "yarn@4.0.0", undefined, "npm install", "npx"],
  ["what package.json declares", [], "yarn@4.9.1+sha512.abc", "npm/11.0.0 node/v24", "yarn install", "yarn"],
  ["who started it", [], undefined, "pnpm/10.2.0 npm/? node/v24.1.0 linux x64", "pnpm install", "pnpm exec"],
  ["an unknown one", [], "corepack@1", "deno/2.0.0", "npm install", "npx"],
  ["nothing", [], undefined, undefined, "npm install", "npx"],
])("the package manager by %s", (_what, locks, declared, agent, install, run) => {
  expect(packageManagerOf(locks, declared, agent)).toMatchObject({ install, run });
});
