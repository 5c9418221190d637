import { describe, expect, test } from "bun:test";
import { emptyLock, type LockedWorkflow, type RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { deliverPlugin, withdrawPlugin } from "../../src/delivery/plugin-delivery.ts";
import { specIn } from "../../src/opencode/plugin-edits.ts";
import type { DraftView } from "../../src/workspace/draft.ts";
import { pluginWorkflow } from "../commands/workspace.ts";
import { memoryView } from "./memory-view.ts";

const target = { packageName: "@org/review" };
const folder = "/p/.opencode/.hugo/store/review-0123/node_modules/@org/review";
const options = { target, folder, isEnabled: true };
/** As `opencode.json` and `.opencode/opencode.json` name it. */
const [pin, pinBelow] = [specIn("/p/opencode.json", folder), specIn("/p/.opencode/opencode.json", folder)];

function viewOf(plugin: readonly string[], disabled: Readonly<Record<string, RememberedPlugin>>): DraftView {
  const workflows = Object.entries(disabled).map(([name, how]): [string, LockedWorkflow] => [
    name,
    pluginWorkflow(name, { delivery: { kind: "plugin", disabled: [how] } }),
  ]);
  const lock = { ...emptyLock, workflows: new Map(workflows) };
  return memoryView({ lock, configs: { "opencode.json": JSON.stringify({ plugin }) } });
}

describe("an installed plugin", () => {
  test("goes behind the others, and every other byte stays", () => {
    const text = '{\n  // mine\n  "plugin": ["a"], // why\n  "theme": "x",\n}\n';
    const { configs, delivery, made } = deliverPlugin(
      memoryView({ configs: { "opencode.json": text } }),
      "review",
      options,
    );
    expect([...configs]).toEqual([["/p/opencode.json", text.replace('["a"]', `["a", "${pin}"]`)]]);
    expect(delivery).toEqual({ kind: "plugin" });
    expect(made.size).toBe(0);
  });

  test("gets a file if there is none, and the lock remembers who made it", () => {
    const { configs, made } = deliverPlugin(memoryView(), "review", options);
    expect(JSON.parse(configs.get("/p/opencode.json")!)).toEqual({
      $schema: "https://opencode.ai/config.json",
      plugin: [pin],
    });
    expect([...made]).toEqual([["opencode.json", "file"]]);
  });

  test("gets an array if the file has none", () => {
    const { made } = deliverPlugin(memoryView({ configs: { ".opencode/opencode.jsonc": "{}" } }), "review", options);
    expect([...made]).toEqual([[".opencode/opencode.jsonc", "array"]]);
  });

  test.each([
    ["a bare name", '["@org/review", "b"]', `["${pinBelow}", "b"]`],
    ["another version", '["b", "@org/review@^1"]', `["b", "${pinBelow}"]`],
    ["options", '[["@org/review@1.0.0", { "x": 1 }]]', `[["${pinBelow}", { "x": 1 }]]`],
    ["two entries", '["@org/review@1.0.0", "@org/review"]', `["${pinBelow}", "${pinBelow}"]`],
  ])("replaces an entry written by hand: %s", (_, before, after) => {
    const view = memoryView({ configs: { ".opencode/opencode.json": `{ "plugin": ${before} }` } });
    const { configs } = deliverPlugin(view, "review", options);
    expect([...configs]).toEqual([["/p/.opencode/opencode.json", `{ "plugin": ${after} }`]]);
  });

  test("leaves the user's own config alone when a project installs it", () => {
    const view = memoryView({ configs: { "~/.config/opencode/opencode.json": '{ "plugin": ["@org/review@1.0.0"] }' } });
    const { configs } = deliverPlugin(view, "review", options);
    expect([...configs.keys()]).toEqual(["/p/opencode.json"]);
  });

  test("needs no edit if the version is already there", () => {
    const view = memoryView({ configs: { "opencode.json": `{ "plugin": ["${pin}"] }` } });
    expect(deliverPlugin(view, "review", options).configs.size).toBe(0);
  });
});

describe("a plugin that Hugo keeps", () => {
  test.each([
    ["opencode.json", "./.opencode/.hugo/store/review-0123/node_modules/@org/review"],
    [".opencode/opencode.json", "./.hugo/store/review-0123/node_modules/@org/review"],
    ["a/.opencode/opencode.json", "../../.opencode/.hugo/store/review-0123/node_modules/@org/review"],
  ])("is written relative to the file that names it: %s", (file, spec) => {
    expect(specIn(`/p/${file}`, folder)).toBe(spec);
  });

  test("is found again under the hash of an earlier version", () => {
    const text = '{ "plugin": ["./.opencode/.hugo/store/review-9999/node_modules/@org/review"] }';
    const { configs } = deliverPlugin(memoryView({ configs: { "opencode.json": text } }), "review", options);
    expect(configs.get("/p/opencode.json")).toBe(text.replace("9999", "0123"));
  });
});

describe("a disabled plugin", () => {
  const disabled = { file: "opencode.json", index: 0, spec: "@org/review@1.0.0", options: { x: 1 } };
  const view = viewOf(["b"], { review: disabled });

  test("stays disabled, and what is remembered of it moves to the new version", () => {
    const { configs, delivery } = deliverPlugin(view, "review", { ...options, isEnabled: false });
    expect(configs.size).toBe(0);
    expect(delivery).toEqual({ kind: "plugin", disabled: [{ ...disabled, spec: pin }] });
  });

  test("returns to its place with its options when it is installed again", () => {
    const { configs, delivery } = deliverPlugin(view, "review", options);
    expect(JSON.parse(configs.get("/p/opencode.json")!)).toEqual({ plugin: [[pin, { x: 1 }], "b"] });
    expect(delivery).toEqual({ kind: "plugin" });
  });

  test("returns in front of those after it, though others are still disabled", () => {
    const debug = { file: "opencode.json", index: 1, spec: "@org/debug@1.0.0" };
    // Once: a, debug, review, b.
    const both = viewOf(["a", "b"], { debug, review: { ...disabled, index: 2 } });
    const { configs } = deliverPlugin(both, "review", options);
    expect(JSON.parse(configs.get("/p/opencode.json")!)).toEqual({
      plugin: ["a", [pin, { x: 1 }], "b"],
    });
  });

  test("does not count one as absent that the user restored by hand", () => {
    const debug = { file: "opencode.json", index: 0, spec: "@org/debug@1.0.0" };
    const both = viewOf(["a", "@org/debug@1.0.0", "b"], { debug, review: { ...disabled, index: 2 } });
    const { configs } = deliverPlugin(both, "review", options);
    expect(JSON.parse(configs.get("/p/opencode.json")!).plugin[2]).toEqual([pin, { x: 1 }]);
  });

  test.each(["/etc/opencode.json", "../opencode.json", "~/.config/opencode/opencode.json", "package.json"])(
    "comes back to the project's own config if hugo.json says %s",
    (file) => {
      const { configs } = deliverPlugin(viewOf(["b"], { review: { ...disabled, file } }), "review", options);
      expect([...configs.keys()]).toEqual(["/p/opencode.json"]);
      expect(JSON.parse(configs.get("/p/opencode.json")!).plugin).toEqual(["b", [pin, { x: 1 }]]);
    },
  );

  test("stays out when the user removed its entry by hand", () => {
    const { configs, delivery } = deliverPlugin(viewOf(["b"], {}), "review", { ...options, isEnabled: false });
    expect(configs.size).toBe(0);
    expect(delivery).toEqual({ kind: "plugin" });
  });
});

test("removing a plugin also removes the file that Hugo made for it", () => {
  const installed = deliverPlugin(memoryView(), "review", options);
  const lock = { ...emptyLock, configs: installed.made };
  const view = memoryView({ lock, configs: { "opencode.json": installed.configs.get("/p/opencode.json")! } });
  const { configs, made } = withdrawPlugin(view, target);
  expect([...configs]).toEqual([["/p/opencode.json", undefined]]);
  expect(made.size).toBe(0);
});
