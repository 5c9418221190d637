// The page as elements, without a browser.
import { expect, test } from "bun:test";
import { htmlOf } from "@atomic/workflows/internal/view/page-element";
import { drawPage } from "../../src/page/draw/page.ts";
import type { PageActions, PageState } from "../../src/page/draw/page-state.ts";

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
  notice: undefined,
  copied: undefined,
  isBusy: false,
  isCancelling: false,
};

const idle = () => undefined;
const noActions: PageActions = {
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
