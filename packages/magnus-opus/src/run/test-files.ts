// Which files are tests, by the habits of each language. Judged by the path alone.

/** Folders of tests, with everything in them. */
const folders = /(^|\/)(tests?|__tests__|e2e|specs?|testdata)\//i;

/** By file extension: names of test files outside such folders. */
const names: readonly (readonly [extensions: string, name: RegExp])[] = [
  [
    "js jsx ts tsx mjs mts cjs cts svelte vue",
    /\.(test|spec)\.\w+$|[-_]test\.\w+$|^tests?(-\w+)?\.\w+$|^(vitest|playwright|jest)[.\w-]*\.\w+$|^\.mocharc\./i,
  ],
  ["py", /^test_.*|^.*_test\.py$|^tests\.py$|^conftest\.py$/],
  ["go", /_test\.go$/],
  ["rs", /_tests?\.rs$|^tests?\.rs$/],
  ["rb", /_(spec|test)\.rb$|^(spec|test|rails)_helper\.rb$/],
  ["php", /Test(Case)?\.php$|^Pest\.php$/],
  ["java kt kts groovy scala", /(Tests?|TestCase|IT|Spec)\.\w+$/],
  ["cs fs vb", /Tests?\.\w+$/],
  ["ex exs", /_test\.exs?$|^test_helper\.exs$/],
  ["swift", /Tests?\.swift$/],
  ["dart", /_test\.dart$/],
  ["c cc cpp cxx", /^test_.*|_(unit)?test\.\w+$/],
  ["lua", /_spec\.lua$/],
  ["bats", /./],
];
const byExtension: ReadonlyMap<string, RegExp> = new Map(
  names.flatMap(([extensions, name]) => extensions.split(" ").map((extension) => [extension, name] as const)),
);

/** .NET projects of tests: `Shop.Tests/`, `Shop.UnitTests/`; Swift's `Tests/`; Android's `androidTest/`. */
const projects = /(^|\/)([\w.]*\.?(Unit|Integration|Functional)?Tests?|\w+Test)\//;

/** `more`: globs from the project's stack, such as `checks/**` or `*.check.roc`. */
export function isTestFile(path: string, more: readonly string[] = []): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return (
    folders.test(path) ||
    projects.test(path) ||
    byExtension.get(extension)?.test(name) === true ||
    more.some((glob) => globPattern(glob).test(path))
  );
}

/** Whether it is a program with tests, rather than data or settings beside them. */
export function hasTests(path: string, more: readonly string[] = []): boolean {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const isProgram = byExtension.has(extension) || more.some((glob) => globPattern(glob).test(path));
  return isProgram && isTestFile(path, more) && !/(^|\/)(fixtures?|testdata|node_modules)\//i.test(path);
}

/** `*` stays within a folder, `**` does not; a glob without a slash matches in every folder. */
export function globPattern(glob: string): RegExp {
  const parts = glob.split(/(\*\*\/|\*\*|\*|\?)/).map((part) => {
    const special: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
    return special[part] ?? part.replace(/[\\^$.|+()[\]{}]/g, "\\$&");
  });
  return new RegExp(`${glob.includes("/") ? "^" : "(?:^|/)"}${parts.join("")}$`);
}

const manifest =
  /(^|\/)(package(-lock)?\.json|bun\.lockb?|pnpm-(lock|workspace)\.yaml|yarn\.lock|deno\.(jsonc?|lock)|Cargo\.(toml|lock)|go\.(mod|sum)|pyproject\.toml|requirements[\w.-]*\.txt|uv\.lock|poetry\.lock|Gemfile(\.lock)?|composer\.(json|lock)|\.gitignore)$/;

/** Whether a file may change before a test has failed: tests, and what a test runner is installed with. */
export function mayComeFirst(path: string, more: readonly string[] = []): boolean {
  return isTestFile(path, more) || manifest.test(path);
}
