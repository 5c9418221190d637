// A run continues, and its workflow is no longer what it was: nothing of that passes in silence.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Project } from "@atomic/testing/project";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { changeLines } from "../../src/view/workflow-change.ts";
import { atomic } from "../atomic.ts";
import { begin, newGraph, projectWith } from "./begun.ts";

const file = ".atomic/workflows/release.ts";

/** Each node says in effects.txt that it ran. `gate` fails until there is a file `go`. */
const node = (id: string, says = id): string =>
  `.then(toolNode({ id: "${id}", run: (_state, { folder }) => appendFileSync(folder + "/effects.txt", "${says}\\n") }))`;
const gate = `.then(toolNode({ id: "gate", run: (_state, { folder }) => {
    if (!existsSync(folder + "/go")) throw new Error("closed");
  } }))`;
const release = (...nodes: readonly string[]): string => `{ name: "release" }, (graph) => graph${nodes.join("\n  ")}`;
const original = release(node("build"), node("test"), gate, node("tag"), node("publish"));

function runId(project: Project): string {
  const [id = ""] = readdirSync(project.path(".atomic/runs")).filter((name) => !name.startsWith("."));
  return id;
}

/** A run that has failed at the gate, which is open now; and its workflow, which is another one. */
async function changedTo(project: Project, changed: string): Promise<string> {
  expect((await atomic(project, ["run", "release"])).code).toBe(1);
  await project.write("go", "");
  const text = await project.read(file);
  await project.write(
    file,
    text.replace(original, () => changed),
  );
  expect(await project.read(file)).not.toBe(text);
  return runId(project);
}

async function effects(project: Project): Promise<string> {
  return (await project.read("effects.txt")).trim().replaceAll("\n", " ");
}

test.each([
  [
    "an inserted node",
    release(node("build"), node("test"), node("sign"), gate, node("tag"), node("publish")),
    ["+ sign (tool), after test"],
  ],
  [
    "swapped ids",
    release(node("build"), node("test"), gate, node("publish", "tag"), node("tag", "publish")),
    ["~ publish now comes after gate"],
  ],
  [
    "a removed node and another option",
    release(node("build"), gate, node("tag").replace("run:", "timeoutMs: 5000, run:"), node("publish")),
    ["- test (tool)", "~ tag: timeoutMs"],
  ],
  [
    "another function",
    release(node("build"), node("test"), gate, node("tag", "tagged"), node("publish")),
    ["only code inside functions: the nodes and their options are the same"],
  ],
])("%s is reported, and without a terminal you choose by a flag", async (_what, changed, lines) => {
  await using project = await projectWith({ release: original });
  const id = await changedTo(project, changed);
  const { code, stdout, stderr } = await atomic(project, ["resume", id, "--retry"]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toBe(
    [
      `atomic: release has changed since ${id} was started:`,
      "  changed: release.ts",
      ...lines.map((line) => `  ${line}`),
      "To continue with the graph it began with, and the functions as they are now:",
      `  atomic resume ${id} --retry --keep-graph`,
      "To continue with the new graph, from a node on:",
      `  atomic resume ${id} --from <node>`,
      "",
    ].join("\n"),
  );
  expect(await effects(project)).toBe("build test");
  const json = await atomic(project, ["resume", id, "--retry", "--json"]);
  expect(json.code).toBe(4);
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, error: { code: "workflow-changed" } });
});

test("--keep-graph continues with the recorded graph and today's functions, and is remembered", async () => {
  await using project = await projectWith({ release: original });
  const again = release(node("build"), node("test"), node("sign"), gate, node("tag", "tagged"), node("publish"));
  const id = await changedTo(project, again);
  const refused = await atomic(project, ["resume", id, "--keep-graph"]);
  expect(refused.stderr).toEndWith(`To retry the failed step: atomic resume ${id} --retry --keep-graph\n`);
  const stopped = await atomic(project, ["resume", id, "--retry", "--keep-graph", "--max-steps", "4"]);
  expect(stopped.code).toBe(5);
  expect(stopped.stderr).toStartWith(
    `release has changed since ${id} was started; the run keeps the graph it began with:\n  changed: release.ts\n  + sign (tool), after test\n`,
  );
  // The same files are not reported again, but others are.
  expect((await atomic(project, ["resume", id, "--max-steps", "5"])).code).toBe(5);
  await project.write(file, `${await project.read(file)}// more\n`);
  expect((await atomic(project, ["resume", id, "--max-steps", "9"])).code).toBe(4);
  expect((await atomic(project, ["resume", id, "--max-steps", "9", "--keep-graph"])).code).toBe(0);
  expect(await effects(project)).toBe("build test tagged publish");
  const shown = await atomic(project, ["show", id]);
  expect(shown.stdout).toContain("the workflow has changed: continues with its functions as they are now");
});

test("--from continues with the new graph: what is new before the node runs too, and the rest is kept", async () => {
  await using project = await projectWith({ release: original });
  const again = release(node("build"), node("sign"), node("test", "tested"), gate, node("publish"));
  const id = await changedTo(project, again);
  const { code, stderr } = await atomic(project, ["resume", id, "--from", "test"]);
  expect(code).toBe(0);
  expect(stderr).toStartWith(
    [
      `release has changed since ${id} was started; the run continues with the new graph:`,
      "  changed: release.ts",
      "  + sign (tool), after build",
      "  - tag (tool)",
      "sign runs first: it is new, or its kind has changed",
      "",
    ].join("\n"),
  );
  expect(await effects(project)).toBe("build test sign tested publish");
  const shown = await atomic(project, ["show", id]);
  expect(shown.stdout).toContain("the workflow runs again from test");
  expect(shown.stdout).not.toContain("tag");
});

const choice = (yes: string, no: string): string => `.if(() => true, { id: "choice" })${yes}.else()${no}.endif()`;

test.each([
  ["nodes inside of it that have changed places", choice(node("no"), node("yes"))],
  ["a new node inside of it", choice(node("sign") + node("yes"), node("no"))],
  ["one node less inside of it", choice(node("yes"), "")],
  ["a node of another kind inside of it", choice('.wait(waitNode({ id: "yes", prompt: "?" }))', node("no"))],
])("--from does not keep a node with %s", async (_what, changed) => {
  const begun = release(choice(node("yes"), node("no")), gate);
  await using project = await projectWith({ release: begun });
  expect((await atomic(project, ["run", "release"])).code).toBe(1);
  await project.write("go", "");
  await project.write(
    file,
    (await project.read(file)).replace(begun, () => release(changed, gate)),
  );
  const id = runId(project);
  const { code, stderr } = await atomic(project, ["resume", id, "--from", "gate"]);
  expect(stderr).toBe(
    "atomic: choice has other nodes, branches or items inside than this run began with, so it cannot be kept\n" +
      `Continue from choice: atomic resume ${id} --from choice\n`,
  );
  expect(code).toBe(2);
  expect(await effects(project)).toBe("yes");
});

test("--from works on an unchanged workflow as well, and refuses nodes that it cannot start at", async () => {
  await using project = await projectWith({ release: original });
  expect((await atomic(project, ["run", "release"])).code).toBe(1);
  await project.write("go", "");
  const id = runId(project);
  const refused = await atomic(project, ["resume", id, "--from", "tset"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toBe(
    `atomic: release has no node "tset" (did you mean test?)\nIts outermost nodes are: build, test, gate, tag, publish.\n`,
  );
  expect((await atomic(project, ["resume", id, "--from", "test", "--retry"])).code).toBe(2);
  expect((await atomic(project, ["resume", id, "--from", "test"])).code).toBe(0);
  expect(await effects(project)).toBe("build test test tag publish");
});

test("a node inside of another is named as such", async () => {
  const looping = `{ name: "looping" }, (graph) => graph
  .loop(toolNode({ id: "work", run: () => null }), { id: "turns", until: () => false, maxIterations: 1, onIncomplete: "fail" })`;
  await using project = await projectWith({ looping });
  await atomic(project, ["run", "looping"]);
  const { code, stderr } = await atomic(project, ["resume", runId(project), "--from", "work"]);
  expect(code).toBe(2);
  expect(stderr).toStartWith(
    "atomic: looping can only be restarted at one of its outermost nodes, and work is inside of one\n",
  );
});

test.each([
  ["keep", 0, "build test tagged publish"],
  ["test", 0, "build test sign test tagged publish"],
  ["stop", 4, "build test"],
])("at a terminal you are asked, and can say %s", async (word, expected, did) => {
  await using project = await projectWith({ release: original });
  const again = release(node("build"), node("sign"), node("test"), gate, node("tag", "tagged"), node("publish"));
  const id = await changedTo(project, again);
  const options = { columns: 100, typed: ["tset", word] };
  const { code, stderr } = await atomic(project, ["resume", id, "--retry"], options);
  expect(code).toBe(expected);
  expect(stderr).toContain("  + sign (tool), after build\n");
  expect(stderr).toContain("  Type keep, stop or the name of a node (did you mean test?).\n");
  expect(await effects(project)).toBe(did);
});

const unchanged = { added: [], removed: [], moved: [], changed: [], declared: [] };

test("what the workflow imports or reads belongs to it", async () => {
  await using project = await projectWith({ release: original });
  await project.write(".atomic/workflows/lib/say.ts", "export const said = 1;\n");
  await project.write(file, `import "./lib/say.ts";\n${await project.read(file)}`);
  expect((await atomic(project, ["run", "release"])).code).toBe(1);
  await project.write(".atomic/workflows/lib/say.ts", "export const said = 2;\n");
  const { code, stderr } = await atomic(project, ["resume", runId(project), "--retry"]);
  expect(code).toBe(4);
  expect(stderr).toContain("  changed: lib/say.ts\n  only code inside functions");
  expect(changeLines({ files: ["a.md", "b.json"], graph: unchanged })).toEqual([
    "changed: a.md, b.json",
    "only what it reads: the nodes and their options are the same",
  ]);
});

test("a run of an older version, without hashes, continues and says what has changed", async () => {
  const changed = release(node("build"), node("sign"), `.wait(waitNode({ id: "ok", prompt: "Ok?" }))`, node("tag"));
  await using project = await projectWith({ release: changed });
  const build = toolNode({ id: "build", run: () => null });
  const began = newGraph()
    .start(build)
    .wait(waitNode({ id: "ok", prompt: "Ok?" }))
    .then(toolNode({ id: "tag", run: () => null }));
  const workspace = { workflow: "release", host: "scripted", permissions: {} };
  await begin(project, began, { workspace });
  expect((await atomic(project, ["approve", "calm-otter"])).code).toBe(0);
  const { code, stderr } = await atomic(project, ["resume", "calm-otter"]);
  expect(stderr).toStartWith(
    "release has changed since calm-otter was started; the run keeps the graph it began with:\n  + sign (tool), after build\n",
  );
  expect(code).toBe(0);
  expect(await effects(project)).toBe("tag");
});

const wait = (id: string): string => `waitNode({ id: "${id}", prompt: "Ok?" })`;
const mapOver = (items: string): string => `.then(mapNode({ id: "m", as: "n", over: ${items}, nodes: ${wait("ok")} }))`;
const parallel = (more: string): string =>
  `.parallel({ id: "m", branches: { a: ${wait("a")}, b: ${wait("b")}${more} } })`;

test.each([
  ["a map with more items", mapOver("[1, 2]"), mapOver("[1, 2, 3]")],
  ["a map with other items", mapOver("[1, 2]"), mapOver("[1, 3]")],
  ["a map whose items a function made", mapOver("() => [1, 2]"), mapOver("[1, 3]")],
  ["a map whose items a function makes now", mapOver("[1, 2]"), mapOver("() => [1, 3]")],
  ["a parallel node with other branches", parallel(""), parallel(`, c: ${wait("c")}`)],
])("--from a node behind %s is refused, and nothing is recorded", async (_what, was, is) => {
  const before = release(was, node("tag"));
  await using project = await projectWith({ release: before });
  expect((await atomic(project, ["run", "release", "--no-wait"])).code).toBe(4);
  const text = await project.read(file);
  const after = release(is, node("tag"));
  await project.write(
    file,
    text.replace(before, () => after),
  );
  const id = runId(project);
  const { code, stderr } = await atomic(project, ["resume", id, "--from", "tag"]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `atomic: m has other nodes, branches or items inside than this run began with, so it cannot be kept\nContinue from m: atomic resume ${id} --from m\n`,
  });
  expect((await atomic(project, ["show", id])).stdout).not.toContain("runs again from");
  expect((await atomic(project, ["resume", id, "--from", "m", "--no-wait"])).code).toBe(4);
});
