// What the compiler finds in a workflow file. Each line has a mistake and its correction: `«wrong|right»`.
import { expect, setDefaultTimeout, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

setDefaultTimeout(180_000);

const own = join(import.meta.dirname, "../..");
const repository = join(own, "../..");

const preamble = `
import {
  agentNode, append, askUserNode, commandNode, criteriaLoopNode, decisionNode, defineGraph, graph, last, loopNode, mapNode,
  run, skillNode, subgraphNode, sum, taskLoopNode, toolNode, waitNode,
} from "@atomic/workflows";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";

declare module "@atomic/workflows/entity-names" {
  interface KnownEntities {
    readonly agent: "debugger";
    readonly skill: "commit";
    readonly command: "review";
    readonly workflow: "ralph";
  }
}

const review = defineGraph(
  {
    name: "review",
    arguments: { files: { type: "string", required: true }, depth: { type: "number" } },
    state: { verdict: last<"pass" | "fail">("fail"), notes: append<string>() },
  },
  (own) => own.then(agentNode({ id: "look", prompt: ({ input }) => \`Look at \${input.files}.\`, into: "notes" })),
);
const Report = z.object({ ok: z.boolean(), lines: z.array(z.number()) });
const start = () =>
  graph({
    name: "release",
    arguments: { version: { type: "rest", required: true } },
    state: {
      ok: last(false), n: sum(), news: append<string>(), db: last<"SQLite" | "Postgres">("SQLite"),
      report: last<{ readonly ok: boolean; readonly lines: readonly number[] } | null>(null),
    },
  });
`;

const lines: Readonly<Record<string, string>> = {
  "an agent's name": `start().then(agentNode({ agent: «"debuger"|"debugger"» }));`,
  "a skill's name": `start().then(skillNode({ skill: «"comit"|"commit"» }));`,
  "a command's name": `start().then(commandNode({ command: «"reviw"|"review"» }));`,
  "a workflow's name": `start().then(subgraphNode({ graph: «"ralf"|"ralph"» }));`,
  "a state key that is read": `start().then(agentNode({ prompt: ({ «newz|news» }) => \`Write about \${«newz|news»}.\` }));`,
  "a state key in a condition": `start().if(({ «okay|ok» }) => «okay|ok»).then(toolNode({ run: () => 1 })).endif();`,
  "an argument": `start().then(agentNode({ prompt: ({ input }) => input.«versoin|version» }));`,
  "a key of `into`": `start().then(agentNode({ prompt: "x", into: «"newz"|"news"» }));`,
  "an agent's text into a boolean": `start().then(agentNode({ prompt: "x", into: «"ok"|"news"» }));`,
  "a skill's text into a number": `start().then(skillNode({ skill: "commit", into: «"n"|"news"» }));`,
  "a tool's number into a boolean": `start().then(toolNode({ run: () => 3, into: «"ok"|"n"» }));`,
  "a tool's promise into a list of text": `start().then(toolNode({ run: async () => 3, into: «"news"|"n"» }));`,
  "a yes or no into a list of text": `start().then(waitNode({ prompt: "Go?", into: «"news"|"ok"» }));`,
  "a person's text into a boolean": `start().then(askUserNode({ question: "Which?", into: «"ok"|"news"» }));`,
  "an option that the state does not know": `start().then(askUserNode({ question: "?", options: [{ label: «"MySQL"|"Postgres"» }], into: "db" }));`,
  "several options into one": `start().then(askUserNode({ question: "?", options: [{ label: "SQLite" }], multiple: «true|false», into: "db" }));`,
  "a fallback that is not yes or no": `start().then(waitNode({ prompt: "Go?", timeoutMs: 9, fallback: «"later"|false» }));`,
  "a fallback that is not an option": `start().then(askUserNode({ question: "?", options: [{ label: "SQLite" }], fallback: «"MySQL"|"SQLite"» }));`,
  "a host's name": `start().then(agentNode({ host: «"opencod"|"opencode"», prompt: "x" }));`,
  "the host of a run": `run(review, { host: «"cloude"|"claude"» });`,
  "a run's final state": `run(review, { host: "claude" }).then(({ state }) => state.«verdct|verdict»);`,
  "a skill without its name": `start().then(skillNode({ «|skill: "commit"» }));`,
  "a question without text": `start().then(waitNode({ «|prompt: "Go?"» }));`,
  "a loop without an end": `start().then(loopNode(toolNode({ run: () => 1 }), { «|until: () => true» }));`,
  "a map without its nodes": `start().then(mapNode({ over: [1], as: "one"«|, nodes: toolNode({ run: () => 1 })» }));`,
  "retries without a number": `start().then(agentNode({ prompt: "x", retry: { «backoffMs: 5|maxAttempts: 2» } }));`,
  "zod: an output that does not fit": `start().then(agentNode({ prompt: "x", schema: Report, into: «"news"|"report"» }));`,
  "valibot: an output that does not fit": `start().then(agentNode({ prompt: "x", schema: v.object({ ok: v.boolean(), lines: v.array(«v.string()|v.number()») }), into: "report" }));`,
  "arktype: an output that does not fit": `start().then(agentNode({ prompt: "x", schema: type("«boolean|string»"), into: "news" }));`,
  "a schema that is none": `start().then(agentNode({ prompt: "x", schema: «{ ok: Boolean }|Report» }));`,
  "a key of a schema's value": `start().then(agentNode({ prompt: "x", schema: Report, output: ({ «okay|ok» }) => ({ ok: «okay|ok» }) }));`,
  "an update of the wrong type": `start().then(agentNode({ prompt: "x", output: (text) => ({ n: «text|text.length» }) }));`,
  "an update of an unknown key": `start().then(agentNode({ prompt: "x", output: (text) => ({ «newz|news»: [text] }) }));`,
  "a condition that is a number": `start().if(({ n }) => «n|n > 0»).then(toolNode({ run: () => 1 })).endif();`,
  "criteria that are text": `start().then(loopNode(toolNode({ run: () => 1 }), { until: ({ news }) => «news.join()|news.includes("done")» }));`,
  "a task loop's criteria that are a number": `start().then(taskLoopNode({ taskNodes: toolNode({ run: () => 1 }), until: (_state, tasks) => «tasks.length|tasks.length > 2» }));`,
  "a route's condition": `start().then(decisionNode({ routes: [{ when: ({ db }) => «db|db === "SQLite"», nodes: toolNode({ run: () => 1 }) }] }));`,
  "a node by its name": `start().then(«"write"|toolNode({ id: "write", run: () => 1 })»);`,
  "a route to a node by its name": `start().then(decisionNode({ routes: [{ when: () => true, nodes: «"write"|toolNode({ run: () => 1 })» }] }));`,
  "a subgraph's input without a required key": `start().then(subgraphNode({ graph: review, input: () => ({ «file|files»: "src" }) }));`,
  "a subgraph's input of the wrong type": `start().then(subgraphNode({ graph: review, input: () => ({ files: "src", depth: «"2"|2» }) }));`,
  "a subgraph's initial state of the wrong type": `start().then(subgraphNode({ graph: review, input: () => ({ files: "src", verdict: «"maybe" as const|"pass" as const» }) }));`,
  "a subgraph's state into a boolean": `start().then(subgraphNode({ graph: review«, into: "ok"|» }));`,
  "a key of a subgraph's state": `start().then(subgraphNode({ graph: review, output: ({ «verdct|verdict» }) => ({ ok: «verdct|verdict» === "pass" }) }));`,
  "a permission": `start().then(agentNode({ prompt: "x", permissions: { bash: «"alow"|"allow"» } }));`,
  "a strategy": `start().parallel({ strategy: «"fastest"|"race"», branches: [toolNode({ run: () => 1 })] });`,
  "an item's key": `start().then(mapNode({ over: ({ news }) => news, as: "one", nodes: (each) => each.then(agentNode({ prompt: ({ «on|one» }) => «on|one» })) }));`,
  "an item's type": `start().then(mapNode({ over: [1, 2], as: "one", nodes: (each) => each.then(agentNode({ prompt: ({ one }) => one.«trim()|toFixed()» })) }));`,
  "the state beside an item": `start().then(mapNode({ over: [1], as: "one", nodes: (each) => each.if(({ «newz|news» }) => «newz|news».length > 0).then(toolNode({ run: () => 1 })).endif() }));`,
  "an item in a map inside a map": `start().then(mapNode({ over: [["a"]], as: "row", nodes: (each) => each.then(mapNode({ over: ({ row }) => row, as: "cell", nodes: (inner) => inner.then(agentNode({ prompt: ({ row, cell }) => row.join() + «cel|cell» })) })) }));`,
  "a list that is none": `start().then(mapNode({ over: «({ n }) => n|({ news }) => news», as: "one", nodes: toolNode({ run: () => 1 }) }));`,
  "a map's key of `into`": `start().then(mapNode({ over: [1], as: "one", nodes: toolNode({ run: () => "x" }), into: «"newz"|"news"» }));`,
  "a merge of items that does not fit": `start().then(mapNode({ over: ["a"], as: "one", nodes: toolNode({ run: () => 1 }), merge: (items) => ({ n: «items.map(({ item }) => item)|items.length» }) }));`,
  "a signal of the wrong type": `start().then(criteriaLoopNode({ taskNodes: agentNode({ prompt: "x" }), completionSignal: «/done/|"DONE"» }));`,
};

/** The file, and the line of each mistake. */
function fileOf(side: "wrong" | "right"): { readonly text: string; readonly at: ReadonlyMap<number, string> } {
  let text = `${preamble.trim()}\n`;
  const at = new Map<number, string>();
  for (const [what, line] of Object.entries(lines)) {
    at.set(text.split("\n").length, what);
    text += `${line.replace(/«([^|»]*)\|([^»]*)»/g, side === "wrong" ? "$1" : "$2")}\n`;
  }
  return { text, at };
}

test("each planted mistake is a type error on its line, in few words; the corrected file has none", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "node_modules/@atomic"), { recursive: true });
  symlinkSync(own, join(folder.path, "node_modules/@atomic/workflows"));
  for (const name of ["zod", "valibot", "arktype", "@ark", "arkregex", "@types"]) {
    symlinkSync(join(repository, "node_modules", name), join(folder.path, "node_modules", name));
  }
  const [wrong, right] = [fileOf("wrong"), fileOf("right")];
  await Bun.write(join(folder.path, "package.json"), '{ "type": "module" }');
  await Bun.write(join(folder.path, "wrong.ts"), wrong.text);
  await Bun.write(join(folder.path, "right.ts"), right.text);
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2022", types: ["node"] };
  await Bun.write(
    join(folder.path, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["wrong.ts", "right.ts"] }),
  );
  expect(Bun.spawnSync([join(repository, "node_modules/.bin/tsc"), "-b", own]).stdout.toString()).toBe("");
  const tsc = Bun.spawnSync([join(repository, "node_modules/.bin/tsc"), "-p", folder.path, "--pretty", "false"]);
  const errors = tsc.stdout
    .toString()
    .trimEnd()
    .split(/\n(?=\S)/);
  const found = errors.map((error) => {
    const [, file, line] = /^.*?(\w+)\.ts\((\d+),/.exec(error) ?? [];
    return `${file}: ${wrong.at.get(Number(line)) ?? error}`;
  });
  expect([...new Set(found)].sort()).toEqual([...wrong.at.values()].map((what) => `wrong: ${what}`).sort());
  expect(wrong.at.size).toBeGreaterThanOrEqual(45);
  // A page of types helps nobody.
  expect(errors.filter((error) => error.length > 1200)).toEqual([]);
});
