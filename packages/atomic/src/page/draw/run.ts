// One run: how it is doing, what went wrong, what it asks, what you can do, and its three pictures.
import { formatDuration } from "@atomic/terminal/count";
import { shareOf, tokens } from "@atomic/workflows/internal/view/page-amounts";
import { type Content, element } from "@atomic/workflows/internal/view/page-element";
import { formatAgo, formatSpent, formatTime, formatUsd, shorten } from "../../report/format.ts";
import { setupOf } from "../../runs/run-setup.ts";
import { describeStatus, hasEnded } from "../../view/run-status.ts";
import type { RunView } from "../../view/run-view.ts";
import { drawGraph } from "./graph.ts";
import type { RunNow } from "./messages.ts";
import type { PageActions, PageState } from "./page-state.ts";
import { drawQuestions } from "./questions.ts";
import { drawLog, drawTimeline, pathOf, shownLines, shownRows } from "./rows.ts";
import { problemsOf, type RunModel } from "./run-model.ts";
import { addressOf, counted, joined, type Route, runTone, type Tab } from "./words.ts";

export function drawRun(model: RunModel, state: PageState, act: PageActions): Content {
  const { view, now } = model;
  if (view === undefined || now === undefined) return element("p", { class: "soft loading" }, "Loading…");
  // What was typed for one run must not stay in the fields of another.
  return element(
    "div",
    { key: `${model.runId} ${view.state.createdAt}` },
    drawHead(view, state.now, drawActions(view, now, state, act)),
    drawBudgetForm(view, state, act),
    drawProblems(model, view, state.route),
    drawQuestions(now.questions, act, state.isBusy),
    drawTabs(model, state, act),
  );
}

/** What it is, how it is doing, and what it has used. @param actions What can be done with it; in a file, nothing. */
export function drawHead({ state }: RunView, now: number, actions?: Content): Content {
  const { runId, name, status, createdAt, updatedAt, spent, input } = state;
  const setup = setupOf(state.workspace);
  const took = (hasEnded(status) ? updatedAt : now) - createdAt;
  const started = formatTime(createdAt);
  const facts: readonly (readonly [string, string])[] = [
    ["Started", actions === undefined ? started : `${formatAgo(now - createdAt)} (${started.slice(5, 16)})`],
    ["Took", `${formatDuration(took)}, ${formatDuration(spent.wallMs)} of work`],
    ["Spent", joined(counted(spent.steps, "step"), formatSpent(spent))],
    ["Agents", setup === undefined ? "" : joined(setup.host, setup.model)],
    ["Input", input === null || input === "" ? "" : shorten(JSON.stringify(input))],
  ];
  return element(
    "header",
    { class: "run-head" },
    element("h1", {}, name ?? "run", " ", element("span", { class: "soft" }, runId)),
    // Why it failed is below.
    element(
      "p",
      { class: `status ${runTone(status.kind)}` },
      status.kind === "failed" ? "failed" : describeStatus(status),
    ),
    actions,
    element(
      "dl",
      {},
      facts.flatMap(([title, text]) =>
        text === "" ? [] : element("div", {}, element("dt", {}, title), element("dd", { class: "number" }, text)),
      ),
    ),
  );
}

/** How much of each limit is used. */
export function drawBudget({ budget, spent }: RunView["state"]): Content {
  const limits = [
    [budget.usd, spent.usd, formatUsd(spent.usd), formatUsd],
    [budget.tokens, spent.tokens, tokens(spent.tokens), (most: number) => `${tokens(most)} tokens`],
    [budget.wallMs, spent.wallMs, formatDuration(spent.wallMs), (most: number) => `${formatDuration(most)} of work`],
    [budget.steps, spent.steps, spent.steps.toLocaleString("en-US"), (most: number) => counted(most, "step")],
  ] as const;
  return limits.flatMap(([most, used, usedText, write]) => {
    if (most === undefined) return [];
    const text = `${usedText} of ${write(most)}`;
    const share = Math.round(100 * shareOf(used, most));
    return element(
      "span",
      { class: "limit number" },
      text,
      element("meter", { min: 0, max: 100, value: share, high: 90, "aria-label": `Budget: ${text}` }),
    );
  });
}

function drawActions({ state: { status } }: RunView, now: RunNow, state: PageState, act: PageActions): Content {
  const { isBusy, isCancelling } = state;
  const isOver = hasEnded(status) || status.kind === "damaged";
  const button = (text: string, onclick: PageActions["cancel"], look = ""): Content =>
    element("button", { type: "button", class: look, "aria-disabled": isBusy && "true", onclick }, text);
  const retry = status.kind === "failed" ? "Retry what failed" : "Resume";
  return element(
    "div",
    { class: "buttons actions" },
    // With the same budget it would stop again at once; the form below raises it and resumes.
    now.canResume && status.kind !== "stopped" && button(retry, act.resume, "main"),
    !isOver && status.kind !== "cancelling" && !isCancelling && button("Cancel the run…", act.askCancel(true)),
    isCancelling &&
      !isOver && [
        element("span", {}, "End this run for good?"),
        button("Yes, cancel it", act.cancel, "danger"),
        button("No", act.askCancel(false)),
      ],
    !now.canResume &&
      now.next !== undefined &&
      element("span", { class: "soft" }, "In a terminal: ", element("code", {}, now.next)),
  );
}

function drawBudgetForm({ state: run }: RunView, { isBusy }: PageState, act: PageActions): Content {
  const { status, budget } = run;
  if (hasEnded(status) || status.kind === "damaged") return undefined;
  // A browser's own number field drops a comma without a word, so 7,5 would become 75.
  const field = (name: string, label: string, value: number | undefined, mode = "decimal"): Content =>
    element(
      "label",
      { class: "field" },
      element("span", {}, label),
      element("input", { name, inputmode: mode, autocomplete: "off", placeholder: value ?? "no limit" }),
    );
  const isLimited = Object.values(budget).some((limit) => limit !== undefined);
  return element(
    "details",
    { class: "raise", open: status.kind === "stopped" },
    element("summary", {}, "Budget ", isLimited ? drawBudget(run) : "no limit"),
    element(
      "form",
      { onsubmit: act.raise },
      field("usd", "Dollars", budget.usd),
      field("tokens", "Tokens", budget.tokens, "numeric"),
      field("minutes", "Minutes of work", budget.wallMs === undefined ? undefined : budget.wallMs / 60_000),
      field("steps", "Steps", budget.steps, "numeric"),
      element(
        "button",
        { type: "submit", "aria-disabled": isBusy && "true" },
        status.kind === "stopped" ? "Set and resume" : "Set",
      ),
    ),
  );
}

/** More of them are folded: what the run asks must not be far below. */
const fewProblems = 3;
const mostProblems = 20;

/** Errors come first. */
export function drawProblems(model: RunModel, { state: { status } }: RunView, route: Route | undefined): Content {
  const problems = problemsOf(model.rows);
  const reason = status.kind === "failed" ? status.error : undefined;
  if (problems.length === 0 && reason === undefined) return undefined;
  const isShown = problems.some(({ key, error }) => key === reason?.key && error === reason?.message);
  const items = problems
    .slice(0, mostProblems)
    .map(({ key, error = "", hint }) =>
      element(
        "li",
        { class: "bad" },
        route === undefined
          ? element("b", {}, key)
          : element("a", { href: addressOf({ ...route, node: pathOf(key) }) }, key),
        element("p", { class: "text" }, error.trim()),
        hint !== undefined && element("p", { class: "text soft" }, hint),
      ),
    );
  const left = problems.length - mostProblems;
  return element(
    "section",
    { class: "problems", "aria-labelledby": "problems" },
    element("h2", { id: "problems" }, "What went wrong"),
    element(
      "ul",
      { class: "notes" },
      reason !== undefined &&
        !isShown &&
        element("li", { class: "bad" }, element("p", { class: "text" }, reason.message.trim())),
      items.slice(0, fewProblems),
    ),
    items.length > fewProblems &&
      element(
        "details",
        {},
        element("summary", {}, counted(problems.length - fewProblems, "more problem")),
        element("ul", { class: "notes" }, items.slice(fewProblems)),
        left > 0 && element("p", { class: "soft" }, `${left.toLocaleString("en-US")} more are in the timeline.`),
      ),
  );
}

const tabs: readonly (readonly [Tab, string])[] = [
  ["graph", "Graph"],
  ["timeline", "Timeline"],
  ["log", "Log"],
];

function drawTabs(model: RunModel, state: PageState, act: PageActions): Content {
  const { route, now, range, toggled, whole, filter, isOnlyProblems } = state;
  const { view } = model;
  if (view === undefined) return undefined;
  const links = tabs.map(([tab, title]) =>
    element("a", { href: addressOf({ ...route, tab }), "aria-current": tab === route.tab && "page" }, title),
  );
  const picture = { now, range, route };
  const search = [
    element("input", {
      type: "search",
      "aria-label": "Filter by name or text",
      placeholder: "Filter",
      value: filter,
      oninput: act.filter,
    }),
    element(
      "label",
      {},
      element("input", { type: "checkbox", checked: isOnlyProblems, onchange: act.onlyProblems }),
      " Only problems",
    ),
  ];
  return [
    element("nav", { class: "tabs", "aria-label": "Views of the run" }, links),
    route.tab !== "graph" && element("div", { class: "search", role: "search" }, search),
    element(
      "div",
      { class: `view ${route.tab}`, key: route.tab },
      route.tab === "graph" && drawGraph(model.tree, { now, toggled, whole, view, route, act }),
      route.tab === "timeline" && drawTimeline(model, shownRows(model, state), picture),
      route.tab === "log" && drawLog(model, shownLines(model, state), picture),
    ),
  ];
}
