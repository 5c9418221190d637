import { describe, expect, test } from "bun:test";
import { DurableError } from "@atomic/durable-files/errors";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import type { MadeByHugo } from "@atomic/workflows/internal/hugo-lock/lock";
import { type ConfigPlaces, configFiles, placeForPlugin } from "../../src/opencode/config-files.ts";
import { findPlugin, identifyPlugins, type PluginTarget } from "../../src/opencode/find-plugin.ts";
import { addPlugin, editConfig, movePin, remember, removePlugins } from "../../src/opencode/plugin-edits.ts";
import { type ConfigDocument, readOpencodeConfig } from "../../src/opencode/read-config.ts";
import { configClaims } from "../../src/trust/collisions/claim.ts";
import { refusal } from "../refusal.ts";

const file = "/p/opencode.json";
const read = (text: string | undefined) => readOpencodeConfig(file, text);
const withPlugins = (...plugins: unknown[]) => read(JSON.stringify({ plugin: plugins }));

describe("the config files of OpenCode", () => {
  const places: ConfigPlaces = {
    globalFolder: "/h/.config/opencode",
    projectFolders: ["/p", "/p/sub"],
    projectFolder: "/p",
    furtherFolders: ["/h/.opencode"],
    start: "/p/sub",
    env: {},
  };

  test("are read in its order: global, custom, project, .opencode inside out, home", () => {
    const env = { OPENCODE_TUI_CONFIG: "../mine/tui.json" };
    expect(configFiles({ ...places, custom: "/x.json", env }).map(({ scope, path }) => `${scope} ${path}`)).toEqual([
      "global /h/.config/opencode/config.json",
      "global /h/.config/opencode/opencode.json",
      "global /h/.config/opencode/opencode.jsonc",
      "global /x.json",
      "project /p/opencode.json",
      "project /p/opencode.jsonc",
      "project /p/sub/opencode.json",
      "project /p/sub/opencode.jsonc",
      "project /p/sub/.opencode/opencode.json",
      "project /p/sub/.opencode/opencode.jsonc",
      "project /p/.opencode/opencode.json",
      "project /p/.opencode/opencode.jsonc",
      "global /h/.opencode/opencode.json",
      "global /h/.opencode/opencode.jsonc",
      "global /h/.config/opencode/tui.json",
      "global /h/.config/opencode/tui.jsonc",
      "global /p/mine/tui.json",
      "project /p/tui.json",
      "project /p/tui.jsonc",
      "project /p/sub/tui.json",
      "project /p/sub/tui.jsonc",
      "project /p/sub/.opencode/tui.json",
      "project /p/sub/.opencode/tui.jsonc",
      "project /p/.opencode/tui.json",
      "project /p/.opencode/tui.jsonc",
      "global /h/.opencode/tui.json",
      "global /h/.opencode/tui.jsonc",
    ]);
  });

  test("are named once, also if OpenCode starts in the home folder", () => {
    const paths = configFiles({ ...places, projectFolders: ["/", "/h"], projectFolder: "/h" }).map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith("/h/.opencode/"))).toHaveLength(4);
  });

  test("a new project entry goes to the project's own folder, not to one above it", () => {
    expect(placeForPlugin([], { ...places, projectFolder: "/p/sub" }, "project", "server")).toBe(
      "/p/sub/opencode.json",
    );
  });

  const all = configFiles(places).map(({ path }) => path);
  test.each<["project" | "global", Record<string, string>, string]>([
    ["project", {}, "/p/opencode.json"],
    ["project", { "/p/.opencode/opencode.json": "{}" }, "/p/.opencode/opencode.json"],
    ["project", { "/p/opencode.jsonc": "{}", "/p/opencode.json": "{}" }, "/p/opencode.jsonc"],
    [
      "project",
      { "/p/opencode.json": "{}", "/p/.opencode/opencode.json": '{"plugin": []}' },
      "/p/.opencode/opencode.json",
    ],
    ["project", { "/p/sub/opencode.json": '{"plugin": []}' }, "/p/opencode.json"],
    ["global", {}, "/h/.config/opencode/opencode.jsonc"],
    ["global", { "/p/opencode.json": '{"plugin": []}' }, "/h/.config/opencode/opencode.jsonc"],
    ["global", { "/h/.config/opencode/config.json": "{}" }, "/h/.config/opencode/config.json"],
  ])("a new %s entry, with %j, goes into %s", (scope, texts, expected) => {
    const states = all.map((path) => readOpencodeConfig(path, texts[path]));
    expect(placeForPlugin(states, places, scope, "server")).toBe(expected);
  });

  test.each<["project" | "global", Record<string, string>, string]>([
    ["project", {}, "/p/.opencode/tui.json"],
    ["project", { "/p/opencode.json": '{"plugin": []}' }, "/p/.opencode/tui.json"],
    ["project", { "/p/tui.json": "{}" }, "/p/tui.json"],
    ["project", { "/p/tui.json": "{}", "/p/.opencode/tui.jsonc": '{"plugin": []}' }, "/p/.opencode/tui.jsonc"],
    ["global", {}, "/h/.config/opencode/tui.json"],
    ["global", { "/h/.config/opencode/tui.jsonc": "{}" }, "/h/.config/opencode/tui.jsonc"],
  ])("a new %s entry for the terminal, with %j, goes into %s", (scope, texts, expected) => {
    const states = all.map((path) => readOpencodeConfig(path, texts[path]));
    expect(placeForPlugin(states, places, scope, "tui")).toBe(expected);
  });
});

describe("the plugins of a config", () => {
  test("are read with their place, options and comments around them", () => {
    const text = '{\n  // mine\n  "plugin": [\n    "a@1.0.0", // why\n    ["b", { "x": [1] }],\n    ["c"],\n  ],\n}';
    expect(read(text)).toEqual({
      file,
      text,
      exists: true,
      hasPlugins: true,
      plugins: [
        { file, index: 0, spec: "a@1.0.0", isTuple: false },
        { file, index: 1, spec: "b", isTuple: true, options: { x: [1] } },
        { file, index: 2, spec: "c", isTuple: true },
      ],
    });
  });

  test.each<[string | undefined, { exists: boolean; hasPlugins: boolean }]>([
    [undefined, { exists: false, hasPlugins: false }],
    ["", { exists: true, hasPlugins: false }],
    ["// empty\n", { exists: true, hasPlugins: false }],
    ["{}", { exists: true, hasPlugins: false }],
    ['\ufeff{"plugin": []}', { exists: true, hasPlugins: true }],
    ['{"x": 1, "x": 2}', { exists: true, hasPlugins: false }],
  ])("may be none: %j", (text, state) => {
    expect(read(text)).toMatchObject({ ...state, plugins: [] });
  });

  test.each([
    ['{"plugin": "a"}', `${file}:1:12: plugin is not an array`],
    ['{"plugin": null}', `${file}:1:12: plugin is not an array`],
    ['{"plugin": {}}', `${file}:1:12: plugin is not an array`],
    ['{"plugin": [1]}', `${file}:1:13: plugin[0] must be "plugin" or`],
    ['{"plugin": [null]}', `${file}:1:13: plugin[0] must be "plugin" or`],
    ['{"plugin": [{"name": "a"}]}', `${file}:1:13: plugin[0] must be "plugin" or`],
    ['{"plugin": [[]]}', `${file}:1:13: plugin[0] must have the form`],
    ['{"plugin": [["a", {}, 1]]}', `${file}:1:13: plugin[0] must have the form`],
    ['{"plugin": [["a", "b"]]}', `${file}:1:19: plugin[0][1] must be an object`],
    ['{"plugin": [[1]]}', `${file}:1:14: plugin[0][0] is not a string`],
    ['{"plugin": [], "plugin": []}', `${file}:1:26: plugin appears more than once`],
    ["[]", `${file}:1:1: the whole value is not an object`],
    ['"text"', `${file}:1:1: the whole value is not an object`],
    ['{"plugin": [', `${file}:1:13: expected`],
    ["{'plugin': []}", `${file}:1:2: expected`],
    ["\0", `${file}:1:1: expected`],
  ])("that OpenCode would not accept are refused: %s", (text, message) => {
    const error = refusal(() => read(text));
    expect(error.code).toBe("config-invalid");
    expect(error.exitCode).toBe(3);
    expect(error.message).toStartWith(message);
    expect(error.at).toBe(/^[^ ]+:\d+:\d+/.exec(message)?.[0]);
    expect(error.hint).toContain("othing was changed");
  });
});

describe("a config that is JSON only once OpenCode has filled in something", () => {
  const text = '{\n  // {env:NOT}\n  "username": {env:QQ}, "x": "{file:a.txt}",\n  "plugin": ["a"]\n}\n';

  test("can be read", () => {
    const config = read(text);
    expect(config.text).toBe(text);
    expect(config.plugins.map((entry) => entry.spec)).toEqual(["a"]);
    expect(configClaims(file, text)).toEqual([]);
  });

  test("is not edited, because its final text is unknown", () => {
    const error = refusal(() => editConfig(read(text), addPlugin(read(text), { spec: "b" }).edits));
    expect(error.code).toBe("config-unsafe");
    expect(error.message).toContain("is valid JSON only after OpenCode fills in");
  });

  test.each(['{"plugin": {env:P}}', '{{env:P} "plugin": []}'])("is refused where plugins may be in it: %s", (odd) => {
    const error = refusal(() => read(odd));
    expect(error.hint).toContain("Hugo does not know what OpenCode will replace it with");
    expect(error.hint).not.toContain("does not start");
  });
});

describe("a package in a plugin array", () => {
  const found = (configs: readonly ConfigDocument[], wanted: PluginTarget) =>
    findPlugin(identifyPlugins(configs), wanted);
  const target = {
    packageName: "@org/review",
    gitUrl: "github:org/review",
    folders: ["/p/.opencode/.hugo/packages/review", "/home/me/review"],
  };

  test.each([
    "@org/review",
    "@org/review@1.2.3",
    "@org/review@^1",
    "@org/review@latest",
    "@org/review@github:org/review#v1",
    "mine@npm:@org/review@1.0.0",
    "github:org/review",
    "org/review",
    "org/review#v2",
    "github:org/review.git#v1",
    "./.opencode/.hugo/packages/review",
    "./.opencode/.hugo/packages/review/dist/index.js",
    "./x/../.opencode/.hugo/packages/review/",
    "/home/me/review",
    "file:///home/me/review/index.ts",
    "file:../home/me/review",
    "../home/me/review",
    "./.opencode/node_modules/@org/review",
    "/elsewhere/node_modules/@org/review/index.js",
    "/a/node_modules/x/node_modules/@org/review",
  ])("is found as %s", (spec) => {
    expect(found([withPlugins("other", spec)], target)).toMatchObject([{ spec, index: 1 }]);
    expect(found([withPlugins([spec, { a: 1 }])], target)).toMatchObject([{ spec, options: { a: 1 } }]);
  });

  test.each([
    "review",
    "@org/review-more",
    "@other/review",
    "@org/review@npm:other@1",
    "github:org/reviewer",
    "org/other",
    "git+https://user:secret@host/org/review.git",
    "./.opencode/.hugo/packages/review-two",
    "/home/me",
    "/home/me/../me2/review",
    "./node_modules/@org/other/node_modules/x",
    "./node_modules/@org",
    "./node_modules",
    "file://server/home/me/review",
    "file:///%zz",
    "https://example.com/x",
    "",
    "  ",
  ])("is not found as %j", (spec) => {
    expect(found([withPlugins(spec)], target)).toEqual([]);
  });

  test("is found in every file, in the order of the files", () => {
    const configs = [
      readOpencodeConfig("/h/opencode.jsonc", '{"plugin": ["@org/review"]}'),
      withPlugins("x", "org/review", "@org/review@1.0.0", ["@org/review", {}]),
    ];
    expect(found(configs, target).map(({ file: from, index }) => [from, index])).toEqual([
      ["/h/opencode.jsonc", 0],
      [file, 1],
      [file, 2],
      [file, 3],
    ]);
  });

  test("is found by name alone when nothing else is known", () => {
    expect(found([withPlugins("org/review", "review@1")], { packageName: "review" })).toMatchObject([{ index: 1 }]);
  });
});

describe("edits of a plugin array", () => {
  const added = (text: string | undefined, entry: Parameters<typeof addPlugin>[1]) => {
    const { edits, makes } = addPlugin(read(text), entry);
    return { text: editConfig(read(text), edits), makes };
  };
  const removed = (text: string, indexes: readonly number[], made?: MadeByHugo) => {
    const config = read(text);
    const removal = removePlugins(
      config,
      config.plugins.filter(({ index }) => indexes.includes(index)),
      made,
    );
    return removal.kind === "delete-file" ? removal.kind : editConfig(config, removal.edits);
  };

  test("create a file with $schema first", () => {
    const { text, makes } = added(undefined, { spec: "a@1.0.0" });
    expect(text).toBe('{\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["a@1.0.0"]\n}\n');
    expect(makes).toBe("file");
  });

  test.each<[string, string, MadeByHugo | undefined]>([
    ["{}", '{\n  "plugin": ["a@1"]\n}', "array"],
    ['{"plugin": []}', '{"plugin": ["a@1"]}', undefined],
    ['{"plugin": ["x"]} // end', '{"plugin": ["x", "a@1"]} // end', undefined],
    ['{\n\t"plugin": [\n\t\t"x", // why\n\t],\n}', '{\n\t"plugin": [\n\t\t"x", // why\n\t\t"a@1",\n\t],\n}', undefined],
  ])("add to %j", (text, expected, makes) => {
    expect(added(text, { spec: "a@1" })).toEqual({ text: expected, makes });
  });

  test("restore an entry with its options at its old position", () => {
    const entry = { spec: "a@1", options: { deep: [1, { x: null }] }, index: 1 };
    expect(added('{"plugin": ["x", "y"]}', entry).text).toBe(
      '{"plugin": ["x", ["a@1", { "deep": [1, { "x": null }] }], "y"]}',
    );
  });

  test("restore an entry at the end when the others have become fewer", () => {
    expect(added('{"plugin": ["x"]}', { spec: "a@1", index: 7 }).text).toBe('{"plugin": ["x", "a@1"]}');
  });

  test.each([
    ['{"plugin": ["x", "a@1.0.0" /* pin */, "y"]}', '{"plugin": ["x", "a@1.1.0" /* pin */, "y"]}'],
    ['{"plugin": ["x", ["a", {"k": 1}]]}', '{"plugin": ["x", ["a@1.1.0", {"k": 1}]]}'],
    ['{"plugin": ["x", ["a"]]}', '{"plugin": ["x", ["a@1.1.0"]]}'],
  ])("move the pin in %s", (text, expected) => {
    expect(editJsonc(text, movePin(read(text).plugins[1]!, "a@1.1.0"))).toBe(expected);
  });

  test("remove several entries of one file", () => {
    expect(removed('{"plugin": ["a", "x", "a@1", "y"]}', [0, 2])).toBe('{"plugin": ["x", "y"]}');
  });

  test("leave an empty array that was the user's", () => {
    expect(removed('{"plugin": ["a"]}', [0])).toBe('{"plugin": []}');
  });

  test("leave a file that Hugo made but others have used", () => {
    const { text } = added(undefined, { spec: "a@1" });
    const used = text.replace('"plugin"', '"model": "x/y",\n  "plugin"');
    expect(removed(used, [0], "file")).toBe(
      '{\n  "$schema": "https://opencode.ai/config.json",\n  "model": "x/y"\n}\n',
    );
    expect(removed(text.replace("{", "{ // mine"), [0], "file")).not.toBe("delete-file");
    expect(removed(text.replace('"a@1"', '"a@1", "theirs"'), [0], "file")).toContain('"plugin": ["theirs"]');
  });

  test("delete a file that Hugo created and that was never used", () => {
    expect(removed(added(undefined, { spec: "a@1" }).text, [0], "file")).toBe("delete-file");
  });

  const corpus = [
    "{}",
    "{ }\n",
    '{"plugin": []}',
    '{"plugin": [ ]}',
    '{\r\n  "plugin": [\r\n    "x"\r\n  ]\r\n}\r\n',
    '\ufeff{\n  "model": "a/b" // mine\n}',
    '{\n\t"agent": {}, // c\n\n\t/* block */ "plugin": [ /* none */ ],\n}\n\n',
    '{"a":1,"plugin":["x","y"],"z":{}}',
    '{\n  "plugin": [\n    // first\n    "x",\n\n    ["y", {"o": 1}], // second\n  ]\n}',
  ];
  test.each(corpus)("leave %j as it was when what they add is removed", (text) => {
    for (const index of [undefined, 0, 1]) {
      const { text: next, makes } = added(text, {
        spec: "a@1.0.0",
        options: { k: 1 },
        ...(index !== undefined && { index }),
      });
      const entry = read(next).plugins.find(({ spec }) => spec === "a@1.0.0")!;
      expect(removed(next, [entry.index], makes)).toBe(text);
    }
  });

  test.each(["", "  \n", "// only a comment"])("refuse %j, a file that something must have emptied", (text) => {
    expect(() => added(text, { spec: "a@1" })).toThrow(DurableError);
  });

  test("remember what is needed to put an entry back", () => {
    const [first, second] = withPlugins("a@1", ["b", { k: 1 }]).plugins;
    expect([first!, second!].map(remember)).toEqual([
      { file, index: 0, spec: "a@1" },
      { file, index: 1, spec: "b", options: { k: 1 } },
    ]);
  });

  test.each(["/p/{env:HOME}/x", "./{file:/etc/passwd}", "{ENV:x}"])(
    "never write %s, which OpenCode would replace",
    (spec) => {
      expect(refusal(() => addPlugin(read("{}"), { spec })).code).toBe("config-unsafe");
      expect(refusal(() => movePin(withPlugins("a").plugins[0]!, spec)).code).toBe("config-unsafe");
    },
  );
});
