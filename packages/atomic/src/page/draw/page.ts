// The whole page: the list of runs, the run that is chosen, and the node that is chosen in it. Pure: from what is known to elements.
import { type Content, element } from "@atomic/workflows/internal/view/page-element";
import { formatAgo, formatTokens, formatUsd } from "../../report/format.ts";
import { statusWord } from "../../view/run-status.ts";
import { type RunLine, waitingRuns } from "./messages.ts";
import { drawNodePanel } from "./node.ts";
import type { PageActions, PageState } from "./page-state.ts";
import { drawRun } from "./run.ts";
import { addressOf, counted, joined, type Route, runTone } from "./words.ts";

export function drawPage(state: PageState, act: PageActions): Content {
  const { route, runs, run, problem, detail } = state;
  // A phone shows the list or the run or the node: whichever has something to say.
  const part = problem === undefined ? shownPart(route) : "run";
  return element(
    "div",
    { class: `page shows-${part} ${runs.length === 0 ? "empty" : ""}` },
    drawTop(state),
    drawNotices(state, act),
    element(
      "div",
      { class: "columns" },
      drawRuns(state),
      element("main", { id: "main", tabindex: -1 }, drawMain(state, act)),
      run !== undefined &&
        problem === undefined &&
        route.node !== undefined &&
        drawNodePanel(route.node, run.find(route.node), detail, { ...state, act }),
    ),
  );
}

/** What concerns everything on the page. On a phone, too, it is above whatever is shown. */
function drawNotices({ problem, notice, outage, connection, newBrowsers }: PageState, act: PageActions): Content {
  const passing = (tone: string, text: string, dismiss: PageActions["dismiss"]): Content =>
    element(
      "div",
      { class: `notice ${tone}` },
      element("p", { class: "text" }, text),
      element("button", { type: "button", class: "quiet", onclick: dismiss, "aria-label": "Dismiss" }, "✕"),
    );
  return element(
    "div",
    { role: "status", class: "notices" },
    connection === "gone" && element("p", { class: "notice bad" }, goneText),
    outage !== undefined && outage !== problem && element("p", { class: "notice bad" }, outage),
    newBrowsers > 0 && passing("warn", strangerText, act.dismissBrowsers),
    notice !== undefined && passing(notice.isProblem ? "bad" : "good", notice.text, act.dismiss),
  );
}

const strangerText =
  "Another browser has used a link to this page and can answer, too. If it is not yours, stop atomic ui with Ctrl-C.";

/** After a restart, it has another address, which only its terminal shows. */
const goneText =
  "The server does not answer. If you have stopped atomic ui, start it again and open the link that it prints.";

/** Which part a phone shows; a wider screen has room for those before it, too. */
export function shownPart({ run, node }: Route): "list" | "run" | "node" {
  return node !== undefined ? "node" : run !== undefined ? "run" : "list";
}

function drawMain(state: PageState, act: PageActions): Content {
  const { run, runs, isListed, problem } = state;
  if (problem !== undefined) return element("p", { class: "notice bad", role: "alert" }, problem);
  if (run !== undefined) return drawRun(run, state, act);
  const text = runs.length > 0 ? "Choose a run." : isListed ? "There are no runs yet." : "Loading…";
  return element("p", { class: "soft loading" }, text);
}

function drawTop({ project, connection, route }: PageState): Content {
  const words = { loading: "connecting…", live: "live", lost: "connection lost, trying again…" } as const;
  const shown = connection === "gone" ? "lost" : connection;
  return element(
    "header",
    { class: "top" },
    element("a", { class: "skip", href: addressOf(route), onclick: skipToMain }, "Skip to the run"),
    element(
      "a",
      { class: "home", href: "#/" },
      element("b", {}, "atomic"),
      element("span", { class: "soft" }, ` ${project}`),
    ),
    element("span", { class: `connection ${shown}`, role: "status" }, words[shown]),
  );
}

/** `#main` would be an address of the page's own. */
function skipToMain(event: {
  preventDefault(): void;
  view: { document: { getElementById(id: string): { focus(): void } | null } };
}): void {
  event.preventDefault();
  event.view.document.getElementById("main")?.focus();
}

/** Those that wait for you first, then those under way, then the others, each with the newest first. */
function inOrder(runs: readonly RunLine[]): readonly RunLine[] {
  const rank = ({ status, questions }: RunLine): number => {
    if (questions > 0) return 0;
    return ["done", "failed", "cancelled", "damaged"].includes(status) ? 2 : 1;
  };
  return runs.toSorted((one, other) => rank(one) - rank(other) || other.createdAt - one.createdAt);
}

function drawRuns({ runs, isListed, route, now }: PageState): Content {
  const waiting = waitingRuns(runs);
  return element(
    "nav",
    { class: "runs", "aria-label": "Runs" },
    element(
      "p",
      { class: "soft" },
      joined(isListed && counted(runs.length, "run"), waiting > 0 && `${waiting} waiting for you`),
    ),
    element(
      "ul",
      {},
      inOrder(runs).map((each) => drawLine(each, route, now)),
    ),
  );
}

function drawLine(line: RunLine, route: Route, now: number): Content {
  const { runId, name, status, about, questions, createdAt, spent } = line;
  const isHere = route.run === runId;
  const tone = questions > 0 ? "warn" : runTone(status);
  return element(
    "li",
    { key: runId },
    element(
      "a",
      { href: addressOf({ run: runId, tab: "graph", node: undefined }), "aria-current": isHere && "page" },
      element("span", { class: "name" }, element("b", {}, name ?? "run"), element("span", { class: "soft" }, runId)),
      element(
        "span",
        { class: "name" },
        element("span", { class: `pill ${tone}` }, questions > 0 ? "needs you" : statusWord({ kind: status })),
        element("span", { class: "soft number" }, joined(createdAt > 0 && formatAgo(now - createdAt), costOf(spent))),
      ),
      about !== "" && element("span", { class: "about soft" }, about),
    ),
  );
}

/** What says the most in the least room. */
function costOf({ usd, tokens }: RunLine["spent"]): string {
  if (usd > 0) return formatUsd(usd);
  return tokens > 0 ? formatTokens(tokens) : "";
}
