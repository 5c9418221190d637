// What the documents show is what happens: their examples run and are type-checked, their transcripts are real.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { expandArguments } from "../src/entities/arguments.ts";
import type { Provider, ToolRule } from "../src/entities/entity.ts";
import { formats } from "../src/entities/formats/all.ts";
import { LARGEST_FRONTMATTER } from "../src/entities/frontmatter/parse.ts";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { rules } from "../src/entities/lint/rules/all.ts";
import { LARGEST_FILE } from "../src/entities/read-file.ts";
import { MOST_FOLDERS } from "../src/entities/watch/folders.ts";
import {
  type Block,
  type Document,
  filesBefore,
  marked,
  parseDocument,
  parseSession,
  tableRows,
  withAnswersChecked,
} from "./examples-document.ts";
import { loaderCodes } from "./loader-codes.ts";

setDefaultTimeout(180_000);

const root = join(import.meta.dirname, "../../..");
const [readme, guide, whoReadsWhat] = [
  "packages/workflows/README.md",
  "docs/guide/entities.md",
  "docs/guide/who-reads-what.md",
].map((path) => ({ path, ...parseDocument(readFileSync(join(root, path), "utf8")) })) as [Shown, Shown, Shown];

type Shown = Document & { readonly path: string };

/** What the pages are as wide as. */
const columns = 100;

beforeAll(() => {
  // The program and the types that a stranger gets are the built ones; after `npm run check` there is nothing to do.
  const { exitCode, stdout } = Bun.spawnSync([
    join(root, "node_modules/.bin/tsc"),
    "-b",
    join(root, "packages/atomic"),
  ]);
  if (exitCode !== 0) throw new Error(`The packages do not compile:\n${stdout}`);
});

for (const document of [readme, guide, whoReadsWhat]) {
  const programs = document.blocks.filter(({ language }) => language === "ts");
  const sessions = document.blocks.filter(({ language }) => language === "console");

  describe(document.path, () => {
    test("has only blocks that are checked: files, programs with their output, sessions and pictures", () => {
      const outputs = new Set(programs.flatMap(({ next }) => next ?? []));
      const others = document.blocks.filter(
        (block) =>
          !programs.includes(block) &&
          !sessions.includes(block) &&
          !outputs.has(block) &&
          block.rest === "" &&
          // Installed like this by test/packed.test.ts.
          block.text !== "npm install @atomic/workflows\n" &&
          !isPicture(block),
      );
      expect(others).toEqual([]);
    });

    test("has programs that type-check", async () => {
      await using project = await projectFor({});
      await project.write("tsconfig.json", tsconfig);
      await project.write("package.json", { type: "module" });
      for (const { line, text } of programs) await project.write(`line-${line}.ts`, text);
      const { stdout } = await project.run([join(root, "node_modules/.bin/tsc"), "-p", "."]);
      expect(stdout).toBe("");
    });

    for (const program of programs) {
      test(`has a program in line ${program.line} that does what it says`, async () => {
        expect(await run(program, document)).toBe(outputOf(program));
      });
    }

    for (const session of sessions) {
      test(`has a session in line ${session.line} that shows what atomic says`, async () => {
        await using project = await projectFor(filesBefore(session, document));
        for (const { argv, output } of parseSession(session.text)) {
          expect(argv[0]).toBe("atomic");
          expect(await shown(project, argv.slice(1))).toBe(output);
        }
      });
    }
  });
}

test("the first example of the README works without options", async () => {
  const program = readme.blocks.find(({ language }) => language === "ts")!;
  expect(program.text).toContain("initializeWorkflowsSDK()");
  expect(await run(program, readme)).toBe(outputOf(program));
});

test("the README names every module that the package exports", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "packages/workflows/package.json"), "utf8"));
  const named = Array.from(readme.text.matchAll(/`@atomic\/workflows(\/[a-z./*-]+)?`/g), ([, path = ""]) => `.${path}`);
  const ours = Object.keys(exports).filter((path) => path !== "./package.json");
  expect(ours.length).toBeLessThanOrEqual(25);
  expect([...new Set(named)].toSorted()).toEqual(ours.toSorted());
});

describe("the guide says what the code does", () => {
  test("about the order of providers", () => {
    expect(marked(guide, "order")).toBe(formats.map(({ provider }) => `\`${provider}\``).join(" > "));
  });

  test("about arguments", () => {
    const providers: readonly Provider[] = ["claude", "opencode", "copilot", "atomic"];
    const rows = tableRows(marked(guide, "arguments"));
    expect(rows.length).toBeGreaterThan(6);
    for (const [body = "", input = "", ...said] of rows) {
      const expanded = providers.map((provider) =>
        expandArguments(code(body), code(input), { provider, names: ["from"] }),
      );
      expect([body, input, ...said.map(code)]).toEqual([body, input, ...expanded]);
    }
  });

  test("about restrictions", async () => {
    const rows = tableRows(marked(guide, "restrictions"));
    expect(rows.length).toBeGreaterThan(6);
    for (const [path = "", written = "", ...said] of rows) {
      await using project = await tmpProject({ git: false, files: { [code(path)]: `---\n${code(written)}\n---\n` } });
      const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
      const { restrictions } = registry.entries().find(({ name }) => name === "x")!;
      const { allow, ask = [], deny = [] } = restrictions;
      const allowed = allow === undefined ? "everything" : listed(allow) || "nothing";
      expect([path, written, ...said]).toEqual([path, written, allowed, listed(ask), listed(deny)]);
    }
  });

  test("about limits", () => {
    const [, limits = ""] = guide.text.split("## Limits");
    const sizes = tableRows(limits.trim().slice(limits.trim().indexOf("|"))).map(([, size]) => size);
    const known = [
      `${LARGEST_FILE / 1024 ** 2} MB`,
      `${LARGEST_FRONTMATTER / 1024} KB`,
      MOST_FOLDERS.toLocaleString("en"),
    ];
    expect(sizes).toEqual(expect.arrayContaining(known));
  });

  test.each([
    ["rules", rules],
    ["loader codes", loaderCodes],
  ])("about the %s of lint", (name, codes) => {
    const rows = codes.map(({ code, severity, summary }) => `| \`${code}\` | ${severity} | ${summary} |`);
    expect(marked(guide, name)).toBe(["| code | | what it means |", "|---|---|---|", ...rows].join("\n"));
  });
});

/** Text in a cell is code, in which a line break is shown as a return sign. Nothing at all is an empty text. */
function code(cell: string): string {
  return cell.replace(/^`+ ?|(?: ?`+)$/g, "").replaceAll("⏎", "\n");
}

function listed(rules: readonly ToolRule[]): string {
  return rules.map(({ tool, pattern }) => `\`${tool}${pattern === undefined ? "" : `(${pattern})`}\``).join(" ");
}

async function run(program: Block, document: Document): Promise<string> {
  await using project = await projectFor(filesBefore(program, document));
  await project.write("example.ts", withAnswersChecked(program));
  const { stdout, stderr } = await project.run([process.execPath, "example.ts"]);
  expect(stderr).toBe("");
  return stdout;
}

/** A block without a language right after a program is what that prints. */
function outputOf({ next }: Block): string {
  return next?.language === "" ? next.text : "";
}

async function shown(project: Project, argv: readonly string[]): Promise<string> {
  const command = ["node", join(root, "packages/atomic/bin/atomic.js"), ...argv];
  await using term = await terminal(command, { cols: columns, rows: 50, cwd: project.dir, env: project.env });
  await term.exit;
  return term.history().join("\n").trimEnd();
}

async function projectFor(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await tmpProject({ git: false, files });
  // As if the packages were installed there.
  symlinkSync(join(root, "node_modules"), project.path("node_modules"));
  return project;
}

function isPicture({ text }: Block): boolean {
  return /[─│►▼]/.test(text);
}

const tsconfig = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
  },
};
