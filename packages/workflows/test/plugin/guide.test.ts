// The guide's workflow is written down as it stands there, and taken to the real OpenCode.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { debugAll, opencodeServe, type Resolved } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { parseDocument } from "../examples-document.ts";
import { linkPackages, repository } from "./workflow-folder.ts";

setDefaultTimeout(180_000);

const guide = parseDocument(readFileSync(join(repository, "docs/guide/write-a-workflow.md"), "utf8"));
const files = Object.fromEntries(guide.blocks.filter(({ rest }) => rest !== "").map(({ rest, text }) => [rest, text]));
const stack = new AsyncDisposableStack();
let model: ModelServer;
let project: Project;
let resolved: Resolved;

beforeAll(async () => {
  model = stack.use(await modelServer());
  project = stack.use(await tmpProject({ files }));
  linkPackages(project, "review");
  resolved = await debugAll(project, { model });
});
afterAll(() => stack.disposeAsync());

test("the guide's files give the agent, the command and the skill, with the user's color", () => {
  const { agent, command } = resolved.config;
  expect(agent?.reviewer).toMatchObject({
    color: "info",
    mode: "primary",
    prompt: expect.stringMatching(/^You review/),
  });
  expect(command?.check).toMatchObject({ agent: "reviewer", template: "Review $1. Look at its tests first." });
  expect(resolved.skills.map(({ name }) => name)).toContain("risk-list");
});

test("the agent may write reports and nothing else", () => {
  const { permission } = resolved.agents.find(({ name }) => name === "reviewer") ?? {};
  const edits = permission
    ?.filter((rule) => rule.permission === "edit")
    .map(({ pattern, action }) => [pattern, action]);
  expect(edits).toEqual([
    ["*", "deny"],
    ["reports/**", "allow"],
  ]);
});

test("the plugin's source type-checks", async () => {
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    noEmit: true,
    strict: true,
    types: [],
    skipLibCheck: false,
  };
  await project.write("review/tsconfig.json", { compilerOptions, include: ["src"] });
  const { stdout } = await project.run([join(repository, "node_modules/.bin/tsc"), "-p", "review"]);
  expect(stdout).toBe("");
});

test("the log line is the one that the guide shows", async () => {
  const [shown] = guide.blocks.filter(({ language, rest }) => language === "" && rest === "");
  const agent = files["review/agents/reviewer.md"] ?? "";
  await using other = await tmpProject({
    files: { ...files, "review/agents/reviewer.md": agent.replace("mode: primary", "mode: boss") },
  });
  linkPackages(other, "review");
  await using server = await opencodeServe(other, { model });
  await server.client.app.agents({}, { throwOnError: true });
  expect(await server.logWith("workflow review")).toContain(`message="${shown?.text.trim()}"`);
});

test("the guide has a row for every key that an agent may have", () => {
  const keys = guide.text.split("| key of an agent |")[1]?.split("\n\n")[0] ?? "";
  const named = Array.from(keys.matchAll(/^\| (.*?) \|/gm), ([, cell = ""]) => cell.match(/[a-z_]+/g) ?? []).flat();
  const source = readFileSync(join(repository, "packages/workflows/src/plugin/entry-file.ts"), "utf8");
  const passed = /const agentKeys = \[(.*)\]/.exec(source)?.[1]?.match(/\w+/g) ?? [];
  expect(named.toSorted()).toEqual([...passed, "steps", "permission", "tools", "options"].toSorted());
});
