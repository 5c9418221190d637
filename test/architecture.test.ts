// ARCHITECTURE.md, held to its word: what is called pure touches no disk, and folders import each other in one direction.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = dirname(import.meta.dir);
const packages = readdirSync(join(root, "packages")).filter((name) => existsSync(join(root, "packages", name, "src")));

interface Import {
  /** Relative to the package's `src`. */
  readonly from: string;
  /** Relative to the package's `src`, or the name of a module elsewhere. */
  readonly to: string;
}

/** What the files of a package import at run time; types are gone by then. */
function importsOf(name: string): readonly Import[] {
  const src = join(root, "packages", name, "src");
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.flatMap((from) =>
    transpiler.scanImports(readFileSync(join(src, from), "utf8")).map(({ path }) => ({
      from,
      to: path.startsWith(".") ? relative(src, join(src, dirname(from), path)) : path,
    })),
  );
}

/** Both ends of an import, as the two entries of the deepest folder that contains them: a folder, or a file without its ending. */
function roomsOf({ from, to }: Import): readonly [from: string, to: string] {
  const [one, other] = [from.split("/"), to.split("/")];
  let depth = 0;
  while (one[depth] === other[depth] && depth < one.length - 1 && depth < other.length - 1) depth++;
  const room = (path: readonly string[]): string =>
    path
      .slice(0, depth + 1)
      .join("/")
      .replace(/\.ts$/, "");
  return [room(one), room(other)];
}

/** Pairs of folders that import each other, each with one import of either direction. */
function cyclesIn(imports: readonly Import[]): string[] {
  const edges = new Map<string, Import>();
  for (const each of imports) {
    const [from, to] = roomsOf(each);
    if (from !== to) edges.set(`${from} ${to}`, each);
  }
  return [...edges].flatMap(([edge, { from, to }]) => {
    const [one = "", other = ""] = edge.split(" ");
    const back = edges.get(`${other} ${one}`);
    return back === undefined || one > other ? [] : [`${from} → ${to}, and ${back.from} → ${back.to}`];
  });
}

describe.each(packages)("packages/%s", (name) => {
  test("no two folders import each other", () => {
    expect(cyclesIn(importsOf(name).filter(({ to }) => to.endsWith(".ts")))).toEqual([]);
  });
});

test("a pair of folders that import each other is found, also further down", () => {
  const found = cyclesIn([
    { from: "run/fold/step.ts", to: "run/embedded/log.ts" },
    { from: "run/embedded/files.ts", to: "run/fold/draft.ts" },
    { from: "run.ts", to: "run/engine.ts" },
    { from: "graph/compile.ts", to: "run/json.ts" },
  ]);
  expect(found).toEqual(["run/embedded/files.ts → run/fold/draft.ts, and run/fold/step.ts → run/embedded/log.ts"]);
});

test("the repository's root has only what ARCHITECTURE.md and this list name", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const [, tree = ""] = /^## Rooms\n\n```\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const folders = Array.from(tree.matchAll(/^([a-z-]+)\//gm), ([, name = ""]) => name);
  const others = [
    ...[".ci", ".gitignore", ".npmrc", "biome.json", "bunfig.toml", "knip.json", "package.json"],
    ...["tsconfig.base.json", "tsconfig.json", "AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"],
    ...["GLOSSARY.md", "LICENSE", "README.md"],
  ];
  const listed = Bun.spawnSync(["git", "ls-files", "-z"], { cwd: root });
  const files = listed.stdout
    .toString()
    .split("\0")
    .filter((file) => existsSync(join(root, file)) && file !== "");
  const entries = new Set(files.map((file) => file.split("/", 1)[0] ?? ""));
  expect([...entries].sort()).toEqual([...folders, ...others].sort());
});

test("ARCHITECTURE.md follows five commands through files that exist", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const [, listed = ""] = /<!-- flows -->\n([\s\S]*?)<!-- \/flows -->/.exec(text) ?? [];
  const flows = listed.split(/^- /m).slice(1);
  expect(flows).toHaveLength(5);
  for (const flow of flows) {
    let src = "";
    for (const [, path = ""] of flow.matchAll(/`([a-z./-]+(?:\/src|\.ts))`/g)) {
      if (path.endsWith("/src")) src = path;
      else expect(`${src}/${path} ${existsSync(join(root, src, path))}`).toBe(`${src}/${path} true`);
    }
    expect(src).not.toBe("");
  }
});

describe("a folder that ARCHITECTURE.md calls pure", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const [, listed = ""] = /<!-- pure -->\n([\s\S]*?)<!-- \/pure -->/.exec(text) ?? [];
  const folders = Array.from(
    listed.matchAll(/`packages\/([a-z-]+)\/src\/([a-z/-]+)`/g),
    ([, name = "", folder = ""]) => [name, folder] as const,
  );
  const touching =
    /^node:(?:child_process|dgram|fs|fs\/promises|http|http2|https|net|os|process|readline|tls|worker_threads)$/;

  test("is named", () => expect(folders.length).toBeGreaterThan(5));

  test.each(folders)("packages/%s/src/%s touches no disk, no network and no process", (name, folder) => {
    const own = importsOf(name).filter(({ from }) => from.startsWith(`${folder}/`));
    expect(readdirSync(join(root, "packages", name, "src", folder)).length).toBeGreaterThan(0);
    expect(own.filter(({ to }) => touching.test(to))).toEqual([]);
  });
});
