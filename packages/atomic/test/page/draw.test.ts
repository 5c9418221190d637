// The page as elements, without a browser.
import { expect, test } from "bun:test";
import type { JournalEntry } from "@atomic/workflows/internal/run/events";
import { htmlOf } from "@atomic/workflows/internal/view/page-element";
import { drawPage } from "../../src/page/draw/page.ts";
import type { PageActions, PageState } from "../../src/page/draw/page-state.ts";
import { RunModel } from "../../src/page/draw/run-model.ts";
import { nowOf } from "../../src/page/run-feed.ts";

const empty: PageState = {
  project: "boat",
  now: 0,
  connection: "live",
  route: { run: undefined, tab: "graph", node: undefined },
  runs: [],
  isListed: false,
  outage: undefined,
  run: undefined,
  problem: undefined,
  detail: undefined,
  toggled: new Map(),
  whole: new Set(),
  filter: "",
  isOnlyProblems: false,
  range: { from: 0, to: 60 },
  newBrowsers: 0,
  notice: undefined,
  copied: undefined,
  isBusy: false,
  isCancelling: false,
};

const idle = () => undefined;
const noActions: PageActions = {
  typed: () => ({ value: undefined, oninput: idle }),
  answer: () => idle,
  cancel: idle,
  askCancel: () => idle,
  resume: idle,
  raise: idle,
  toggle: () => idle,
  showWhole: () => idle,
  filter: idle,
  onlyProblems: idle,
  copy: () => idle,
  dismiss: idle,
  dismissBrowsers: idle,
};

test.each([
  ["runs that have not been read yet", {}, "Loading…", "There are no runs yet."],
  ["a project without runs", { isListed: true }, "There are no runs yet.", "Loading…"],
  [
    "a run that cannot be shown",
    { isListed: true, problem: "It is damaged" },
    "It is damaged",
    "There are no runs yet.",
  ],
] as const)("%s: the page does not claim anything else", (_, state, shown, hidden) => {
  const html = htmlOf(drawPage({ ...empty, ...state }, noActions));
  expect(html).toContain(shown);
  expect(html).not.toContain(hidden);
});

test("a run whose journal cannot be read has no age", () => {
  const line = {
    runId: "calm-otter",
    name: undefined,
    about: "",
    questions: 0,
    updatedAt: 0,
    spent: { usd: 0, tokens: 0 },
  };
  const runs = [{ ...line, status: "damaged", createdAt: 0 }] as const;
  expect(htmlOf(drawPage({ ...empty, now: 90_000_000, runs }, noActions))).not.toContain(" ago");
});

test.each([
  ["stopped by its budget can only be resumed with a higher one", { steps: 0 }, ["Set and resume"]],
  ["that no process works on can be resumed, and its budget can be set", { steps: 1 }, ["Resume", "Set"]],
])("a run %s", (_, budget, expected) => {
  const model = new RunModel("calm-otter");
  const exceeded = { limit: "steps", allowed: 0, used: 0 };
  const entries = [
    {
      n: 1,
      event: {
        type: "run-created",
        version: 1,
        runId: "calm-otter",
        interpreter: "1",
        graph: { nodes: [] },
        input: null,
        at: 1,
      },
    },
    { n: 2, event: { type: "budget-exceeded", exceeded, at: 2 } },
    { n: 3, event: { type: "budget-set", budget, inbox: 1, at: 3 } },
  ] as unknown as readonly JournalEntry[];
  for (const entry of entries) model.take(entry);
  model.now = nowOf(model.view!.state, 3);
  const route = { ...empty.route, run: "calm-otter" };
  const html = htmlOf(drawPage({ ...empty, isListed: true, route, run: model }, noActions));
  const buttons = [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(([, text]) => text ?? "");
  expect(buttons.filter((text) => /^(?:Resume|Set)/.test(text))).toEqual(expected);
});

test("records that arrive twice count once", () => {
  const model = new RunModel("calm-otter");
  const usage = { inputTokens: 100, outputTokens: 20, usd: 0.5 };
  const entries = [
    {
      n: 1,
      event: { type: "run-created", version: 1, runId: "calm-otter", interpreter: "1", graph: {}, input: null, at: 1 },
    },
    { n: 2, event: { type: "step-started", key: "read", attempt: 1, at: 2 } },
    { n: 3, event: { type: "usage", key: "read", attempt: 1, usage, at: 3 } },
  ] as unknown as readonly JournalEntry[];
  for (const entry of [...entries, ...entries]) model.take(entry);
  expect(model.view?.state.spent.usd).toBe(0.5);
  expect(model.costs).toHaveLength(1);
});
