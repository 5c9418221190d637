import { describe, expect, test } from "bun:test";
import { printLock } from "@atomic/workflows/internal/hugo-lock/lock";
import fc from "fast-check";
import { PackageTranslation } from "../src/delivery/translate/package-translation.ts";
import { HugoError } from "../src/errors.ts";
import { readOpencodeConfig } from "../src/opencode/read-config.ts";
import { hashOf } from "../src/packages/hash.ts";
import { readManifest } from "../src/packages/manifest.ts";
import { readCapabilities } from "../src/trust/capabilities.ts";
import { readHugoKey, readStateJson } from "../src/workspace/migrate.ts";
import { readLock } from "../src/workspace/read-lock.ts";
import { tree } from "./tree.ts";

/** Keys that mean something to one of the readers, and values that fit or do not. */
const key = fc.constantFrom(
  ...["agents", "commands", "skills", "name", "description", "path", "main", "exports", "./server", "mcpServers"],
  ...[
    "version",
    "workflows",
    "configs",
    "package",
    "source",
    "delivery",
    "files",
    "base",
    "plugin",
    "hugo",
    "__proto__",
  ],
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(
      "a",
      "",
      "../x",
      "agents/a.md",
      "plugin",
      "copy",
      1,
      -1,
      1.5,
      true,
      null,
      "\u001b[2J",
      "__proto__",
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));
const json = fc.dictionary(key, value, { maxKeys: 6 }).map((object) => JSON.stringify(object));
const text = fc.oneof({ weight: 4, arbitrary: json }, fc.string({ unit: "binary", maxLength: 60 }));

const readers: readonly (readonly [string, (text: string) => unknown])[] = [
  ["workflow.json", (given) => readManifest(tree({ "workflow.json": given, "agents/a.md": "" }))],
  ["hugo-workflow.json", (given) => readManifest(tree({ "hugo-workflow.json": given, "agents/a.md": "" }))],
  ["package.json", (given) => readManifest(tree({ "package.json": given, "workflow.json": "{}" }))],
  [
    "a Claude plugin's manifest",
    (given) => readManifest(tree({ ".claude-plugin/plugin.json": given, "agents/a.md": "" })),
  ],
  ["an agent", (given) => capabilities({ "agents/a.md": `---\n${given}\n---\n` })],
  ["a list of servers", (given) => capabilities({ ".mcp.json": given, "agents/a.md": "" })],
  ["hugo.json", (given) => readLock(given, "hugo.json")],
  ["the hugo key", (given) => readHugoKey(given, "opencode.json")],
  ["state.json", (given) => readStateJson(given, "state.json")],
  ["opencode.json", (given) => readOpencodeConfig("opencode.json", given)],
];

function capabilities(files: Record<string, string>): unknown {
  const all = tree(files);
  return readCapabilities(new PackageTranslation(readManifest(all), all));
}

describe.each(readers)("any text as %s", (_, read) => {
  test("is read or refused with an error that is safe to print, and changes no prototype", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    fc.assert(
      fc.property(text, (given) => {
        try {
          read(given);
        } catch (error) {
          if (!(error instanceof HugoError)) throw error;
          expect(error.message).not.toMatch(/\p{Cc}/u);
          expect(error.hint).not.toBe("");
        }
      }),
      { numRuns: 1000 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
  });
});

test("a lock that was cut off is refused, wherever it was cut", () => {
  const file = { kind: "installed", source: "agents/a.md", base: hashOf("x") } as const;
  const lock = printLock({
    configs: new Map([["opencode.json", "array"]]),
    workflows: new Map([
      [
        "review",
        {
          package: "review",
          source: "review",
          version: "1.0.0",
          delivery: { kind: "copy", parked: false, files: new Map([["agents/a.md", file]]) },
          agents: ["a"],
          commands: [],
          skills: [],
        },
      ],
    ]),
  });
  const whole = lock.trimEnd().length;
  for (let length = 0; length < whole; length += 1) {
    expect(() => readLock(lock.slice(0, length), "hugo.json")).toThrow(HugoError);
  }
  expect(readLock(lock.slice(0, whole), "hugo.json").workflows.size).toBe(1);
});
