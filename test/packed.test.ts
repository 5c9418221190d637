// The published packages: packed by npm in each package's folder, installed alone, with an empty registry, and run.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { type Project, tmpProject } from "@atomic/testing/project";
import { readPackageTree } from "../packages/hugo/src/packages/read-tree.ts";
import { capabilitiesOf, readCandidate } from "../packages/hugo/src/trust/candidate.ts";

setDefaultTimeout(120_000);

const root = dirname(import.meta.dir);
const ours = /^(?:@atomic\/|hugo-pm$|magnus-opus$)/;

/** The driver for Postgres, with what it needs, and the reader of schedules. */
const forPostgres = [
  ...[
    "croner",
    "pg",
    "pg-cloudflare",
    "pg-connection-string",
    "pg-int8",
    "pg-pool",
    "pg-protocol",
    "pg-types",
    "pgpass",
  ],
  ...["postgres-array", "postgres-bytea", "postgres-date", "postgres-interval", "split2", "xtend"],
];

/** By name: its folder, its programs, and the packages of others that are in its bundle. */
const programs = {
  "hugo-pm": { folder: "hugo", bins: ["hugo-pm"], bundled: ["yaml"] },
  "magnus-opus": { folder: "magnus-opus", bins: ["magnus-opus"], bundled: ["yaml", "zod"] },
  "@atomic/cli": { folder: "atomic", bins: ["atomic"], bundled: forPostgres },
} as const;

beforeAll(() => bundlePackages("hugo-pm", "magnus-opus", "@atomic/cli"));

describe.each(Object.entries(programs))("%s", (name, { folder, bins, bundled }) => {
  const source = join(root, "packages", folder);
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));

  test("holds its program, our license, and the license of everybody whose code is in its bundle", async () => {
    await using project = await tmpProject({ git: false });
    const { files, tarball } = await pack(project, source);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "THIRD-PARTY-LICENSES", "package.json"]));
    expect(files.filter((file) => /^(?:src|test|dist\/(?!bundle\/))/.test(file))).toEqual([]);
    if (name === "magnus-opus") {
      const stacks = readdirSync(join(source, "stacks"), { recursive: true, encoding: "utf8" });
      const packs = stacks.filter((file) => file.endsWith(".md")).map((file) => `stacks/${file}`);
      expect(files).toEqual(expect.arrayContaining(packs));
    }
    await project.run(["tar", "-xf", tarball]);
    expect(await project.read("package/LICENSE")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
    const licenses = await project.read("package/THIRD-PARTY-LICENSES");
    expect([...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm)].map(([, each]) => each)).toEqual([...bundled]);
    expect(licenses).toContain(bundled.length === 0 ? "contains no packages of others" : "contains the packages below");
    for (const each of bundled) {
      const folder = join(root, "node_modules", each);
      const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file)) ?? "README.md";
      const text = readFileSync(join(folder, file), "utf8");
      expect(licenses).toContain(text.replace(/^[\s\S]*\n## licen[cs]e\n/i, "").trim());
    }
  });

  test("keeps what its bundle contains out of its dependencies, and tests out of its bundle", () => {
    const needed = Object.keys(manifest.dependencies ?? {});
    expect(needed.filter((each) => ours.test(each))).toEqual(name === "@atomic/cli" ? ["@atomic/workflows"] : []);
    const kept = readFileSync(join(root, "biome.json"), "utf8");
    const inBundle: readonly string[] = [
      ...bundled,
      "@atomic/durable-files",
      "@atomic/terminal",
      "@atomic/workflows",
      "@atomic/engine-postgres",
    ];
    const forTests = Object.keys(manifest.devDependencies).filter((each) => !inBundle.includes(each));
    expect(forTests.filter((each) => !kept.includes(`"${each}"`))).toEqual([]);
  });

  if (name === "@atomic/cli") return;

  test("is installed from its tarball without any other package", async () => {
    await using project = await tmpProject({ git: false, files: { "package.json": { name: "empty" } } });
    const { tarball } = await pack(project, source);
    const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    const installed = await project.run(["npm", "install", ...flags, tarball]);
    expect(installed).toMatchObject({ code: 0 });
    expect((await project.run(["ls", "node_modules"])).stdout).toBe(`${name}\n`);
    for (const bin of bins) {
      const help = await project.run([project.path(`node_modules/.bin/${bin}`), "--version"]);
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining(manifest.version) });
    }
  });
});

/** As `npm publish` would, with its scripts: the folder is built if it was not. */
test("the published library has every module that the bundle of atomic gets from it", async () => {
  await bundlePackages("@atomic/workflows");
  const bundle = join(root, "packages/atomic/dist/bundle");
  const reached = new Set(["main.js", "tui.js"]);
  const wanted = new Set<string>();
  for (const file of reached) {
    const code = readFileSync(join(bundle, file), "utf8");
    for (const [, name = ""] of code.matchAll(/"\.\/([\w.-]+\.js)"/g)) reached.add(name);
    for (const [, name = ""] of code.matchAll(/"@atomic\/workflows\/internal\/([\w/-]+)"/g)) wanted.add(name);
  }
  const published = join(root, ".build/packages/workflows/dist");
  expect([...wanted].filter((name) => !existsSync(join(published, `${name}.js`)))).toEqual([]);
  expect(wanted.size).toBeGreaterThan(20);
});

test("Hugo's report about Magnus Opus says what it does, and raises no false alarm", async () => {
  await using project = await tmpProject({ git: false });
  const { tarball } = await pack(project, join(root, "packages/magnus-opus"));
  await project.run(["tar", "-xf", tarball]);
  const candidate = readCandidate(
    { packageName: "magnus-opus", version: "1.0.0" },
    readPackageTree(project.path("package")),
  );
  const { list } = capabilitiesOf(candidate);
  const details = (kind: string): string[] =>
    [...new Set(list.flatMap((each) => (each.kind === kind ? [each.detail] : [])))].toSorted();
  expect(details("code")).toEqual([
    "adds MCP servers",
    // Its program and its workflow look for the bundle.
    "loads code by computed names",
    // `doctor` starts OpenCode on a free port of this machine, and asks it what it has loaded.
    "opens a port",
    "reads environment variables",
    "runs programs",
    "uses the network",
    "writes or deletes files",
  ]);
  expect(details("mcp")).toEqual(["https://mcp.exa.ai/mcp?tools=web_search_exa", "https://mcp.grep.app", "npx -y"]);
  expect(details("hook")).not.toContain("permission.asked");
  for (const kind of ["hidden", "substitution", "binary", "lifecycle"]) expect(details(kind)).toEqual([]);
});

async function pack(project: Project, folder: string): Promise<{ files: string[]; tarball: string }> {
  const packed = await project.run(["npm", "pack", "--json", "--pack-destination", project.dir], { cwd: folder });
  expect({ code: packed.code, stderr: packed.code === 0 ? "" : packed.stderr }).toEqual({ code: 0, stderr: "" });
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[\n")));
  return { tarball: project.path(filename), files: files.map(({ path }: { path: string }) => path) };
}
