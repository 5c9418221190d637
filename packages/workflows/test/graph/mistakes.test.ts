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
  parallelNode, run, skillNode, type StateOf, subgraphNode, sum, taskLoopNode, toolNode, waitNode,
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
// Nothing has to be given: text is enough for the first, and the second has defaults for everything.
const release = defineGraph({ name: "release", arguments: { version: { type: "rest" }, dry: { type: "boolean" } } }, (own) => own);
const small = defineGraph(
  { name: "small", arguments: { n: { type: "number", default: 1, required: true } }, state: { verdict: last<"pass" | "fail">("fail") } },
  (own) => own,
);
interface Finding { file: string; line?: number; notes?: { text?: string }[] }
const Report = z.object({ ok: z.boolean(), lines: z.array(z.number()) });
const state = {
  ok: last(false), n: sum(), news: append<string>(), db: last<"SQLite" | "Postgres">("SQLite"),
  found: append<Finding>(),
  report: last<{ readonly ok: boolean; readonly lines: readonly number[] } | null>(null),
};
type State = StateOf<typeof state>;
const start = () => graph({ name: "release", arguments: { version: { type: "rest", required: true } }, state });
const count = () => start().then(toolNode({ id: "count", run: () => 3 }));
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
  "the host of a run": `run(small, { host: «"cloude"|"claude"» });`,
  "a run's final state": `run(review, { host: "claude", input: { files: "src" } }).then(({ state }) => state.«verdct|verdict»);`,
  "a skill without its name": `start().then(skillNode({ «|skill: "commit"» }));`,
  "a question without text": `start().then(waitNode({ «|prompt: "Go?"» }));`,
  "a loop without an end": `start().then(loopNode(toolNode({ run: () => 1 }), { «|until: () => true» }));`,
  "a map without its nodes": `start().then(mapNode({ over: [1], as: "one"«|, nodes: toolNode({ run: () => 1 })» }));`,
  "retries without a number": `start().then(agentNode({ prompt: "x", retry: { «backoffMs: 5|maxAttempts: 2» } }));`,
  "zod: an output that does not fit": `start().then(agentNode({ prompt: "x", schema: Report, into: «"news"|"report"» }));`,
  "valibot: an output that does not fit": `start().then(agentNode({ prompt: "x", schema: v.object({ ok: v.boolean(), lines: v.array(«v.string()|v.number()») }), into: "report" }));`,
  "arktype: an output that does not fit": `start().then(agentNode({ prompt: "x", schema: type("«boolean|string»"), into: "news" }));`,
  "an invalid schema": `start().then(agentNode({ prompt: "x", schema: «{ ok: Boolean }|Report» }));`,
  "a key of a schema's value": `start().then(agentNode({ prompt: "x", schema: Report, output: ({ «okay|ok» }) => ({ ok: «okay|ok» }) }));`,
  "an update of the wrong type": `start().then(agentNode({ prompt: "x", output: (text) => ({ n: «text|text.length» }) }));`,
  "an update of an unknown key": `start().then(agentNode({ prompt: "x", output: (text) => ({ «newz|news»: [text] }) }));`,
  "a condition that is a number": `start().if(({ n }) => «n|n > 0»).then(toolNode({ run: () => 1 })).endif();`,
  "criteria that are text": `start().then(loopNode(toolNode({ run: () => 1 }), { until: ({ news }) => «news.join()|news.includes("done")» }));`,
  "a task loop's criteria that are a number": `start().then(taskLoopNode({ taskNodes: toolNode({ run: () => 1 }), until: (_state, tasks) => «tasks.length|tasks.length > 2» }));`,
  "a route's condition": `start().then(decisionNode({ routes: [{ when: ({ db }) => «db|db === "SQLite"», nodes: toolNode({ run: () => 1 }) }] }));`,
  "a node by its name": `start().then(«"write"|toolNode({ id: "write", run: () => 1 })»);`,
  "a route to a node by its name": `start().then(decisionNode({ routes: [{ when: () => true, nodes: «"write"|toolNode({ run: () => 1 })» }] }));`,
  "a tool's output that is a date": `start().then(toolNode({ run: ({ n }) => «new Date(n)|new Date(n).toISOString()» }));`,
  "a tool's output that is a map": `start().then(toolNode({ run: async () => «new Map([["a", 1]])|[["a", 1]]» }));`,
  "a tool's output that is a bigint": `start().then(toolNode({ run: () => «3n|3» }));`,
  "a tool's output with a function inside": `start().then(toolNode({ id: "x", run: () => [{ again: «() => 1|1» }] }));`,
  "an agent without anything to do": `start().then(agentNode({ «id: "x"|id: "x", prompt: "y"» }));`,
  "a prompt that is a number": `start().then(agentNode({ prompt: ({ n }) => «n|String(n)» }));`,
  "a subgraph's input without a required key": `start().then(subgraphNode({ graph: review, input: () => ({ «file|files»: "src" }) }));`,
  "a subgraph's input of the wrong type": `start().then(subgraphNode({ graph: review, input: () => ({ files: "src", depth: «"2"|2» }) }));`,
  "a subgraph's initial state of the wrong type": `start().then(subgraphNode({ graph: review, input: () => ({ files: "src", verdict: «"maybe"|"pass"» }) }));`,
  "a subgraph's input with a misspelled key": `start().then(subgraphNode({ graph: review, input: ({ n }) => ({ files: "src", «dpth|depth»: n }) }));`,
  "a subgraph's input that is text": `start().then(subgraphNode({ graph: review, input: async () => «"src"|({ files: "src" })» }));`,
  "a subgraph that needs more than the input around it": `start().then(subgraphNode({ graph: review«|, input: ({ input }) => ({ ...input, files: "src" })» }));`,
  "a subgraph that needs more than any input": `graph({ name: "x"«|, arguments: { files: { type: "string", default: "." } }» }).then(subgraphNode({ graph: review }));`,
  "a run's input that is missing": `run(review, { host: "claude"«|, input: { files: "src" }» });`,
  "a run's input without a required key": `run(review, { host: "claude", input: { «file|files»: "src" } });`,
  "a run's input of the wrong type": `run(review, { host: "claude", input: { files: "src", depth: «"2"|2» } });`,
  "a run's input with a misspelled key": `run(review, { host: "claude", input: { files: "src", «dpth|depth»: 2 } });`,
  "a run's input that is text, without an argument for it": `run(«review|release», { host: "claude", input: "src" });`,
  "a run's initial state of the wrong type": `run(review, { host: "claude", input: { files: "src", verdict: «"maybe"|"pass"» } });`,
  "a builder's input": `run(start().then(agentNode({ prompt: "x" })), { host: "claude", input: { version: «1|"1"» } });`,
  "a subgraph's state into a boolean": `start().then(subgraphNode({ graph: small«, into: "ok"|» }));`,
  "a key of a subgraph's state": `start().then(subgraphNode({ graph: review, input: () => ({ files: "src" }), output: ({ «verdct|verdict» }) => ({ ok: «verdct|verdict» === "pass" }) }));`,
  "a permission": `start().then(agentNode({ prompt: "x", permissions: { bash: «"alow"|"allow"» } }));`,
  "a strategy": `start().parallel({ strategy: «"fastest"|"race"», branches: [toolNode({ run: () => 1 })] });`,
  "an item's key": `start().then(mapNode({ over: ({ news }) => news, as: "one", nodes: (each) => each.then(agentNode({ prompt: ({ «on|one» }) => «on|one» })) }));`,
  "an item's type": `start().then(mapNode({ over: [1, 2], as: "one", nodes: (each) => each.then(agentNode({ prompt: ({ one }) => one.«trim()|toFixed()» })) }));`,
  "the state beside an item": `start().then(mapNode({ over: [1], as: "one", nodes: (each) => each.if(({ «newz|news» }) => «newz|news».length > 0).then(toolNode({ run: () => 1 })).endif() }));`,
  "an item in a map inside a map": `start().then(mapNode({ over: [["a"]], as: "row", nodes: (each) => each.then(mapNode({ over: ({ row }) => row, as: "cell", nodes: (inner) => inner.then(agentNode({ prompt: ({ row, cell }) => row.join() + «cel|cell» })) })) }));`,
  "a list that is not a list": `start().then(mapNode({ over: «({ n }) => n|({ news }) => news», as: "one", nodes: toolNode({ run: () => 1 }) }));`,
  "a map's key of `into`": `start().then(mapNode({ over: [1], as: "one", nodes: toolNode({ run: () => "x" }), into: «"newz"|"news"» }));`,
  "a merge of items that does not fit": `start().then(mapNode({ over: ["a"], as: "one", nodes: toolNode({ run: () => 1 }), merge: (items) => ({ n: «items.map(({ item }) => item)|items.length» }) }));`,
  "a tool's number, by a function of the state, into a boolean": `start().then(toolNode({ run: ({ n }) => n + 1, into: «"ok"|"n"» }));`,
  "a tool's number into a boolean of a named state": `start().then(toolNode<State>({ run: () => 3, into: «"ok"|"n"» }));`,
  "the same of a function with a named state": `start().then(toolNode({ run: ({ n }: State) => n, into: «"ok"|"n"» }));`,
  "a key of a named state": `start().then(toolNode<State>({ run: () => 3, into: «"m"|"n"» }));`,
  "the items' numbers into a list of text": `start().then(mapNode({ over: [1], as: "one", nodes: (each) => each.then(toolNode({ run: ({ one }) => one })), into: «"news"|"n"» }));`,
  "an item's text into a number": `start().then(mapNode({ over: [1], as: "one", nodes: agentNode({ prompt: "x" }), into: «"n"|"news"» }));`,
  "an output's id": `count().then(agentNode({ prompt: ({ outputs }) => String(outputs.«cuont|count») }));`,
  "an output's type": `count().then(agentNode({ prompt: ({ outputs }) => outputs.count«.trim()|.toFixed()» }));`,
  "an output that comes later": `count().then(agentNode({ prompt: ({ outputs }) => «outputs.later|"x"» })).then(agentNode({ id: "later", prompt: "x" }));`,
  "a key of a schema's output": `start().then(agentNode({ id: "look", prompt: "x", schema: Report })).then(toolNode({ run: ({ outputs }) => outputs.look.«okay|ok» }));`,
  "an output in a condition": `count().if(({ outputs }) => outputs.«cuont|count» > 2).then(toolNode({ run: () => 1 })).endif();`,
  "an output that may be missing after an if": `count().if(() => true).then(agentNode({ id: "write", prompt: "x" })).endif().then(agentNode({ prompt: ({ outputs }) => outputs.write«|?».trim() ?? "" }));`,
  "an output of the other branch of an if": `count().if(() => true).then(agentNode({ id: "write", prompt: "x" })).else().then(agentNode({ prompt: ({ outputs }) => outputs.write«|?».trim() ?? "" })).endif();`,
  "an output that a failure may leave out": `count().catch(toolNode({ run: () => 1 })).then(agentNode({ prompt: ({ outputs }) => outputs.count«|?».toFixed() ?? "" }));`,
  "an output in a loop's condition": `count().loop(toolNode({ id: "check", run: () => 1 }), { until: ({ outputs }) => outputs.«chek|check» > 1 });`,
  "an output of a list in a loop's condition": `count().loop([toolNode({ id: "check", run: () => 1 }), agentNode({ id: "fix", prompt: "x" })], { until: ({ outputs }) => outputs.check > 1 && outputs.fix«.ok|.trim()» === "" });`,
  "a branch's output": `count().then(parallelNode({ branches: { a: agentNode({ id: "one", prompt: "x" }), b: toolNode({ id: "two", run: () => 2 }) } })).then(agentNode({ prompt: ({ outputs }) => outputs.one.trim() + outputs.two«.trim()|.toFixed()» }));`,
  "an output of a race": `count().parallel({ strategy: "race", branches: [agentNode({ id: "one", prompt: "x" }), toolNode({ id: "two", run: () => 2 })] }).then(agentNode({ prompt: ({ outputs }) => outputs.one«|?».trim() ?? "" }));`,
  "an output of a decision's route": `count().then(decisionNode({ routes: [{ when: () => true, nodes: agentNode({ id: "one", prompt: "x" }) }] })).then(agentNode({ prompt: ({ outputs }) => outputs.one«|?».trim() ?? "" }));`,
  "an answer": `start().then(askUserNode({ id: "which", question: "?", options: [{ label: "SQLite" }] })).if(({ outputs }) => outputs.which === «"MySQL"|"SQLite"»).then(toolNode({ run: () => 1 })).endif();`,
  "a subgraph's final state, by its id": `start().then(subgraphNode({ id: "sub", graph: small })).then(agentNode({ prompt: ({ outputs }) => outputs.sub.«verdct|verdict» }));`,
  "a map's outputs, by its id": `start().then(mapNode({ id: "all", over: [1], as: "one", nodes: (each) => each.then(toolNode({ run: ({ one }) => one })) })).then(agentNode({ prompt: ({ outputs }) => outputs.all.map((each) => each«.trim()|.toFixed()»).join() }));`,
  "an item's object with optional keys": `start().then(mapNode({ id: "all", over: [1], as: "one", nodes: (each) => each.then(toolNode({ run: (): Finding => ({ file: "a" }) })), into: «"news"|"found"» }));`,
  "an optional key of an item's output": `start().then(mapNode({ id: "all", over: [1], as: "one", nodes: toolNode({ run: (): Finding => ({ file: "a" }) }), into: "found" })).then(toolNode({ run: ({ outputs }) => outputs.all.map(({ line }) => line«|?».toFixed() ?? "") }));`,
  "an output inside a map": `count().then(mapNode({ over: [1], as: "one", nodes: (each) => each.then(toolNode({ id: "half", run: ({ one }) => one / 2 })).then(agentNode({ prompt: ({ outputs }) => outputs.half.toFixed() + outputs.«cuont|count» })) }));`,
  "an output of a run": `run(review, { host: "claude", input: { files: "src" } }).then(({ outputs }) => outputs.«lok|look»);`,
  "the state of a workflow that is known by its name": `start().then(subgraphNode({ graph: "ralph", output: ({ n }) => ({ n: «n|Number(n)» }) }));`,
  "the output of a tool that is known by its name": `start().then(toolNode({ tool: "lint", output: (found) => ({ n: «found.length|Number(found)» }) }));`,
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
  expect(wrong.at.size).toBeGreaterThanOrEqual(99);
  // A page of types helps nobody.
  expect(errors.filter((error) => error.length > 1200)).toEqual([]);
});
