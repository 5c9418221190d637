import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type FileContent, tmpProject } from "@atomic/testing/project";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { testCommand } from "../../src/evidence/test-command.ts";
import { configureAgents, skillTexts } from "../../src/plugin/setup/configure-agents.ts";
import { detectWorkflowType } from "../../src/run/detect.ts";
import { roles } from "../../src/run/phase-name.ts";
import { type ChosenStack, chooseStack } from "../../src/stacks/choose-stack.ts";
import { readStack } from "../../src/stacks/stack.ts";
import { packageDir } from "../content/published-files.ts";
import { packageStack } from "./package-stack.ts";

const names = readdirSync(join(packageDir, "stacks"));

/** What is chosen in a project with these files. */
async function chosenIn(files: Record<string, FileContent>, setting?: string): Promise<ChosenStack & { dir: string }> {
  await using project = await tmpProject({ git: false, files });
  const places = { directory: project.path(files["web/package.json"] ? "web" : "."), worktree: project.dir };
  const folders = { projectFolder: project.path(".opencode"), userFolder: project.path("home") };
  return { ...chooseStack(setting, { ...places, ...folders }), dir: project.dir };
}

/** What `atomic setup` writes where there is no package.json. */
const fromSetup = {
  private: true,
  devDependencies: { "@atomic/cli": "^0.1.0", "@atomic/workflows": "^0.1.0", "@types/node": "^20.19.0" },
};

describe("the stack of a project", () => {
  test.each<[string, Record<string, FileContent>]>([
    ["sveltekit-convex", { "package.json": { devDependencies: { "@sveltejs/kit": "2" } } }],
    ["sveltekit-convex", { "package.json": { dependencies: { convex: "1" } } }],
    ["sveltekit-convex", { "package.json": {}, "svelte.config.js": "" }],
    ["node", { "package.json": { dependencies: { react: "19" } } }],
    ["python", { "pyproject.toml": "" }],
    ["python", { "requirements.txt": "flask" }],
    ["python", { "manage.py": "", "package.json": {} }],
    ["node", { "requirements.txt": "mkdocs", "package.json": {} }],
    ["go", { "go.mod": "module x", "package.json": {} }],
    ["generic", { "Cargo.toml": "" }],
    ["generic", {}],
    ["generic", { "Cargo.toml": "", "package.json": fromSetup }],
    ["python", { "requirements.txt": "flask", "package.json": fromSetup }],
    ["node", { "package.json": { ...fromSetup, scripts: { test: "node --test" } } }],
    ["node", { "package.json": "null" }],
    ["node", { "go.mod": "module x", "web/package.json": {} }],
  ])("is %s, from its files %o", async (name, files) => {
    expect((await chosenIn(files)).stack.name).toBe(name);
  });

  test("says why, and which others fit as well", async () => {
    expect(await chosenIn({ "go.mod": "", "package.json": {} })).toMatchObject({
      why: "because of go.mod",
      others: ["node"],
    });
    expect(await chosenIn({})).toMatchObject({ why: "because no other stack was recognized", others: [] });
  });

  test("is what the settings say; an unknown one is reported, and it is detected", async () => {
    expect(await chosenIn({ "go.mod": "" }, "python")).toMatchObject({
      stack: { name: "python" },
      why: 'set by "stack" in the settings',
    });
    const { stack, problems } = await chosenIn({ "go.mod": "" }, "pyhton");
    expect([stack.name, problems]).toEqual(["go", ['There is no stack "pyhton" (did you mean python?).']]);
  });
});

describe("a new stack is a folder", () => {
  const head = "---\ntitle: Elixir\ndetect: [mix.exs]\ntests:\n  mix.exs: mix test\nwords:\n  api: genserver\n";
  const files = {
    "mix.exs": "",
    ".opencode/magnus-opus/stacks/elixir/stack.md": `${head}test-files: ["checks/*.exs"]\nskills:\n  backend: [otp]\n---\n\nThis is Elixir.\n`,
    ".opencode/magnus-opus/stacks/elixir/agents/backend.md":
      "---\ndescription: Builds processes\n---\n\nLet it crash.\n",
    ".opencode/magnus-opus/stacks/elixir/skills/otp/SKILL.md": "---\nname: otp\ndescription: x\n---\n\nSupervise.\n",
  };

  test("in the project: its prompts, skills, words, test command and test files count", async () => {
    await using project = await tmpProject({ git: false, files });
    const folders = { projectFolder: project.path(".opencode"), userFolder: project.path("home") };
    const { stack, problems } = chooseStack(undefined, { directory: project.dir, worktree: project.dir, ...folders });
    expect([stack.name, problems]).toEqual(["elixir", []]);
    const skills = skillTexts([join(stack.folder, "skills")]);
    const { agents } = configureAgents(
      readWorkflow(packageDir).agents,
      {},
      new Map([...packageSkills, ...skills]),
      stack,
    );
    expect(agents.backend).toMatchObject({ description: "Builds processes" });
    expect(agents.backend?.prompt).toContain("## In this project: Elixir\n\nThis is Elixir.\n\nLet it crash.");
    expect(agents.backend?.prompt).toEndWith('<skill name="otp">\nSupervise.\n</skill>');
    expect(testCommand(project.dir, undefined, stack)).toMatchObject({ argv: ["mix", "test"], setBy: "stack" });
    expect(detectWorkflowType("a genserver for carts", stack.words).type).toBe("API_FOCUSED");
    expect(detectWorkflowType("a genserver for carts").type).toBe("MIXED");
    expect(stack.testFiles).toEqual(["checks/*.exs"]);
  });

  test("in your home folder, and it replaces one of the package of the same name", async () => {
    const mine = "---\ntitle: My Go\ndetect: [go.mod]\n---\n\nOurs.\n";
    const { stack } = await chosenIn({ "go.mod": "", "home/magnus-opus/stacks/go/stack.md": mine });
    expect([stack.title, stack.text]).toEqual(["My Go", "Ours."]);
  });

  test.each([
    ["no stack.md", undefined, /elixir has no stack\.md, so it is not a stack\.$/],
    [
      "an unknown setting",
      `${head}tets: x\n---\n`,
      /stack\.md: "tets" is not a setting of a stack \(did you mean tests\?\)\.$/,
    ],
    ["a wrong value", "---\ntitle: 3\n---\n", /stack\.md: title: /],
    ["broken YAML", "---\ntitle: [\n---\n", /stack\.md cannot be read: /],
  ])("with %s it is reported, and the others still work", async (_, text, problem) => {
    const folder = ".opencode/magnus-opus/stacks/elixir";
    const { stack, problems } = await chosenIn({
      "go.mod": "",
      [`${folder}/${text === undefined ? "x" : "stack"}.md`]: text ?? "",
    });
    expect([stack.name, problems.length]).toEqual(["go", 1]);
    expect(problems[0]).toMatch(problem);
  });
});

const packageSkills = skillTexts([join(packageDir, "skills")]);

describe("agents on every stack", () => {
  const { agents } = readWorkflow(packageDir);

  test.each(names)("%s: every agent keeps its job, and learns only about this stack", (name) => {
    const stack = packageStack(name);
    const { agents: made, problems } = configureAgents(agents, {}, packageSkills, stack);
    expect(problems).toEqual([]);
    for (const role of roles) {
      const { prompt = "", description = "" } = made[role]!;
      expect(prompt).toStartWith(agents[role]!.prompt!.slice(0, 200));
      if (role !== "cleaner") expect(prompt).toContain(`## In this project: ${stack.title}`);
      const others = /svelte|convex|tailwind|shadcn|\brunes?\b/i.exec(prompt + description);
      if (name !== "sveltekit-convex") expect([role, others?.[0]]).toEqual([role, undefined]);
    }
    if (name === "sveltekit-convex") expect(made.developer?.prompt).toContain('<skill name="sveltekit">');
  });

  test("the tester may run the stack's tests, and what is forbidden stays forbidden", () => {
    const { agents: made } = configureAgents(agents, {}, packageSkills, packageStack("python"));
    const bash = Object.entries(made.tester?.permission?.bash as object);
    expect(bash.slice(0, 2)).toEqual([
      ["*", "deny"],
      ["pytest *", "allow"],
    ]);
    expect(bash.slice(-3).map(([, action]) => action)).toEqual(["deny", "deny", "deny"]);
    expect(made.backend?.permission?.bash).toMatchObject({ "uv publish*": "ask", "*magnus-opus*": "deny" });
    expect(Object.keys(made.reviewer?.permission?.bash as object)).not.toContain("pytest *");
  });
});

test.each<[string, Record<string, FileContent>, string[] | undefined]>([
  ["python", { "pyproject.toml": "[tool.pytest]" }, ["python3", "-m", "pytest"]],
  ["python", { "pyproject.toml": "", "uv.lock": "" }, ["uv", "run", "pytest"]],
  ["python", { "manage.py": "" }, ["python3", "manage.py", "test"]],
  ["python", { "manage.py": "", "pytest.ini": "" }, ["python3", "-m", "pytest"]],
  ["go", { "go.mod": "" }, ["go", "test", "-json", "./..."]],
  ["generic", { "Cargo.toml": "" }, ["cargo", "test"]],
  ["generic", { "Shop.sln": "" }, ["dotnet", "test"]],
  ["generic", { Makefile: "test:\n\ttrue\n" }, ["make", "test"]],
  ["generic", { Makefile: "all:\n" }, undefined],
  ["sveltekit-convex", { "package.json": { scripts: { test: "vitest run" } } }, ["npm", "test"]],
])("%s with %o is tested by %o", async (name, files, argv) => {
  await using project = await tmpProject({ git: false, files });
  const command = testCommand(project.dir, undefined, packageStack(name));
  expect(command).toMatchObject(
    argv === undefined ? { unknown: expect.stringContaining(`"tests"`) } : { argv, setBy: "stack" },
  );
});

test("descriptions are understood in the words of their stack", () => {
  const typeOn = (stack: string, text: string) => detectWorkflowType(text, packageStack(stack).words).type;
  expect(typeOn("python", "a --json flag for the export command")).toBe("API_FOCUSED");
  expect(typeOn("python", "a streamlit dashboard")).toBe("UI_FOCUSED");
  expect(typeOn("go", "a gRPC interceptor with a context timeout")).toBe("API_FOCUSED");
  expect(typeOn("node", "an express middleware that limits uploads")).toBe("API_FOCUSED");
});

test("every stack of the package is readable, and none is chosen by chance", () => {
  for (const name of names) expect(readStack(join(packageDir, "stacks", name))).toMatchObject({ stack: { name } });
  expect(new Set(names.map((name) => packageStack(name).priority)).size).toBe(names.length);
});
