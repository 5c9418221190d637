// ARCHITECTURE.md, held to its word: what is called pure touches no disk, and folders import each other in one direction.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = dirname(import.meta.dir);
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const packages = readdirSync(join(root, "packages")).filter((name) => existsSync(join(root, "packages", name, "src")));
const transpiler = new Bun.Transpiler({ loader: "ts" });

interface Import {
  /** Relative to the package's `src`. */
  readonly from: string;
  readonly to: string;
}

/** How the files of a package import each other: at run time, when types are gone, or in the source. */
function importsIn(name: string, when: "run time" | "source"): readonly Import[] {
  const src = join(root, "packages", name, "src");
  return filesIn(src).flatMap((path) => {
    const text = readFileSync(path, "utf8");
    const specifiers =
      when === "run time"
        ? transpiler.scanImports(text).map((found) => found.path)
        : Array.from(text.matchAll(/(?:\bfrom|\bimport\(?)\s*"([^"]+)"/g), ([, specifier = ""]) => specifier);
    return specifiers
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => join(dirname(path), specifier))
      .filter((to) => to.startsWith(src) && existsSync(to))
      .map((to) => ({ from: relative(src, path), to: relative(src, to) }));
  });
}

function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.map((file) => join(folder, file));
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

/** Cycles of any length in which a folder takes part, each as the imports that close it. */
function cyclesIn(imports: readonly Import[]): string[] {
  const rooms = new Map<string, Map<string, Import>>();
  for (const each of imports) {
    const [from, to] = roomsOf(each);
    if (from !== to) rooms.set(from, (rooms.get(from) ?? new Map()).set(to, each));
  }
  const found = new Map<string, string>();
  for (const start of rooms.keys()) {
    // The shortest way from this room back to itself.
    const ways = new Map<string, readonly Import[]>([[start, []]]);
    for (const [room, way] of ways) {
      for (const [next, by] of rooms.get(room) ?? []) {
        if (next !== start) {
          if (!ways.has(next)) ways.set(next, [...way, by]);
          continue;
        }
        const cycle = [...way, by];
        const members = cycle.map((each) => roomsOf(each)[0]).sort();
        const hasFolder = cycle.some(({ from, to }) => members.some((room) => `${from} ${to}`.includes(`${room}/`)));
        const shown = cycle.map(({ from, to }) => `${from} → ${to}`).join(", ");
        if (hasFolder && !found.has(members.join())) found.set(members.join(), shown);
      }
    }
  }
  return [...found.values()];
}

describe.each(packages)("packages/%s", (name) => {
  test("no folders import each other in a circle", () => {
    expect(cyclesIn(importsIn(name, "run time"))).toEqual([]);
  });
});

// Its project knows OpenCode's folder, whose files take a project.
describe.each(packages.filter((name) => name !== "testing"))("packages/%s", (name) => {
  test("no folders import each other's types in a circle", () => {
    expect(cyclesIn(importsIn(name, "source"))).toEqual([]);
  });
});

test("a circle of folders is found: of two, of three, and further down", () => {
  const found = cyclesIn([
    { from: "run/fold/step.ts", to: "run/embedded/log.ts" },
    { from: "run/embedded/files.ts", to: "run/fold/draft.ts" },
    { from: "run.ts", to: "run/engine.ts" },
    { from: "graph/compile.ts", to: "run/json.ts" },
    { from: "tools/claude.ts", to: "formats/markdown.ts" },
    { from: "formats/hugo.ts", to: "load.ts" },
    { from: "load.ts", to: "tools/yaml.ts" },
  ]);
  expect(found).toEqual([
    "run/fold/step.ts → run/embedded/log.ts, run/embedded/files.ts → run/fold/draft.ts",
    "tools/claude.ts → formats/markdown.ts, formats/hugo.ts → load.ts, load.ts → tools/yaml.ts",
  ]);
});

test("the repository's root has only what ARCHITECTURE.md and this list name", () => {
  const [, tree = ""] = /^## Rooms\n\n```\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const folders = Array.from(tree.matchAll(/^([a-z-]+)\//gm), ([, name = ""]) => name);
  const others = [
    ...[".ci", ".github", ".gitignore", ".npmrc", "biome.json", "bunfig.toml", "knip.json", "package.json"],
    ...["tsconfig.base.json", "tsconfig.json", "AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"],
    ...["GLOSSARY.md", "LICENSE", "README.md", "SECURITY.md"],
  ];
  const listed = Bun.spawnSync(["git", "ls-files", "-z"], { cwd: root });
  const files = listed.stdout
    .toString()
    .split("\0")
    .filter((file) => existsSync(join(root, file)) && file !== "");
  const entries = new Set(files.map((file) => file.split("/", 1)[0] ?? ""));
  expect([...entries].sort()).toEqual([...folders, ...others].sort());
});

test("no file of code has more than 400 lines", () => {
  const files = ["packages", "test", "scripts", "bench", "examples"].flatMap((folder) =>
    Array.from(new Bun.Glob(`${folder}/**/*.{ts,mjs}`).scanSync({ cwd: root })),
  );
  const ours = files.filter((file) => !/(?:^|\/)(?:node_modules|dist|\.build)\//.test(file));
  expect(ours.length).toBeGreaterThan(1500);
  const linesOf = (file: string): number => readFileSync(join(root, file), "utf8").split("\n").length - 1;
  expect(ours.filter((file) => linesOf(file) > 400)).toEqual([]);
});

test("ARCHITECTURE.md follows five commands, through files that the first one reaches", () => {
  const [, listed = ""] = /<!-- flows -->\n([\s\S]*?)<!-- \/flows -->/.exec(page) ?? [];
  const flows = listed.split(/^- /m).slice(1);
  expect(flows).toHaveLength(5);
  for (const flow of flows) {
    let src = "";
    const entered: string[] = [];
    for (const [, path = ""] of flow.matchAll(/`([a-z./-]+(?:\/src|\.ts))`/g)) {
      if (path.endsWith("/src")) src = path;
      else entered.push(join(root, src, path));
    }
    expect(entered.length).toBeGreaterThan(3);
    expect(entered.filter((file) => !existsSync(file))).toEqual([]);
    const [door = ""] = entered;
    const reached = new Set([door]);
    for (const file of reached) {
      for (const to of importsOf(file))
        if (to.startsWith(join(root, "packages")) && to.endsWith(".ts")) reached.add(to);
    }
    expect(entered.filter((file) => !reached.has(file))).toEqual([]);
  }
});

/** The folders that a list on the page names. */
function foldersOf(list: string): string[] {
  const [, listed = ""] = new RegExp(`<!-- ${list} -->\\n([\\s\\S]*?)<!-- /${list} -->`).exec(page) ?? [];
  return Array.from(listed.matchAll(/`(packages\/[a-z-]+\/src\/[a-z/-]+)`/g), ([, folder = ""]) => folder);
}

const touching =
  /^node:(?:child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|os|process|readline|tls|worker_threads)(?:\/|$)/;

/** What a file imports at run time: paths of our own files, and the names of other modules. */
function importsOf(path: string): string[] {
  return transpiler.scanImports(readFileSync(path, "utf8")).map(({ path: specifier }) => {
    const isOurs = specifier.startsWith(".") || specifier.startsWith("@atomic/");
    return isOurs ? Bun.resolveSync(specifier, dirname(path)) : specifier;
  });
}

/** How files get to something that touches the world, each as a chain of imports. */
function touched(files: readonly string[]): string[] {
  const ways = new Map(files.map((file) => [file, relative(root, file)]));
  const found: string[] = [];
  for (const [file, way] of ways) {
    for (const to of importsOf(file)) {
      if (touching.test(to)) found.push(`${way} → ${to}`);
      else if (to.startsWith("/") && !ways.has(to)) ways.set(to, `${way} → ${relative(root, to)}`);
    }
  }
  return found;
}

describe("a folder that ARCHITECTURE.md calls pure", () => {
  const folders = foldersOf("pure");

  test("is named", () => expect(folders.length).toBeGreaterThan(5));

  test.each(folders)("%s touches no disk, no network and no process, nor does anything that it imports", (folder) => {
    const files = filesIn(join(root, folder));
    expect(files.length).toBeGreaterThan(0);
    expect(touched(files)).toEqual([]);
  });

  test("would be found out, also through another package", () => {
    const chain = ["hugo/src/delivery/user-permission.ts", "workflows/src/permission/compare.ts"];
    const paths = [...chain, "workflows/src/permission/decide.ts"].map((path) => `packages/${path}`);
    expect(touched([join(root, "packages/hugo/src/delivery/user-permission.ts")])).toEqual([
      [...paths, "node:os"].join(" → "),
    ]);
  });
});

describe("a folder that ARCHITECTURE.md says decides on what it is given", () => {
  test.each(foldersOf("decides"))("%s has no code that touches a disk, a network or a process", (folder) => {
    const files = filesIn(join(root, folder));
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap(importsOf).filter((to) => touching.test(to))).toEqual([]);
  });
});
