import { describe, expect, test } from "bun:test";
import { isHash } from "@atomic/durable-files/files/hash";
import {
  emptyLock,
  type Lock,
  type LockedDelivery,
  type LockedDependencies,
  type LockedDependency,
  type LockedFile,
  type LockedWorkflow,
  ownersOf,
  printLock,
  storeEntry,
} from "../src/hugo-lock/lock.ts";
import { parseLock } from "../src/hugo-lock/parse-lock.ts";
import type { Permission } from "../src/permission/rules.ts";
import { copy, file, hash, lock, plugin, text } from "./hugo-lock-sample.ts";

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
