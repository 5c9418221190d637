import { expect, test } from "bun:test";
import { pathToFileURL } from "node:url";
import { readWorkflow, type Workflow, type WorkflowExtras } from "../../src/plugin/read-workflow.ts";
import { markdown, workflowFolder } from "./workflow-folder.ts";

type Files = Parameters<typeof workflowFolder>[0];

async function read(files: Files, extras?: WorkflowExtras): Promise<Workflow> {
  await using project = await workflowFolder(files);
  return readWorkflow(project.dir, extras);
}

function codes({ diagnostics }: Workflow, severity?: string): string[] {
  return diagnostics.filter((found) => severity === undefined || found.severity === severity).map(({ code }) => code);
}

test("every field of an agent arrives in the form of OpenCode's config", async () => {
  const fields = {
    description: "Reviews",
    mode: "subagent",
    model: "a/b",
    variant: "high",
    temperature: 0.1,
    top_p: 1,
  };
  const more = { color: "#ff0000", hidden: true, disable: false, options: { thinking: { budget: 3 } } };
  const { agents, diagnostics } = await read({
    "agents/reviewer.md": markdown({ ...fields, ...more, steps: 9, permission: { edit: "deny" } }, "\nBe strict.\n\n"),
    "agent/team/poet.md": markdown({ name: "team/poet", maxSteps: 2 }, "Rhyme {env:HOME} `$x`."),
  });
  expect(agents).toEqual({
    reviewer: { ...fields, ...more, mode: "subagent", steps: 9, permission: { edit: "deny" }, prompt: "Be strict." },
    "team/poet": { steps: 2, prompt: "Rhyme {env:HOME} `$x`." },
  });
  expect(diagnostics).toEqual([]);
});

test("commands and skills are read in both spellings of their folders", async () => {
  await using project = await workflowFolder({
    "commands/check.md": markdown(
      { description: "Checks", agent: "reviewer", subtask: true, "argument-hint": "[x]" },
      "Go $1.",
    ),
    "command/ci/run.md": "Run it.",
    "skills/tidy/SKILL.md": markdown({ name: "tidy", description: "Tidies" }, "Sweep."),
    "skill/group/sweep/SKILL.md": markdown({ name: "sweep", description: "Sweeps", license: "MIT" }, "Sweep."),
  });
  const workflow = readWorkflow(pathToFileURL(`${project.dir}/`));
  expect(workflow.commands).toEqual({
    check: { description: "Checks", agent: "reviewer", subtask: true, template: "Go $1." },
    "ci/run": { template: "Run it." },
  });
  expect(workflow.skills).toEqual([
    { name: "tidy", description: "Tidies", folder: project.path("skills/tidy") },
    { name: "sweep", description: "Sweeps", folder: project.path("skill/group/sweep") },
  ]);
  expect(workflow.diagnostics).toEqual([]);
});

test("only what workflow.json lists is read, and the rest is reported", async () => {
  const workflow = await read({
    "workflow.json": { agents: ["a"], commands: ["git/c"], skills: ["s"], workflows: ["w"] },
    "agents/a.md": "A.",
    "agents/b.md": "B.",
    "agent/a.md": "Another A.",
    "commands/git/c.md": "C.",
    "commands/c.md": "Another C.",
    "skills/s/SKILL.md": markdown({ name: "s", description: "S" }),
    "skills/t/SKILL.md": markdown({ name: "t", description: "T" }),
  });
  expect(workflow.agents).toEqual({ a: { prompt: "A." } });
  expect(workflow.commands).toEqual({ "git/c": { template: "C." } });
  expect(workflow.skills.map(({ name }) => name)).toEqual(["s"]);
  // What an agent may do is unknown, so an override of it must not become an agent of its own.
  expect(workflow.leftOut).toEqual(["b"]);
  expect(workflow.diagnostics.map(({ code, severity, path = "" }) => [code, severity, path.split("/").at(-1)])).toEqual(
    ["a.md", "b.md", "c.md", "SKILL.md"].map((file) => ["not-listed", "warning", file]),
  );
});

test.each<[string, string | Uint8Array]>([
  ["nothing", ""],
  ["no JSON", "{ nonsense"],
  ["no object", '["a"]'],
  ["a key twice", '{ "agents": [], "agents": ["a"] }'],
  ["a value that is not a list", '{ "agents": "a" }'],
  ["names that are not strings", '{ "agents": [{ "name": "a" }] }'],
  ["no text", new Uint8Array([0x7b, 0xff, 0x7d])],
])("a workflow.json with %s lists nothing, so nothing is loaded", async (_, content) => {
  const workflow = await read({ "workflow.json": content, "agents/a.md": "A.", "commands/c.md": "C." });
  expect(workflow).toMatchObject({ agents: {}, commands: {}, skills: [], leftOut: ["a"] });
  expect(codes(workflow, "error")).toHaveLength(1);
  expect(codes(workflow, "warning")).toEqual(["not-listed", "not-listed"]);
});

test.each<[frontmatter: object, permission: unknown]>([
  [{ permission: "deny" }, { "*": "deny" }],
  [{ permission: { bash: { "*": "deny", "git *": "allow" } } }, { bash: { "*": "deny", "git *": "allow" } }],
  [{ tools: { write: false } }, { edit: "deny" }],
  [{ tools: { "*": false, read: true } }, { "*": "deny", read: "allow" }],
  [{ tools: { Bash: false, todowrite: true } }, { bash: "deny", todowrite: "allow" }],
  // OpenCode would let the last one win, and open what was closed.
  [{ tools: { write: false, edit: true } }, { edit: "deny" }],
  [{ tools: { bash: false }, permission: { bash: { "git *": "allow" } } }, { bash: { "*": "deny", "git *": "allow" } }],
  [{}, undefined],
])("%j becomes the permission %j", async (frontmatter, permission) => {
  const { agents } = await read({ "agents/a.md": markdown(frontmatter, "Hi") });
  expect(agents.a?.permission).toEqual(permission as never);
  expect(Object.keys(agents.a?.permission ?? {})).toEqual(Object.keys((permission as object) ?? {}));
});

const broken: [why: string, content: string, code: string][] = [
  ["a mode that does not exist", markdown({ mode: "boss" }), "value-unaccepted"],
  ["an invalid number of steps", markdown({ steps: 0 }), "value-unaccepted"],
  ["an invalid color", markdown({ color: "red" }), "value-unaccepted"],
  ["options that are a list", markdown({ options: [1] }), "value-unaccepted"],
  ["an invalid permission", markdown({ permission: { edit: "never" } }), "value-unaccepted"],
  ["a permission that is a list", markdown({ permission: ["edit"] }), "value-unaccepted"],
  ["an empty permission", "---\npermission:\n---\nHi", "value-unaccepted"],
  ["the tools of another tool's format", markdown({ tools: "Read, Grep" }), "value-unaccepted"],
  [
    "a restriction under a name that OpenCode does not know",
    markdown({ disallowedTools: "Bash" }),
    "restriction-unknown",
  ],
  ["a permission that forbids nothing", markdown({ permission: { write: "deny" } }), "restriction-unknown"],
  ["a permission in the wrong case", markdown({ permission: { Bash: "ask" } }), "restriction-unknown"],
  ["a model without its provider", markdown({ model: "sonnet" }), "model-unknown"],
  ["another name than its path", markdown({ name: "other" }), "name-mismatch"],
  ["frontmatter without an end", "---\nmode: primary\n", "frontmatter-unterminated"],
  ["frontmatter that is a program", "---js\nmodule.exports = {}\n---\n", "frontmatter-language"],
];

test.each(broken)("only the agent with %s is left out", async (_, content, code) => {
  const workflow = await read({ "agents/bad.md": content, "agents/good.md": "Hi" });
  expect(Object.keys(workflow.agents)).toEqual(["good"]);
  expect(workflow.leftOut).toEqual(["bad"]);
  expect(codes(workflow, "error")).toEqual([code]);
  expect(workflow.diagnostics[0]).toMatchObject({
    path: expect.stringMatching(/agents\/bad\.md$/),
    hint: expect.any(String),
  });
});

test.each([
  [{ mode: "boss" }, "It must be subagent, primary or all."],
  [{ steps: 0 }, "It must be a positive whole number."],
  [{ tools: "Read, Grep" }, 'It must be a map from tools to true or false; prefer "permission".'],
  [
    { permission: { edit: "never" } },
    "It must be ask, allow or deny, or a map that sets one of these for each tool or for each pattern of a tool.",
  ],
])("for %j it says what OpenCode accepts", async (frontmatter, hint) => {
  const { diagnostics } = await read({ "agents/a.md": markdown(frontmatter) });
  expect(diagnostics).toMatchObject([{ code: "value-unaccepted", hint }]);
});

test("a finding says where it is", async () => {
  const { diagnostics } = await read({ "agents/a.md": "---\ndescription: Hi\nmode: boss\n---\n" });
  expect(diagnostics).toMatchObject([
    { line: 3, column: 1, message: 'OpenCode does not accept this value for "mode".' },
  ]);
});

test("keys that OpenCode would send to the provider are kept from it, with a warning", async () => {
  const workflow = await read({ "agents/a.md": markdown({ thinking: { a: 1 }, skills: ["x"], prompt: "Ha" }, "Hi") });
  expect(workflow.agents).toEqual({ a: { prompt: "Hi" } });
  expect(codes(workflow, "warning")).toEqual(["key-unknown", "key-unknown", "key-unknown"]);
  expect(codes(workflow, "error")).toEqual([]);
});

test.each<[path: string, code: string]>([
  ["agents/build.md", "name-builtin"],
  ["agents/__proto__.md", "name-unsafe"],
  ["agents/constructor.md", "name-unsafe"],
  ["agents/Loud.md", "name-unsafe"],
  ["agents/a b.md", "name-unsafe"],
  ["agents/team/.hidden/x.md", "name-unsafe"],
  ["commands/toString.md", "name-unsafe"],
  ["commands/con.md", "name-unsafe"],
])("%s does not become a key", async (path, code) => {
  const workflow = await read({ [path]: "Hi", "agents/good.md": "Hi" });
  expect(Object.keys({ ...workflow.agents, ...workflow.commands })).toEqual(["good"]);
  expect(codes(workflow)).toEqual([code]);
});

test("a file with a built-in agent's name does not replace that agent", async () => {
  expect(await read({ "agents/build.md": "Hi" })).toMatchObject({ agents: {}, leftOut: [] });
});

test("the second of two entries with the same name is left out, and the first stays", async () => {
  const workflow = await read({ "agents/a.md": "Plural", "agent/a.md": "Singular" });
  expect(workflow.agents).toEqual({ a: { prompt: "Plural" } });
  expect(workflow.leftOut).toEqual([]);
  expect(codes(workflow)).toEqual(["name-duplicate"]);
});

test("commands: OpenCode's own may be replaced, and empty or restricting ones are left out", async () => {
  const workflow = await read({
    "commands/review.md": "Look.",
    "commands/empty.md": markdown({ description: "Nothing" }, "  \n"),
    "commands/tight.md": markdown({ "allowed-tools": "Read" }, "Look."),
    "commands/typed.md": markdown({ subtask: "yes" }, "Look."),
  });
  expect(workflow.commands).toEqual({ review: { template: "Look." } });
  expect(codes(workflow, "warning")).toEqual(["name-builtin"]);
  expect(codes(workflow, "error").toSorted()).toEqual(["restriction-unknown", "template-empty", "value-unaccepted"]);
});

test("skills: nameless, unsafe, repeated and nesting ones are left out", async () => {
  const named = (name: unknown): string => markdown({ name, description: "Does it" }, "Do it.");
  const workflow = await read({
    "skills/good/SKILL.md": named("good"),
    "skills/plain/SKILL.md": "No frontmatter.",
    "skills/number/SKILL.md": named(7),
    "skills/unsafe/SKILL.md": named("../up"),
    "skills/zz-again/SKILL.md": named("good"),
    "skills/outer/SKILL.md": named("outer"),
    "skills/outer/inner/SKILL.md": named("inner"),
    "skills/broken/SKILL.md": "---\nname: [\n---\n",
  });
  expect(workflow.skills.map(({ name }) => name)).toEqual(["good", "inner"]);
  expect(codes(workflow, "error").toSorted()).toEqual(
    ["frontmatter-syntax", "name-duplicate", "name-missing", "name-missing", "name-unsafe", "skill-nested"].toSorted(),
  );
});

test("a skill without a description, or in another folder, is a warning", async () => {
  const workflow = await read({ "skills/tidy/SKILL.md": markdown({ name: "sweep" }, "Do it.") });
  expect(workflow.skills).toMatchObject([{ name: "sweep" }]);
  expect(codes(workflow, "warning").toSorted()).toEqual(["description-missing", "name-mismatch"]);
});

const local = { type: "local", command: ["npx", "server"], enabled: false } as const;

test.each<[entry: unknown, codes: string[]]>([
  [local, []],
  [{ type: "local", command: ["a"], cwd: ".", environment: { A: "b" }, timeout: 5 }, []],
  [{ type: "remote", url: "https://example.invalid/mcp", headers: { a: "b" }, oauth: false }, []],
  [{ command: "npx", args: ["server"], env: {} }, ["mcp-unaccepted"]],
  [{ type: "http", url: "https://example.invalid" }, ["mcp-unaccepted"]],
  [{ type: "local", command: "npx server" }, ["mcp-unaccepted"]],
  [{ type: "local", command: [] }, ["mcp-unaccepted"]],
  [{ type: "local" }, ["mcp-unaccepted"]],
  [{ type: "remote", url: "file:///etc/passwd" }, ["mcp-unaccepted"]],
  [{ ...local, enabled: "no" }, ["mcp-unaccepted"]],
  [{ ...local, disabled: true }, ["mcp-unaccepted"]],
  [{ type: "remote", url: "https://example.invalid", headers: { auth: "{env:TOKEN}" } }, ["mcp-unexpanded"]],
  [null, ["mcp-unaccepted"]],
])("the MCP server %j has %j", async (entry, found) => {
  const workflow = await read({ "agents/a.md": "Hi" }, { mcp: { s: entry as never } });
  expect(codes(workflow)).toEqual(found);
  expect(workflow.mcp).toEqual(found.includes("mcp-unaccepted") ? {} : { s: entry as never });
});

test("a workflow sets permissions for its own tools only", async () => {
  const permission = { review_gate: "ask", bash: "allow", "*": "allow", edit: "deny", odd: "maybe" } as never;
  const workflow = await read({ "agents/a.md": "Hi" }, { permission, mcp: { "A b": local } });
  expect(workflow.permission).toEqual({ review_gate: "ask" });
  expect(workflow.mcp).toEqual({});
  expect(codes(workflow).toSorted()).toEqual(
    ["name-unsafe", "permission-foreign", "permission-foreign", "permission-foreign", "value-unaccepted"].toSorted(),
  );
});

test.each<[string, Files]>([
  ["an empty folder", {}],
  ["a folder with other things", { "src/plugin.ts": "", "README.md": "Hi" }],
])("%s is reported, with a fix", async (_, files) => {
  expect((await read(files)).diagnostics).toMatchObject([
    { code: "workflow-empty", hint: expect.stringContaining("root") },
  ]);
});

test("a missing folder does not throw", () => {
  expect(codes(readWorkflow("/nowhere/at/all"))).toEqual(["workflow-empty"]);
});

test("a file's values never reach a prototype", async () => {
  const options =
    '---\noptions: {"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}\n---\nHi';
  const { agents } = await read({ "agents/a.md": options });
  expect(Object.keys(agents)).toEqual(["a"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
