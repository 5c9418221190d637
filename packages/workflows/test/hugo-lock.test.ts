import { describe, expect, test } from "bun:test";
import { type Hash, isHash } from "@atomic/durable-files/files/hash";
import fc from "fast-check";
import {
  emptyLock,
  type Lock,
  type LockedDelivery,
  type LockedDependencies,
  type LockedDependency,
  type LockedFile,
  type LockedWorkflow,
  ownersOf,
  type PluginPart,
  printLock,
  storeEntry,
} from "../src/hugo-lock/lock.ts";
import { LockError, parseLock } from "../src/hugo-lock/parse-lock.ts";
import type { Permission } from "../src/permission/rules.ts";

const file = ".opencode/hugo.json";
const hash = (digit: string): Hash => `sha256:${digit.repeat(64)}`;

const plugin: LockedWorkflow = {
  package: "@org/code-review",
  source: "@org/code-review@^1.0.0",
  version: "1.2.0",
  integrity: "sha512-abc==",
  tree: hash("a"),
  delivery: {
    kind: "plugin",
    disabled: [{ file: "opencode.json", index: 2, spec: "@org/code-review@1.2.0", options: { strict: true } }],
  },
  agents: ["reviewer"],
  commands: ["review"],
  skills: [],
  workflows: ["notes", "release"],
};
const copy: LockedWorkflow = {
  package: "debugging",
  source: "github:org/debugging#v2",
  version: "0123456789abcdef0123456789abcdef01234567",
  tree: hash("b"),
  delivery: {
    kind: "copy",
    parked: true,
    files: new Map<string, LockedFile>([
      ["skills/trace/SKILL.md", { kind: "installed", source: "skills/trace/SKILL.md", base: hash("c"), adopted: true }],
      [
        "agents/debugger.md",
        { kind: "installed", source: "agents/debugger.md", base: hash("d"), pending: hash("e"), deleted: true },
      ],
      ["commands/debug.md", { kind: "skipped", source: "commands/debug.md" }],
    ]),
  },
  agents: ["debugger"],
  commands: ["debug"],
  skills: ["trace"],
  selection: ["agents/debugger", "skills/trace"],
};
const lock: Lock = {
  workflows: new Map([
    ["debugging", copy],
    ["code-review", plugin],
  ]),
  configs: new Map([["opencode.json", "array"]]),
};

const text = `{
  "version": 1,
  "configs": {
    "opencode.json": "array"
  },
  "workflows": {
    "code-review": {
      "package": "@org/code-review",
      "source": "@org/code-review@^1.0.0",
      "version": "1.2.0",
      "integrity": "sha512-abc==",
      "tree": "${hash("a")}",
      "delivery": "plugin",
      "agents": [
        "reviewer"
      ],
      "commands": [
        "review"
      ],
      "skills": [],
      "workflows": [
        "notes",
        "release"
      ],
      "disabled": {
        "file": "opencode.json",
        "index": 2,
        "spec": "@org/code-review@1.2.0",
        "options": {
          "strict": true
        }
      }
    },
    "debugging": {
      "package": "debugging",
      "source": "github:org/debugging#v2",
      "version": "0123456789abcdef0123456789abcdef01234567",
      "tree": "${hash("b")}",
      "delivery": "copy",
      "agents": [
        "debugger"
      ],
      "commands": [
        "debug"
      ],
      "skills": [
        "trace"
      ],
      "selection": [
        "agents/debugger",
        "skills/trace"
      ],
      "parked": true,
      "files": {
        "agents/debugger.md": {
          "source": "agents/debugger.md",
          "base": "${hash("d")}",
          "pending": "${hash("e")}",
          "deleted": true
        },
        "commands/debug.md": {
          "source": "commands/debug.md",
          "skipped": true
        },
        "skills/trace/SKILL.md": {
          "source": "skills/trace/SKILL.md",
          "base": "${hash("c")}",
          "adopted": true
        }
      }
    }
  }
}
`;

function refusal(act: () => unknown): LockError {
  try {
    act();
  } catch (error) {
    if (error instanceof LockError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

describe("the lock", () => {
  test("is printed sorted, without times, a line for each thing", () => {
    expect(printLock(lock)).toBe(text);
  });

  test("is read back to the same", () => {
    expect(parseLock(text, file)).toEqual(lock);
  });

  test("of nothing is short", () => {
    expect(printLock(emptyLock)).toBe('{\n  "version": 1,\n  "workflows": {}\n}\n');
    expect(parseLock(printLock(emptyLock), file)).toEqual(emptyLock);
  });

  test("knows all owners of a file", () => {
    const using = (...paths: string[]): LockedWorkflow => {
      const files = paths.map((path): [string, LockedFile] => [
        path,
        { kind: "installed", source: "a.md", base: hash("d") },
      ]);
      return { ...copy, delivery: { kind: "copy", parked: false, files: new Map(files) } };
    };
    const more: [string, LockedWorkflow][] = [
      ["one", using("agents/debugger.md", "skills/trace/SKILL.md")],
      ["other", using("agents/debugger.md")],
    ];
    const shared: Lock = { ...lock, workflows: new Map([...lock.workflows, ...more]) };
    expect(ownersOf(shared, "agents/debugger.md")).toEqual(["one", "other"]);
    expect(ownersOf(shared, "skills/trace/SKILL.md")).toEqual(["one"]);
    expect(ownersOf(shared, "commands/debug.md")).toEqual([]);
    expect(ownersOf(shared, "agents/none.md")).toEqual([]);
  });
});

describe("a lock that cannot be trusted", () => {
  const edited = (from: string, to: string) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  };
  const local = (version: string) =>
    edited('"github:org/debugging#v2"', '"./debugging"').replace(/"version": "0123\w+"/, `"version": "${version}"`);

  test.each<[string, string, string]>([
    ["no JSON", "{", "hugo.json:1:2: expected"],
    ["an empty file", "", "hugo.json: the whole value is missing"],
    ["no workflows", '{"version": 1}', "workflows is missing"],
    ["no version", '{"workflows": {}}', "version is missing"],
    ["version 0", '{"version": 0}', "is not a valid version"],
    ["a text as version", '{"version": "1"}', "version is not a whole number"],
    ["an unknown key", '{"version": 1, "extra": 1}', "extra is not a known key"],
    ["a key twice", '{"version": 1, "workflows": {}, "workflows": {}}', "workflows appears more than once"],
    ["workflows as a list", '{"version": 1, "workflows": []}', "workflows is not an object"],
    [
      "a name that is a property of objects",
      edited('"code-review": {', '"constructor": {'),
      "is not a valid workflow name",
    ],
    ["a name with a slash", edited('"code-review": {', '"a/b": {'), "is not a valid workflow name"],
    ["a name that is a path", edited('"code-review": {', '"..": {'), "is not a valid workflow name"],
    ["an unknown delivery", edited('"plugin"', '"magic"'), 'is "magic", but must be one of plugin, copy'],
    [
      "an empty list of places",
      text.replace(/"disabled": \{[^}]*\}\s*\}/, '"disabled": []'),
      "disabled is a list with fewer",
    ],
    ["an unknown part", edited('"disabled": {', '"parts": ["web"], "disabled": {'), "must be one of server, tui"],
    ["a part twice", edited('"disabled": {', '"parts": ["tui", "tui"], "disabled": {'), "is not a list of parts"],
    ["the usual part alone", edited('"disabled": {', '"parts": ["server"], "disabled": {'), "is not a list of parts"],
    [
      "what it registers as one name",
      edited('"disabled": {', '"registers": { "tools": "x" }, "disabled": {'),
      "registers.tools is not an array",
    ],
    [
      "an unknown kind that it registers",
      edited('"disabled": {', '"registers": { "spells": ["x"] }, "disabled": {'),
      "spells is not a known key",
    ],
    ["files of a plugin", edited('"disabled": {', '"files": {}, "disabled": {'), "files is not a known key"],
    ["a plugin without agents", edited('"agents": [\n        "reviewer"\n      ],', ""), "agents is missing"],
    [
      "a copy without files",
      text.replace(/,\s*"files": \{[\s\S]*?\}\s*\}(?=\s*\}\s*\}\s*\}\s*$)/, ""),
      "files is missing",
    ],
    ["a name that Windows reserves", edited('"code-review": {', '"con": {'), "is reserved on Windows"],
    ["a package outside", edited('"package": "debugging"', '"package": "../debugging"'), "is not a valid package name"],
    [
      "another package than its source",
      edited('"package": "@org/code-review"', '"package": "evil"'),
      "does not match the package named in its source",
    ],
    [
      "a version that is another package",
      edited('"version": "1.2.0"', '"version": "npm:evil@6.6.6"'),
      "is not a version",
    ],
    ["a commit that is an option", edited('"version": "0123', '"version": "-0123'), "is not a commit"],
    ["a local version with spaces", local("not a version"), "is not a version"],
    ["a local version that is a path", local("../../x"), "is not a version"],
    ["a local version that leads up", local(".."), "is not a version"],
    ["a commit with an option", edited('"version": "0123', '"version": "--upload-pack=x 0123'), "is not a commit"],
    [
      "a source in a form that Hugo never writes",
      edited('"github:org/debugging#v2"', '"org/debugging"'),
      "is not a source in the form",
    ],
    [
      "a source that runs a program",
      edited('"github:org/debugging#v2"', '"ext::sh -c x"'),
      "is not a source in the form",
    ],
    ["no package", edited('"package": "debugging",', ""), "package is missing"],
    ["an odd hash", edited(hash("b"), "sha1:1"), "is not a hash"],
    ["a hash in capitals", edited(hash("b"), hash("B")), "is not a hash"],
    [
      "a file outside",
      edited('"agents/debugger.md": {', '"../../.ssh/config": {'),
      "not in a folder that Hugo copies to",
    ],
    ["a file in another folder", edited('"agents/debugger.md": {', '"plugins/x.ts": {'), "not in a folder that Hugo"],
    [
      "a detour",
      edited('"agents/debugger.md": {', '"agents/../opencode.json": {'),
      "not in a folder that Hugo copies to",
    ],
    ["an absolute file", edited('"agents/debugger.md": {', '"/etc/passwd": {'), "not in a folder that Hugo copies to"],
    ["a source outside", edited('"source": "agents/debugger.md"', '"source": "../x"'), "not a plain relative path"],
    ["a selection outside", edited('"agents/debugger",', '"../x",'), "not a plain relative path"],
    ["a name of an agent that leads out", edited('"debugger"\n', '"../../evil"\n'), 'The name "../../evil" has'],
    ["an odd name of an agent", edited('"debugger"\n', '"../x"\n'), "is not a valid name"],
    ["parked: false", edited('"parked": true', '"parked": false'), "must be true or omitted"],
    ["skipped: false", edited('"skipped": true', '"skipped": false'), "must be true or omitted"],
    ["deleted: false", edited('"deleted": true', '"deleted": false'), "must be true or omitted"],
    [
      "a skipped file that is deleted",
      edited('"skipped": true', '"skipped": true, "deleted": true'),
      "skipped and deleted",
    ],
    ["adopted: false", edited('"adopted": true', '"adopted": false'), "must be true or omitted"],
    [
      "a skipped file that is adopted",
      edited('"skipped": true', '"skipped": true, "adopted": true'),
      "skipped and adopted",
    ],
    ["a skipped file with a base", edited('"skipped": true', `"skipped": true, "base": "${hash("a")}"`), "has a base"],
    ["a negative index", edited('"index": 2', '"index": -2'), "is not a whole number"],
    ["an unknown maker", edited('"array"', '"world"'), "must be one of file, array"],
  ])("is refused for %s", (_, bad, problem) => {
    const error = refusal(() => parseLock(bad, file));
    expect(error.code).toBe("lock-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toStartWith(file);
    expect(error.hint).toContain("hugo ci");
  });

  test.each([
    ...[
      "github:",
      "git://",
      "github:a",
      "github:a/b#\u001b[31m",
      "github:a/b#",
      "github:../x",
      "git+https://u:p@host/x",
    ],
    ...["git+https://host", "git+https://host/a/../b", "git+file://host/x", "git+ssh://-x/y", "git://host/x?y"],
    ...["./\u0000", "../pkg\n\u001b[2J", "./a/../b", "./a/", "//host/x", "./a\\b", "./\u202ex", " ./x", "./x "],
    ...["debugging@\u0007", "debugging@", "debugging@npm:evil@1", "debugging@-x", "Debugging", "-x", ""],
  ])("is refused for the source %j, which Hugo never writes", (source) => {
    const bad = edited('"github:org/debugging#v2"', JSON.stringify(source));
    const error = refusal(() => parseLock(bad, file));
    expect(error).toMatchObject({ code: "lock-invalid", at: expect.stringMatching(/^.opencode\/hugo\.json:\d+:\d+$/) });
    expect(error.message).toContain("is not a source in the format that Hugo writes");
  });

  test.each([
    ["a comment", "// mine\n{", "{", ":1:1"],
    ["a comment inside", '"version": /* 2 */ 1', '"version": 1', ":2:14"],
    ["a trailing comma", '"reviewer",\n', '"reviewer"\n', undefined],
  ])("is refused for %s, which the next write would remove", (_what, to, from, at) => {
    const error = refusal(() => parseLock(edited(from, to), file));
    expect(error.code).toBe("lock-invalid");
    expect(error.message).toContain("hugo.json must not contain comments or trailing commas");
    expect(error.at).toMatch(/:\d+:\d+$/);
    if (at !== undefined) expect(error.at).toBe(`${file}${at}`);
  });

  test("from a newer Hugo is left alone", () => {
    const error = refusal(() => parseLock('{\n  "version": 2,\n  "workflows": 7\n}', file));
    expect(error).toMatchObject({ code: "lock-newer", exitCode: 3, at: `${file}:2:14` });
    expect(error.message).toContain("has version 2, but this version of Hugo only supports version 1");
  });

  test.each(["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"])(
    "in the middle of a merge says so: %s",
    (line) => {
      const error = refusal(() =>
        parseLock(text.replace('"workflows"', `${line}\n  "workflows"`).replace(`  ${line}`, line), file),
      );
      expect(error.code).toBe("lock-conflict");
      expect(error.at).toBe(`${file}:6:1`);
      expect(error.hint).toContain("git checkout --ours");
    },
  );

  test("is not a conflict just because it looks a little like one", () => {
    expect(parseLock(text.replace("sha512-abc==", "<<<<<<< HEAD"), file).workflows.size).toBe(2);
  });
});

describe("any lock", () => {
  const word = fc
    .stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
    .filter((name) => !/^(?:con|prn|aux|nul|com\d|lpt\d|constructor)$/.test(name));
  const anyHash = fc.stringMatching(/^[0-9a-f]{64}$/).map((digits): Hash => `sha256:${digits}`);
  const names = fc.uniqueArray(word, { maxLength: 3 }).map((list) => list.toSorted());
  const marked = fc.constant(true as const);
  const lockedFile: fc.Arbitrary<LockedFile> = fc.oneof(
    fc.record({ kind: fc.constant("skipped" as const), source: word }),
    fc.record(
      {
        kind: fc.constant("installed" as const),
        source: word,
        base: anyHash,
        pending: anyHash,
        adopted: marked,
        deleted: marked,
      },
      { requiredKeys: ["kind", "source", "base"] },
    ),
  );
  const remembered = fc.record(
    {
      file: fc.string(),
      index: fc.nat(),
      spec: fc.string({ unit: "binary" }),
      options: fc.dictionary(
        fc.string(),
        fc.json().map((text) => JSON.parse(text)),
      ),
    },
    { requiredKeys: ["file", "index", "spec"] },
  );
  const delivery: fc.Arbitrary<LockedDelivery> = fc.oneof(
    fc.record(
      {
        kind: fc.constant("plugin" as const),
        parts: fc.constantFrom<readonly PluginPart[]>(["tui"], ["server", "tui"]),
        disabled: fc.array(remembered, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ["kind"] },
    ),
    fc.record({
      kind: fc.constant("copy" as const),
      parked: fc.boolean(),
      files: fc
        .array(fc.tuple(word, lockedFile), { maxLength: 3 })
        .map((list) => new Map(list.map(([name, of]) => [`agents/${name}.md`, of]))),
    }),
  );
  const packageName = fc.oneof(
    word,
    word.map((name) => `@org/${name}`),
  );
  const origin = fc.oneof(
    fc
      .tuple(
        packageName,
        fc.constantFrom("", "@next", "@^1.0.0", "@>=1 <2 || 3.x"),
        fc.constantFrom("1.0.2", "2.0.0-rc.1"),
      )
      .map(([name, wanted, version]) => ({ package: name, source: `${name}${wanted}`, version })),
    fc.record({
      package: packageName,
      source: fc.constantFrom("github:o/r", "git+https://x.invalid/r.git#v1", "git+ssh://git@x.invalid/r", "git://x/r"),
      version: fc.stringMatching(/^[0-9a-f]{40}$/),
    }),
    fc.record({
      package: packageName,
      source: fc.oneof(
        fc.constantFrom(".", "..", "../y.tgz", "/z"),
        fc
          .array(fc.stringMatching(/^[\w@é -]{0,6}\w$/), { minLength: 1, maxLength: 3 })
          .map((parts) => `./${parts.join("/")}`),
      ),
      version: fc.stringMatching(/^\w[\w.+~-]{0,20}$/),
    }),
  );
  const rest: fc.Arbitrary<Omit<LockedWorkflow, "package" | "source" | "version">> = fc.record(
    {
      integrity: fc.string(),
      tree: anyHash,
      delivery,
      agents: names,
      commands: names,
      skills: names,
      workflows: names,
      selection: names,
    },
    { requiredKeys: ["delivery", "agents", "commands", "skills"] },
  );
  const workflow: fc.Arbitrary<LockedWorkflow> = fc.tuple(origin, rest).map(([where, more]) => ({ ...where, ...more }));
  const anyLock: fc.Arbitrary<Lock> = fc.record({
    workflows: fc.array(fc.tuple(word, workflow), { maxLength: 3 }).map((list) => new Map(list)),
    configs: fc
      .array(fc.tuple(fc.string(), fc.constantFrom("file" as const, "array" as const)))
      .map((list) => new Map(list)),
  });

  test("is accepted as printed, is read back unchanged, and prints the same from any order", () => {
    fc.assert(
      fc.property(anyLock, (any) => {
        const printed = printLock(any);
        const parsed = parseLock(printed, file);
        expect(parsed).toEqual(any);
        expect(printLock(parsed)).toBe(printed);
        const reversed = {
          workflows: new Map([...any.workflows].reverse()),
          configs: new Map([...any.configs].reverse()),
        };
        expect(printLock(reversed)).toBe(printed);
      }),
      { numRuns: 300 },
    );
  });

  /** With lists in order, and without an empty list of configs, which means none. */
  function normal(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) return LISTS.has(key) ? value.toSorted() : value.map((item) => normal(item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, item]) => [name, key === "options" ? item : normal(item, name)]);
    return Object.fromEntries(entries.filter(([name, item]) => name !== "configs" || Object.keys(item).length > 0));
  }
  const LISTS = new Set(["agents", "commands", "skills", "workflows", "selection"]);

  test("with a change is refused with its place, or keeps all of its content when it is printed", () => {
    const odd = fc.constantFrom(
      undefined,
      null,
      true,
      false,
      0,
      1,
      "",
      "x",
      "../x",
      "CON",
      "sha256:zzz",
      [],
      ["a"],
      {},
      { a: 1 },
    );
    const counts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(anyLock, fc.nat(), odd, fc.boolean(), (any, at, value, adds) => {
        const changed = JSON.parse(printLock(any));
        const places: [holder: Record<string, unknown>, key: string][] = [];
        const visit = (holder: Record<string, unknown>): void => {
          for (const [key, item] of Object.entries(holder)) {
            places.push([holder, key]);
            if (typeof item === "object" && item !== null) visit(item as Record<string, unknown>);
          }
        };
        visit(changed);
        const [holder, key] = places[at % places.length] ?? [changed, "version"];
        holder[adds ? `${key}x` : key] = value;
        const given = JSON.stringify(changed);
        try {
          const printed = printLock(parseLock(given, file));
          expect(normal(JSON.parse(printed))).toEqual(normal(JSON.parse(given)));
          counts.accepted += 1;
        } catch (error) {
          if (!(error instanceof LockError)) throw error;
          expect(error.message).toStartWith(`${error.at}: `);
          expect(error.at).toMatch(/hugo\.json:1:\d+$/);
          counts.refused += 1;
        }
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(50);
  });

  test("with its text cut or damaged is either read or refused", () => {
    const edit = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(12),
      fc.constantFrom("", "x", '"', "0", "{}", "\n", ",", "../", "<<<<<<< a\n"),
    );
    fc.assert(
      fc.property(anyLock, edit, (any, [where, length, insert]) => {
        const whole = printLock(any);
        const at = Math.floor(where * whole.length);
        const given = whole.slice(0, at) + insert + whole.slice(at + length);
        try {
          const printed = printLock(parseLock(given, file));
          expect(printLock(parseLock(printed, file))).toBe(printed);
        } catch (error) {
          if (!(error instanceof LockError)) throw error;
          expect(error.at).toStartWith(file);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test("a hash is recognized by its form", () => {
  expect(isHash(hash("a"))).toBe(true);
  for (const odd of ["sha256:x", hash("A"), `${hash("a")}0`, hash("a").slice(1)]) expect(isHash(odd)).toBe(false);
});

describe("the permissions that limited the agents", () => {
  const held = (permission: Permission): Lock => ({
    ...emptyLock,
    workflows: new Map([
      ["debugging", { ...copy, delivery: { ...(copy.delivery as object), permission } as LockedDelivery }],
    ]),
  });

  test("are read back in their order, which counts", () => {
    const permission = { bash: { "git *": "ask", "*": "deny" }, "*": "allow" } as const;
    const text = printLock(held(permission));
    const delivery = parseLock(text, file).workflows.get("debugging")?.delivery;
    const kept = delivery?.kind === "copy" ? delivery.permission : undefined;
    expect(JSON.stringify(kept)).toBe(JSON.stringify(permission));
  });

  test.each(['"ask"', '{ "bash": "never" }', "[]", "true"])("are not %s", (value) => {
    const text = printLock(held({ bash: "ask" })).replace(/"permission": \{[^}]*\}/, `"permission": ${value}`);
    expect(() => parseLock(text, file)).toThrow("is not a map of permissions");
  });
});

describe("the dependencies of a plugin", () => {
  const integrity = `sha512-${"A".repeat(86)}==`;
  const dependencies = new Map<string, LockedDependency>([
    ["zod", { version: "4.1.8", integrity, tree: hash("1") }],
    ["@org/a/node_modules/zod", { name: "zod-old", version: "3.0.0-beta.1", integrity, tree: hash("2") }],
    ["native-mac", { version: "1.0.0", integrity, os: ["darwin"], cpu: ["arm64", "x64"] }],
  ]);
  const printed = (value: LockedDependencies): string =>
    printLock({ ...emptyLock, workflows: new Map([["code-review", { ...plugin, dependencies: value }]]) });

  test("are one line each, and are read back to the same", () => {
    const text = printed(dependencies);
    expect(text).toContain(`"@org/a/node_modules/zod": "zod-old@3.0.0-beta.1 ${integrity} ${hash("2")}",\n`);
    expect(text).toContain(`"native-mac": "1.0.0 ${integrity} os=darwin cpu=arm64,x64",\n`);
    expect(parseLock(text, file).workflows.get("code-review")?.dependencies).toEqual(dependencies);
    expect(parseLock(printed(new Map()), file).workflows.get("code-review")?.dependencies).toEqual(new Map());
  });

  test.each([
    ["../zod", `4.1.8 ${integrity}`, "path of a package"],
    ["a/b", `4.1.8 ${integrity}`, "path of a package"],
    ["zod/node_modules/..", `4.1.8 ${integrity}`, "path of a package"],
    ["zod", `latest ${integrity}`, "does not name a version"],
    ["zod", `../x@4.1.8 ${integrity}`, "does not name a version"],
    ["zod", "4.1.8", "has no integrity"],
    ["zod", `4.1.8 sha1-abc= ${hash("1")}`, "has no integrity"],
    ["zod", `4.1.8 ${integrity} ${hash("1")} os=`, "has something after its hashes"],
    ["zod", `4.1.8 ${integrity} cpu=x64 evil`, "has something after its hashes"],
    ["zod", `4.1.8 ${integrity} ${hash("1")} ${hash("2")}`, "has something after its hashes"],
  ])("are refused as %j: %j", (path, line, problem) => {
    const text = printed(new Map([["zod", { version: "4.1.8", integrity }]]));
    const changed = text.replace(`"zod": "4.1.8 ${integrity}"`, `${JSON.stringify(path)}: ${JSON.stringify(line)}`);
    expect(changed).not.toBe(text);
    expect(() => parseLock(changed, file)).toThrow(problem);
  });

  test("decide where the package is in the store, in whatever order they are", () => {
    const entry = storeEntry("code-review", hash("a"), dependencies);
    expect(entry).toMatch(/^code-review-[0-9a-f]{16}$/);
    expect(storeEntry("code-review", hash("a"), new Map([...dependencies].reverse()))).toBe(entry);
    const others = [undefined, new Map([...dependencies].slice(1)), new Map([["zod", dependencies.get("zod")!]])];
    expect(others.map((other) => storeEntry("code-review", hash("a"), other))).not.toContain(entry);
    expect(storeEntry("code-review", hash("a"), undefined)).toBe(`code-review-${"a".repeat(16)}`);
  });
});
