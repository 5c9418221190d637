import { describe, expect, test } from "bun:test";
import { homedir } from "node:os";
import { growth } from "@atomic/testing/growth";
import type { Restrictions } from "../../src/entities/entity.ts";
import { normalizePermission } from "../../src/entities/normalize/permission.ts";
import { combineTools } from "../../src/entities/normalize/restrictions.ts";
import { normalizeTools } from "../../src/entities/normalize/tools.ts";
import {
  decidePermission,
  deniedTools,
  type PermissionLayers,
  type PermissionPolicy,
} from "../../src/hosts/permission-policy.ts";
import type { Permission } from "../../src/permission/rules.ts";

const bash = (detail: string) => ({ tool: "bash", detail });
const folder = "/p";

test.each<[string, PermissionLayers, string, string]>([
  ["nothing is configured: you are asked", {}, "bash", "ask"],
  ["the user's one answer is for everything", { user: "allow" }, "bash", "allow"],
  ["a tool by its name", { user: { bash: "deny", "*": "allow" } }, "bash", "deny"],
  ["a star for all that is not named", { user: { bash: "deny", "*": "allow" } }, "write", "allow"],
  ["a tool that is not named, without a star", { user: { bash: "deny" } }, "write", "ask"],
  ["a wildcard", { user: { "github/*": "deny", "*": "allow" } }, "github/merge", "deny"],
  ["the name before any wildcard", { user: { "git*": "deny", github: "allow" } }, "github", "allow"],
  ["the longer wildcard", { user: { "github/*": "allow", "git*": "deny" } }, "github/merge", "allow"],
  ["a node may allow what the user does not mention", { user: { bash: "deny" }, node: "allow" }, "write", "allow"],
  ["a node cannot allow what the user denies", { user: { bash: "deny" }, node: "allow" }, "bash", "deny"],
  ["a node cannot allow what the user wants to be asked", { user: "ask", node: { bash: "allow" } }, "bash", "ask"],
  ["a node can be stricter", { user: "allow", node: { bash: "deny" } }, "bash", "deny"],
  ["denying edit denies write", { user: { edit: "deny", "*": "allow" } }, "write", "deny"],
  ["asking about edit asks about patch", { user: { edit: "ask", "*": "allow" } }, "patch", "ask"],
  ["allowing edit does not allow write", { user: { edit: "allow", "*": "ask" } }, "write", "ask"],
  ["with edit allowed, a node can allow write", { user: { edit: "allow" }, node: "allow" }, "write", "allow"],
  ["with edit allowed, write is still asked about", { user: { edit: "allow" } }, "write", "ask"],
  ["with edit denied, write can be allowed by name", { user: { edit: "deny", write: "allow" } }, "write", "allow"],
  ["properties that every object has are not answers", { user: { bash: "allow" } }, "constructor", "ask"],
])("%s", (_name, layers, tool, expected) => {
  expect(decidePermission(layers, { tool, detail: "", folder, root: folder })).toBe(expected as "ask");
});

describe("a server's tool is known by its name here and by the one in OpenCode:", () => {
  const decided = (layers: PermissionLayers, tool: string): string =>
    decidePermission(layers, { tool, detail: "*", folder, root: folder });
  const inFile = (permission: Permission, tool: string): string => {
    const read = normalizePermission(permission);
    return decided({ user: "allow", file: read.kind === "restricted" ? read.restrictions : {} }, tool);
  };

  test.each<[policy: PermissionPolicy, tool: string, expected: string]>([
    [{ "*": "allow", "github/*": "ask" }, "github_push", "ask"],
    [{ "*": "allow", "github/*": "deny" }, "github_create_issue", "deny"],
    [{ "*": "allow", "my.server/*": "ask" }, "my_server_push", "ask"],
    [{ "*": "allow", "github_*": "deny" }, "github/push", "deny"],
    [{ "*": "allow", github_push: "ask" }, "github/push", "ask"],
    [{ "*": "allow", "my_server_*": "ask" }, "my.server/push", "ask"],
    [{ "*": "allow", "*/push": "ask" }, "github_push", "ask"],
    // It could be the tool `enterprise_push` of the server `github`.
    [{ "*": "allow", "github/*": "ask", "github_enterprise/*": "allow" }, "github_enterprise_push", "ask"],
    // The more specific one counts under the other name, too.
    [{ "*": "allow", "github/*": "ask", "github/get": "allow" }, "github_get", "allow"],
    [{ "*": "ask", github_get: "allow" }, "github_get", "allow"],
    [{ "*": "ask", "github/get": "allow" }, "github/get", "allow"],
    // Another server may have a tool of that name, so nothing is opened.
    [{ "*": "ask", "github/*": "allow" }, "github_enterprise_push", "ask"],
    [{ "*": "allow", "github/*": "ask" }, "gitlab_push", "allow"],
  ])("a policy %j and %s: %s", (user, tool, expected) => {
    expect(decided({ user }, tool)).toBe(expected);
  });

  test("a node's answer does not hide the user's", () => {
    expect(decided({ user: { "github/*": "ask" }, node: "allow" }, "github_push")).toBe("ask");
  });

  test.each<[permission: Permission, tool: string, expected: string]>([
    [{ "github_*": "deny" }, "github/push", "deny"],
    [{ github_push: "deny" }, "github/push", "deny"],
    [{ github_push: "deny" }, "github/pull", "allow"],
    [{ "*": "allow", "github_*": "ask" }, "github/push", "ask"],
    [{ "git*_push": "ask" }, "github/push", "ask"],
    [{ "my_server_*": "deny" }, "my.server/push", "deny"],
    [{ github_push: { "*": "deny", x: "allow" } }, "github/push", "deny"],
    [{ "*": "allow", github_get: "allow", bash: { "*": "deny", "git *": "allow" } }, "github/get", "allow"],
    [{ "*": "deny", github_get: "allow" }, "github_get", "allow"],
    [{ "*": "deny", github_get: "allow" }, "github/push", "deny"],
  ])("an OpenCode agent %j and %s: %s", (permission, tool, expected) => {
    expect(inFile(permission, tool)).toBe(expected);
  });

  test.each<[file: Restrictions, tool: string, expected: string]>([
    [{ deny: [{ tool: "github/*" }] }, "github_push", "deny"],
    [{ deny: [{ tool: "my.server/push" }] }, "my_server_push", "deny"],
    [{ ask: [{ tool: "github/push" }] }, "github_push", "ask"],
  ])("a file %j and %s: %s", (file, tool, expected) => {
    expect(decided({ user: "allow", file }, tool)).toBe(expected);
  });

  test("two keys of one file that use both names apply together", () => {
    const both = combineTools(
      normalizeTools("mcp__github__get, mcp__lake__*", { provider: "claude" }),
      normalizePermission({ "github_*": "ask", lake_fish: "ask" }),
    );
    const file = both.kind === "restricted" ? both.restrictions : {};
    expect(decided({ user: "allow", file }, "github/get")).toBe("ask");
    expect(decided({ user: "allow", file }, "lake/fish")).not.toBe("allow");
    expect(decided({ user: "allow", file }, "lake/swim")).toBe("allow");
  });
});

describe("a file restricts, and grants nothing:", () => {
  test.each<[string, Restrictions, { tool: string; detail: string }, string]>([
    ["nothing is said", {}, bash("ls"), "allow"],
    ["a tool that is not on its list", { allow: [{ tool: "read" }] }, bash("ls"), "deny"],
    ["an empty list", { allow: [] }, bash("ls"), "deny"],
    ["a tool on its list", { allow: [{ tool: "bash" }] }, bash("ls"), "allow"],
    ["a command that fits", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git status"), "allow"],
    ["the bare command", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git"), "allow"],
    ["another command with that beginning", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("gitk"), "deny"],
    ["a second command behind it", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git x && rm y"), "deny"],
    ["two that fit", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git x; git y"), "allow"],
    ["a command inside of it", { allow: [{ tool: "bash", pattern: "git:*" }] }, bash("git log $(rm y)"), "deny"],
    ["a command on a second line", { allow: [{ tool: "bash", pattern: "git*" }] }, bash("git x\nrm y"), "deny"],
    ["a denied command among others", { deny: [{ tool: "bash", pattern: "rm *" }] }, bash("ls && rm x"), "deny"],
    ["the bare denied command", { deny: [{ tool: "bash", pattern: "git push *" }] }, bash("git push"), "deny"],
    ["it behind another", { deny: [{ tool: "bash", pattern: "git push *" }] }, bash("cd x && git push"), "deny"],
    ["it inside of another", { deny: [{ tool: "bash", pattern: "git push *" }] }, bash("echo $(git push)"), "deny"],
    ["to ask about it", { ask: [{ tool: "bash", pattern: "git push *" }] }, bash("ls; git push"), "ask"],
    [
      "all tools, of one only this",
      { allow: [{ tool: "*" }, { tool: "bash", pattern: "git *" }] },
      bash("rm x"),
      "deny",
    ],
    ["a denied tool", { deny: [{ tool: "bash" }] }, bash("ls"), "deny"],
    ["to ask about a tool", { ask: [{ tool: "bash" }] }, bash("ls"), "ask"],
    ["to ask about all, but not this", { ask: [{ tool: "*" }], allow: [{ tool: "bash" }] }, bash("ls"), "allow"],
    ["both alike", { ask: [{ tool: "bash" }], allow: [{ tool: "bash" }] }, bash("ls"), "ask"],
    [
      "a path below a folder",
      { allow: [{ tool: "edit", pattern: "src/**" }] },
      { tool: "edit", detail: "/p/src/a.ts" },
      "allow",
    ],
    [
      "a path elsewhere",
      { allow: [{ tool: "edit", pattern: "src/**" }] },
      { tool: "edit", detail: "/p/lib/a.ts" },
      "deny",
    ],
  ])("%s", (_name, file, wish, expected) => {
    expect(decidePermission({ user: "allow", file }, { ...wish, folder, root: folder })).toBe(expected as "ask");
  });

  test("what it allows still has to be allowed by the user", () => {
    expect(decidePermission({ file: { allow: [{ tool: "bash" }] } }, { ...bash("ls"), folder, root: folder })).toBe(
      "ask",
    );
  });
});

test("tools that are always denied are known in advance", () => {
  const file = { deny: [{ tool: "webfetch" }, { tool: "bash", pattern: "rm *" }] };
  const layers: PermissionLayers = { user: { bash: "deny", "*": "deny", read: "allow" }, node: { task: "deny" }, file };
  expect(deniedTools(layers)).toEqual(["bash", "task", "webfetch"]);
  expect(deniedTools({ user: "deny" })).toEqual([]);
  expect(deniedTools({ user: { edit: "deny" } })).toEqual(["edit", "write", "patch", "notebookedit"]);
  expect(deniedTools({ user: { edit: "deny", write: "allow" } })).toEqual(["edit", "patch", "notebookedit"]);
});

describe("a denied command is found however it is written:", () => {
  test.each([
    ["(rm -rf /)"],
    ["{ rm -rf x; }"],
    ["echo $(rm x)"],
    ["echo `rm x`"],
    ["rm\t-rf x"],
    ["FOO=1 rm x"],
    ["if true; then rm x; fi"],
    ["! rm x"],
    ["/bin/rm x"],
    ["r''m x"],
    ["\\rm x"],
    ['"rm" x'],
    ["ls |rm x"],
    [">out rm x"],
    ["ls &\nrm x"],
    ["r\\\nm x"],
    ["sudo -n rm x"],
    ["find . -exec rm {} +"],
    ["while read f; do rm $f; done"],
    ["case x in x) rm x;; esac"],
  ])("%j", (command) => {
    const file = { deny: [{ tool: "bash", pattern: "rm:*" }] };
    expect(decidePermission({ user: "allow", file }, { ...bash(command), folder, root: folder })).toBe("deny");
  });
});

describe("what cannot be read is asked about:", () => {
  test.each<[command: string, expected?: "deny"]>([
    ["$X -rf x"],
    ["{rm,-rf,x}"],
    ["r? x"],
    ["$'\\x72m' x"],
    ['echo "$(cat run)"'],
    ['bash -c "$X"'],
    ["echo cm0geA== | base64 -d | sh"],
    ["eval $(cat run)"],
    ["cat <<END\nrm x\nEND", "deny"],
    ["echo 'it is not closed"],
    ["diff <(cat a) b"],
  ])("%j", (...[command, expected]) => {
    const file = { deny: [{ tool: "bash", pattern: "rm:*" }] };
    expect(decidePermission({ user: "allow", file }, { ...bash(command), folder, root: folder })).toBe(
      expected ?? "ask",
    );
  });

  test.each([
    "ls $HOME *.ts > out 2>&1",
    "git commit -m 'rm it; rm all'",
    "bash build.sh",
    "echo rm # rm x",
    "npm test",
  ])("%j can", (command) => {
    const file = { deny: [{ tool: "bash", pattern: "rm:*" }] };
    expect(decidePermission({ user: "allow", file }, { ...bash(command), folder, root: folder })).toBe("allow");
  });

  test("one part that has to be asked about is enough to ask", () => {
    const file = { allow: [{ tool: "bash" }], ask: [{ tool: "bash", pattern: "git push:*" }] };
    expect(decidePermission({ user: "allow", file }, { ...bash("ls && git push"), folder, root: folder })).toBe("ask");
    expect(decidePermission({ user: "allow", file }, { ...bash("ls && git pull"), folder, root: folder })).toBe(
      "allow",
    );
  });
});

describe("an allowed command must do nothing else:", () => {
  test.each([
    ["git log > ~/.bashrc", "deny"],
    ["git log >> x", "deny"],
    ["git log &> x", "deny"],
    ["GIT_SSH_COMMAND=./x git fetch", "deny"],
    ["PATH=. ; git log", "deny"],
    ["git log <(rm x)", "deny"],
    ["git log 2>&1 >/dev/null", "allow"],
    ["git log < list | git hash-object --stdin", "allow"],
    ["git log $X 'a;b'", "allow"],
  ])("%j", (command, expected) => {
    const file = { allow: [{ tool: "bash", pattern: "git:*" }] };
    expect(decidePermission({ user: "allow", file }, { ...bash(command), folder, root: folder })).toBe(
      expected as "ask",
    );
  });

  test("but exactly what a file says", () => {
    const file = { allow: [{ tool: "bash", pattern: "npm test > out.txt" }] };
    expect(decidePermission({ user: "allow", file }, { ...bash("npm test > out.txt"), folder, root: folder })).toBe(
      "allow",
    );
  });
});

describe("paths are those of the project:", () => {
  const edit = (rule: "allow" | "deny", pattern: string, detail: string, tool = "edit"): string =>
    decidePermission({ user: "allow", file: { [rule]: [{ tool, pattern }] } }, { tool, detail, folder, root: folder });

  test.each([
    ["src/**", "src/a.ts", "allow"],
    ["/src/**", "/p/src/a.ts", "allow"],
    ["./src/*", "/p/lib/../src/a.ts", "allow"],
    ["src/**", "src/../../etc/passwd", "deny"],
    ["src/**", "/etc/src/x", "deny"],
    ["src/**", "lib/src/x", "deny"],
    ["**", "/etc/passwd", "deny"],
    ["*.md", "docs/a.md", "allow"],
    ["*.md", "/q/a.md", "deny"],
    ["//etc/*", "/etc/hosts", "allow"],
    ["/p/src/*", "src/a.ts", "allow"],
  ])("allow %s: %s", (pattern, path, expected) => expect(edit("allow", pattern, path)).toBe(expected));

  test.each([
    ["secrets/**", "src/../secrets/key", "deny"],
    ["secrets/**", "/p/lib/secrets/key", "deny"],
    [".env", "/p/lib/.env", "deny"],
    ["/etc/*", "../etc/passwd", "deny"],
    ["secrets/**", "src/secrets.ts", "allow"],
  ])("deny %s: %s", (pattern, path, expected) => expect(edit("deny", pattern, path)).toBe(expected));

  test("of a patch, all of them", () => {
    expect(edit("allow", "src/**", "src/a.ts, src/b.ts", "patch")).toBe("allow");
    expect(edit("allow", "src/**", "src/a.ts, ../x", "patch")).toBe("deny");
    expect(edit("deny", ".env", "src/a.ts, .env", "patch")).toBe("deny");
  });
});

describe("a doubt never opens what is closed:", () => {
  const answer = (permission: Permission, tool: string, detail: string): string => {
    const read = normalizePermission(permission);
    const file = read.kind === "restricted" ? read.restrictions : {};
    return decidePermission({ user: "allow", file }, { tool, detail, folder, root: folder });
  };

  test.each([
    ["*test*", "rm -rf $HOME", "deny"],
    ["*test*", "echo $X; npm test", "deny"],
    ["*test*", "npm test $X", "ask"],
    ["*test*", "npm test > out", "ask"],
    ["git *", "git status && rm x", "deny"],
    ["git *", "git status && git push", "ask"],
    ["git *", "git log $(cat x)", "deny"],
    ["git *", "$X", "deny"],
  ])("bash %s: ask, and %s", (pattern, command, expected) => {
    expect(answer({ bash: { "*": "deny", [pattern]: "ask" } }, "bash", command)).toBe(expected);
  });

  test("parts that are allowed or asked about are asked about", () => {
    const bash = { "*": "deny", "ls *": "allow", "git *": "ask" } as const;
    expect(answer({ bash }, "bash", "ls && git push")).toBe("ask");
    expect(answer({ bash }, "bash", "ls && rm x")).toBe("deny");
  });

  test.each([
    ["NOTES.md", "NOTES.md", true],
    ["NOTES.md", "/p/NOTES.md", true],
    ["NOTES.md", "docs/NOTES.md", false],
    ["NOTES.md", "/p/node_modules/x/NOTES.md", false],
    ["*.md", "docs/NOTES.md", true],
    ["./src/*", "src/a.ts", false],
    ["/src/*", "src/a.ts", false],
    ["/src/*", "/src/a.ts", false],
    ["src/*", "/p/src/a.ts", true],
  ])("OpenCode's edit %s and %s", (pattern, path, isOpen) => {
    for (const action of ["allow", "ask"] as const) {
      const edit = { "*": "deny", [pattern]: action } as const;
      expect(answer({ edit }, "write", path)).toBe(isOpen ? action : "deny");
    }
  });

  test("a question about a file is asked wherever a file with that name is", () => {
    expect(answer({ edit: { ".env": "ask" } }, "edit", "lib/.env")).toBe("ask");
    expect(answer({ edit: { "~/x/*": "deny" } }, "edit", `${homedir()}/x/y`)).toBe("deny");
  });

  test("a name with a question mark is as general as one with a star", () => {
    expect(answer({ "*": "ask", "?ash": "allow", "b*": "ask" }, "bash", "ls")).toBe("ask");
    // It opens `bash`, but not all that a star stands for.
    expect(answer({ "*ash": "deny", "?ash": "allow" }, "smash", "x")).toBe("deny");
  });

  test("Claude's names without a folder are for files anywhere in the project", () => {
    const read = normalizeTools("Edit(NOTES.md)", { provider: "claude" });
    const file = read.kind === "restricted" ? read.restrictions : {};
    expect(
      decidePermission({ user: "allow", file }, { tool: "edit", detail: "docs/NOTES.md", folder, root: folder }),
    ).toBe("allow");
  });

  test("a file name that Claude's list and OpenCode's rules both allow is held to the narrower meaning", () => {
    const both = combineTools(
      normalizeTools("Edit(NOTES.md)", { provider: "claude" }),
      normalizePermission({ edit: { "*": "deny", "NOTES.md": "allow" } }),
    );
    const file = both.kind === "restricted" ? both.restrictions : {};
    expect(
      decidePermission({ user: "allow", file }, { tool: "edit", detail: "docs/NOTES.md", folder, root: folder }),
    ).toBe("deny");
  });
});

test.each(["echo x; ", "sudo ", "\\a", "a'b'", '"', "$(", "a=b ", "/", "2>x ", "#", "{ "])(
  "a command with many %j is read in time that grows with it",
  (piece) => {
    const file = { deny: [{ tool: "bash", pattern: "rm:*" }], allow: [{ tool: "bash", pattern: "echo:*" }] };
    const read = (size: number): void => {
      const command = `echo ${piece.repeat(size)}`;
      const decision = decidePermission({ user: "allow", file }, { ...bash(command), folder, root: folder });
      expect(["ask", "deny", "allow"]).toContain(decision);
    };
    expect(growth(5_000, read)).toBeLessThan(1.5);
  },
);
