import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { askUserNode, toolNode } from "@atomic/workflows/internal/graph/action-nodes";
import { commands } from "../src/commands.ts";
import { atomic } from "./atomic.ts";
import { begin, newGraph } from "./runs/begun.ts";
import { sampleProject } from "./sample.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const transcripts = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = ""]) => text);

const sample = () =>
  sampleProject({
    ".claude/agents/tester.md":
      "---\nname: tester\ndescription: Runs the tests\ntools: Read, Bash(npm test\n---\nYou test.\n",
  });

/** Their times, processes and the space that those take are not the same twice. */
function timeless(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \([^)]*\)/g, "TIME")
    .replace(/\b\d+(\.\d)?(ms|s)\b/g, "TOOK")
    .replace(/process \d+/g, "process N")
    .replace(/\+0:0\d/g, "+0:00")
    .replace(/ {2,}/g, "  ");
}

function typedIn(transcript: string): string[] {
  return [...transcript.matchAll(/^\$ atomic (.*)$/gm)].map(([, argv = ""]) => argv);
}

test("the README shows what atomic really says about runs", async () => {
  const [, path = "", module = ""] = /^```ts (\S+)\n(.*?)^```$/ms.exec(readme) ?? [];
  await using project = await tmpProject({ git: false, files: { [path]: module } });
  const [transcript = ""] = transcripts;
  let id = "calm-otter";
  let shown = "";
  for (const argv of typedIn(transcript)) {
    const { output } = await atomic(project, argv.replace("calm-otter", id).split(" "));
    if (id === "calm-otter") id = readdirSync(project.path(".atomic/runs")).find((name) => !name.startsWith(".")) ?? "";
    shown += `$ atomic ${argv}\n${output.replaceAll(id, "calm-otter")}\n`;
  }
  expect(timeless(transcript)).toBe(timeless(`${shown.trimEnd()}\n`));
});

test("the README shows what atomic really says about files", async () => {
  await using project = await sample();
  expect(transcripts).toHaveLength(2);
  const [, transcript = ""] = transcripts;
  const shown = [];
  for (const argv of typedIn(transcript)) {
    const { output } = await atomic(project, argv.split(" "), { columns: 120 });
    shown.push(`$ atomic ${argv}\n${output.replaceAll(project.dir, "/home/me/project")}\n`);
  }
  expect(transcript).toBe(`${shown.join("").trimEnd()}\n`);
});

test("the README names every command and option", async () => {
  for (const { name, load } of commands) {
    const { options } = await load();
    const row = readme.split("\n").find((line) => new RegExp(`^\\| \`atomic ${name}[ \`](?!import)`).test(line));
    expect(row).toBeString();
    for (const option of Object.keys(options)) expect(row).toContain(`--${option}`);
  }
});

/** The keys below these are described elsewhere, or not ours. */
const foreign = ["restrictions", "graph", "input", "permissions", "tasks", "counts", "value", "error"];

/** Every key of every object in a document. */
function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...(foreign.includes(key) ? [] : keysIn(inner))]);
}

test("the README names every key of the documents", async () => {
  const inner = ["kind", "because", "by", "over"]; // of a standing
  await using project = await sampleProject({
    ".claude/agents/tester.md": "---\ntools: 7\n---\n",
    "opencode.json": { agent: { x: { model: "y" } } },
  });
  for (const argv of [
    ["entities"],
    ["entities", "--shadowed"],
    ["which", "commit"],
    ["which", "x"],
    ["lint", "--user"],
  ]) {
    const { stdout } = await atomic(project, [...argv, "--json"]);
    const unknown = keysIn(JSON.parse(stdout)).filter((key) => !inner.includes(key) && !readme.includes(`\`${key}\``));
    expect(unknown).toEqual([]);
  }
});

test("the README names every key of the documents about runs", async () => {
  await using project = await tmpProject({
    git: false,
    files: {
      "research/tasks.json": { version: "1.0", tasks: [] },
      "prd.json": { userStories: [] },
    },
  });
  const question = { question: "Which?", header: "DB", options: [{ label: "a", description: "b" }], timeoutMs: 90_000 };
  await begin(
    project,
    newGraph()
      .start(toolNode({ run: () => 1 }))
      .then(askUserNode(question)),
    {
      workspace: { workflow: "x", host: "opencode", model: "m", script: "s", permissions: { bash: "allow" } },
      budget: { usd: 1, tokens: 1, wallMs: 9000, steps: 9 },
    },
  );
  for (const argv of [
    ["runs"],
    ["show"],
    ["approve", "calm", "a"],
    ["cancel", "calm"],
    ["prune", "--max-size", "0B"],
    ["tasks"],
    ["tasks", "import", "prd.json", "--merge"],
  ]) {
    const { stdout } = await atomic(project, [...argv, "--json"]);
    const unknown = keysIn(JSON.parse(stdout)).filter((key) => !readme.includes(`\`${key}\``));
    expect({ argv, unknown }).toEqual({ argv, unknown: [] });
  }
});
