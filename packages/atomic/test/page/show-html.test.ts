// `atomic show --html`: a run as one file, drawn by the code of the live page.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { agentNode, toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { mapNode } from "@atomic/workflows/internal/graph/map-node";
import { lastNotes, thinEntry } from "../../src/page/thin.ts";
import { atomic } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";

/** What is between the tags, and how many of each tag there are. */
function read(html: string): { readonly text: string; readonly count: (tag: string) => number } {
  const body = html.slice(html.indexOf("<body>"));
  return {
    text: body.replace(/<[^>]*>/g, " ").replace(/\s+/g, " "),
    count: (tag) => body.split(`<${tag}`).length - 1,
  };
}

test("the page shows every iteration and item, what agents said, the cost and the question, without a script", async () => {
  await using project = await tmpProject({ git: false });
  const graph = newGraph()
    .loop(agentNode({ id: "row", prompt: "Row." }), { id: "trip", until: ({ iteration }) => iteration === 3 })
    .then(
      mapNode({
        id: "each",
        over: () => ["tide", "wind"],
        as: "item",
        // biome-ignore lint/suspicious/noExplicitAny: whatever state the graph has
        nodes: (item: any) => item.then(toolNode({ id: "look", run: (state: any) => `seen ${state.item}` })),
      }),
    )
    .wait(waitNode({ id: "land", prompt: "Land <here>?" }));
  await begin(project, graph);
  const { code, stdout } = await atomic(project, ["show", "calm-otter", "--html"]);
  expect(code).toBe(0);
  const { text, count } = read(stdout);
  for (const part of ["iteration 1", "iteration 2", "iteration 3", "tide", "wind", "reply to Row.", "seen tide"]) {
    expect(text).toContain(part);
  }
  expect(text).toContain("Land &lt;here&gt;?");
  expect(text).toContain("$0.06");
  expect(stdout).toContain('<svg class="chart"');
  for (const tag of ["script", "form", "button", 'a href="http', "link", "img"])
    expect(`${tag} ${count(tag)}`).toBe(`${tag} 0`);
  expect(stdout).not.toMatch(/NaN|undefined|\[object/);
});

test.each([["--follow"], ["--all"], ["--json"]])("--html is for the whole run: %s is refused", async (flag) => {
  await using project = await tmpProject({ git: false });
  await begin(project, newGraph().start(waitNode({ id: "land", prompt: "Land?" })));
  const { code, stdout, stderr } = await atomic(project, ["show", "calm-otter", "--html", flag]);
  expect(code).toBe(2);
  expect(stdout + stderr).toContain(`'--html' cannot be combined with '${flag}'`);
});

test("records go to the page without large results, and notes without long texts", () => {
  const finished = (value: string) =>
    ({ n: 7, event: { type: "step-finished", key: "a", attempt: 1, result: { value }, ms: 1, at: 1 } }) as const;
  expect(thinEntry(finished("yes"))).toEqual(finished("yes"));
  expect(thinEntry(finished("x".repeat(5000))).event).toMatchObject({ result: { value: null } });
  const note = (key: string, text: string) =>
    ({ type: "step-note", key, note: { type: "text", text }, at: 1 }) as const;
  const last = lastNotes([note("a", "first"), note("b", `${"x".repeat(1000)}end`), note("a", "second")]);
  expect(last.map(({ key, note: said }) => [key, (said as { text: string }).text.slice(-6)])).toEqual([
    ["a", "second"],
    ["b", "xxxend"],
  ]);
  expect(JSON.stringify(last).length).toBeLessThan(600);
});
