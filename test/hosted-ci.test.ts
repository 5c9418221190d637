// Hosted CI is not run here. So it may only call what is: the scripts of package.json, on the Node versions and systems that we name.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dir);
const { scripts, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly strategy?: { readonly matrix: { readonly os: readonly string[]; readonly node: readonly number[] } };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}
interface Field {
  readonly type: string;
  readonly id?: string;
  readonly validations?: { readonly required: boolean };
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).map((name): [string, Workflow] => [
  name,
  Bun.YAML.parse(read(join(folder, name))) as Workflow,
]);
const jobs = workflows.flatMap(([name, { jobs }]) =>
  Object.entries(jobs).map(([id, job]): [string, Job] => [`${name}: ${id}`, job]),
);

describe.each(jobs)("%s", (_name, { steps, ...job }) => {
  test("runs only scripts of package.json", () => {
    const commands = steps.flatMap(({ run }) => run ?? []);
    const called = commands.map((command) => /^npm (?:run )?([a-z]+)(?: -- --[a-z-]+)?$/.exec(command)?.[1] ?? command);
    expect(called.filter((script) => scripts[script] === undefined)).toEqual([]);
    expect(commands.length).toBeGreaterThan(0);
  });

  test("uses only actions of the host itself, at a version, and ends by itself", () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.filter((action) => !/^actions\/[a-z-]+@v\d+$/.test(action))).toEqual([]);
    expect(job["timeout-minutes"]).toBeNumber();
  });
});

test("the tests run on every Node version and system that we name", () => {
  const { matrix } = workflows.flatMap(([, { jobs }]) => jobs.test?.strategy ?? [])[0] ?? {};
  expect(matrix).toEqual({ os: ["ubuntu-latest", "macos-latest"], node: [20, 22, 24] });
  expect(engines.node).toStartWith(`>=${matrix?.node[0]}.`);
});

test("every script that checks something is called by a job", () => {
  const all = jobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []));
  for (const command of [
    "npm test",
    "npm run sweep",
    "npm run journeys",
    "npm run pack",
    "npm run release -- --dry-run",
  ])
    expect(all).toContain(command);
});

test("only the job that publishes may do more than read", () => {
  for (const [, { permissions }] of workflows) expect(permissions).toEqual({ contents: "read" });
  const more = jobs.filter(([, { permissions }]) => permissions !== undefined);
  expect(more.map(([name, { permissions }]) => [name, permissions])).toEqual([
    ["release.yml: publish", { contents: "read", "id-token": "write" }],
  ]);
});

describe("forms for issues", () => {
  const forms = join(root, ".github/ISSUE_TEMPLATE");
  const names = readdirSync(forms).filter((name) => name !== "config.yml");

  test.each(names)("%s asks for what is needed, and nothing twice", (name) => {
    const form = Bun.YAML.parse(read(join(forms, name))) as { body: Field[] };
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const fields = form.body.filter(({ type }) => type !== "markdown");
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    expect(fields.some(({ validations }) => validations?.required)).toBe(true);
  });
});

test("the page about stability lists every public module, and no other", () => {
  const { exports } = JSON.parse(read(join(root, "packages/workflows/package.json")));
  const page = read(join(root, "docs/reference/stability.md"));
  const listed = [...page.matchAll(/^ *\| `@atomic\/workflows(\/[^`]*)?` \|/gm)].map(([, path = ""]) => `.${path}`);
  expect(listed.toSorted()).toEqual(
    Object.keys(exports)
      .filter((path) => !path.startsWith("./internal/"))
      .toSorted(),
  );
});

test("CONTRIBUTING names scripts and files that exist", () => {
  const text = read(join(root, "CONTRIBUTING.md"));
  const called = [...text.matchAll(/(?:`|^)npm (?:run )?([a-z]+)\b/gm)].map(([, script = ""]) => script);
  const npmItself = ["publish"];
  expect(called.filter((script) => scripts[script] === undefined && !npmItself.includes(script))).toEqual([]);
  const files = [...text.matchAll(/packages\/[\w/.-]+\.ts/g)].map(([file]) => file);
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

function read(file: string): string {
  return readFileSync(file, "utf8");
}
