// The page in the browser: hears what the server says, draws it, and sends what the user decides.
import type { Content } from "@atomic/workflows/internal/view/page-element";
import { type NodeDetail, type PageMessage, type RunLine, type WaitingCount, waitingRuns } from "../draw/messages.ts";
import { drawPage, shownPart } from "../draw/page.ts";
import { drawRows, shownLines, shownRows } from "../draw/rows.ts";
import { RunModel } from "../draw/run-model.ts";
import { addressOf, routeOf } from "../draw/words.ts";
import { actionsOf, type MutableState } from "./actions.ts";
import { patch } from "./patch.ts";

const root = document.getElementById("page")!;
const runs = new Map<string, RunLine>();
const state: MutableState = {
  project: document.body.dataset.project ?? "",
  now: Date.now(),
  connection: "loading",
  route: routeOf(location.hash),
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

let isPlanned = false;

/** At most once for each frame of the screen. */
function draw(): void {
  if (isPlanned) return;
  isPlanned = true;
  requestAnimationFrame(() => {
    isPlanned = false;
    state.now = Date.now();
    redraw(root, drawPage(state, act));
    if (updateRange()) redraw(root, drawPage(state, act));
    document.title = titleOf(waitingRuns(state.runs));
  });
}

function redraw(parent: Element, content: Content): void {
  const focused = document.activeElement;
  patch(parent, content);
  if (focused !== null && !focused.isConnected) keepFocus();
}

let lastNode: string | undefined;

/** What had the focus is gone: a question was answered, or a node closed. A keyboard continues nearby, not at the top of the page. */
function keepFocus(): void {
  const links = [...document.querySelectorAll<HTMLElement>("main a.title")];
  const nearby =
    state.route.node === undefined && lastNode !== undefined
      ? links.find((link) => link.getAttribute("href") === addressOf({ ...state.route, node: lastNode }))
      : undefined;
  (nearby ?? document.getElementById("main"))?.focus({ preventScroll: true });
}

const act = actionsOf(state, draw);

function titleOf(waiting: number): string {
  const { run } = state.route;
  return `${waiting > 0 ? `(${waiting}) ` : ""}${run === undefined ? "" : `${run} · `}${state.project} · atomic`;
}

/** More rows than the screen has, so that a quick finger does not see the end of them. */
const spare = 15;

/** Which rows of the long list are on the screen. Returns whether others were drawn. */
function updateRange(): boolean {
  const list = document.getElementById("rows");
  const { tab } = state.route;
  if (list === null || state.run === undefined || tab === "graph") return false;
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const height = rem * Number.parseFloat(getComputedStyle(list).getPropertyValue("--row"));
  const total = tab === "log" ? shownLines(state.run, state).length : shownRows(state.run, state).length;
  const top = -list.getBoundingClientRect().top;
  const from = Math.max(0, Math.min(total, Math.floor(top / height) - spare));
  const to = Math.min(total, Math.ceil((top + innerHeight) / height) + spare);
  // As long as what is on the screen is drawn, nothing has to be.
  const first = Math.max(0, Math.floor(top / height));
  const last = Math.min(total, Math.ceil((top + innerHeight) / height));
  const { range } = state;
  if (range.from <= first && range.to >= last && range.to - range.from < 4 * (to - from + spare)) return false;
  state.range = { from, to };
  return true;
}

addEventListener(
  "scroll",
  () => {
    // At most once for each frame, too.
    if (updateRange()) redraw(document.getElementById("rows")!, drawRows(state.run!, state));
  },
  { passive: true },
);
addEventListener("resize", draw);

let source: EventSource | undefined;
let heardAt = Date.now();
/** The server says something every 20 seconds. After a tunnel broke or a computer slept, a dead connection may look open. */
const longestSilenceMs = 50_000;

/** Hears of all runs, and of everything in the chosen one. */
function connect(): void {
  source?.close();
  if (document.hidden) return;
  const { run } = state.route;
  const current = new EventSource(run === undefined ? "events" : `events?run=${encodeURIComponent(run)}`);
  source = current;
  heardAt = Date.now();
  current.onopen = () => {
    if (state.connection === "lost" || state.connection === "gone") void loadDetail();
    state.connection = "live";
    draw();
  };
  current.onerror = () => {
    state.connection = state.connection === "lost" || state.connection === "gone" ? "gone" : "lost";
    draw();
    // Browsers do not try again if the server has refused them.
    if (source !== current) return;
    current.close();
    setTimeout(() => source === current && connect(), 1000);
  };
  current.onmessage = ({ data }) => {
    heardAt = Date.now();
    take(JSON.parse(String(data)) as PageMessage);
    draw();
  };
}

/** How many browsers the server has let in, this one among them. */
let browsers: number | undefined;

/** A run that arrives in parts. It is shown when it is complete, so what is on the screen stays there until then. */
let arriving: RunModel | undefined;

function take(message: PageMessage): void {
  switch (message.type) {
    case "runs":
      if (message.isAll) runs.clear();
      for (const each of message.runs) runs.set(each.runId, each);
      for (const each of message.removed) runs.delete(each);
      state.runs = [...runs.values()];
      state.isListed ||= message.isAll === true;
      break;
    case "outage":
      state.outage = message.message;
      break;
    case "browsers":
      state.newBrowsers += message.count - (browsers ?? message.count);
      browsers = message.count;
      break;
    case "entries": {
      const { run } = state.route;
      if (message.entries[0]?.n === 1 && run !== undefined) arriving = new RunModel(run);
      const model = arriving ?? state.run;
      if (model === undefined) break;
      for (const entry of message.entries) model.take(entry);
      if (message.now === undefined) break;
      model.now = message.now;
      model.version += 1;
      arriving = undefined;
      Object.assign(state, { run: model, problem: undefined });
      if (message.entries.length > 0) void loadDetail();
      break;
    }
    case "notes":
      for (const note of message.notes) state.run?.note(note);
      if (message.notes.some(({ key }) => key.replace(/:session$/, "") === state.route.node)) void loadDetail();
      break;
    case "beat":
      break;
    case "problem":
      state.problem = message.message;
      state.detail = undefined;
      state.run = new RunModel(state.route.run ?? "");
      break;
  }
}

let loading: { readonly wanted: string } | undefined;
let isOutdated = false;
/** A chatty agent says something new all the time, and everything that it said is loaded again. */
const reloadMs = { least: 500, most: 5000, perByte: 0.002 };

/** What is recorded about the chosen node. What changes meanwhile is loaded afterwards. */
async function loadDetail(): Promise<void> {
  const { run, node } = state.route;
  if (run === undefined || node === undefined) return;
  const wanted = `runs/${encodeURIComponent(run)}/node?path=${encodeURIComponent(node)}`;
  if (loading?.wanted === wanted) {
    isOutdated = true;
    return;
  }
  const own = { wanted };
  loading = own;
  isOutdated = false;
  const began = performance.now();
  // Without a connection there is no detail; the page says that it is lost, and asks again when it is back.
  const response = await fetch(wanted).catch(withoutConnection);
  const text = response?.ok ? await response.text() : undefined;
  if (loading !== own) return;
  if (text !== undefined) state.detail = JSON.parse(text) as NodeDetail;
  draw();
  const slow = Math.max(reloadMs.least, 4 * (performance.now() - began), reloadMs.perByte * (text?.length ?? 0));
  await new Promise((resolve) => setTimeout(resolve, Math.min(reloadMs.most, slow)));
  if (loading !== own) return;
  loading = undefined;
  if (isOutdated) void loadDetail();
}

/** How far each address was scrolled. On a phone, a part that comes back is where you left it. */
const scrolled = new Map<string, number>();

function go(): void {
  const before = state.route;
  const route = routeOf(location.hash);
  state.route = route;
  scrolled.set(addressOf(before), scrollY);
  if (route.run !== before.run || (state.run === undefined && route.run !== undefined)) {
    state.run = route.run === undefined ? undefined : new RunModel(route.run);
    arriving = undefined;
    const fresh = { problem: undefined, notice: undefined, isCancelling: false, filter: "", isOnlyProblems: false };
    Object.assign(state, fresh);
    state.toggled.clear();
    state.whole.clear();
    connect();
  }
  lastNode = route.run === before.run ? before.node : undefined;
  if (route.node !== before.node || route.run !== before.run) {
    state.detail = undefined;
    loading = undefined;
    void loadDetail();
  }
  if (route.tab !== before.tab || route.run !== before.run) state.range = { from: 0, to: 60 };
  draw();
  if (route.node !== undefined && route.node !== before.node) {
    requestAnimationFrame(() => document.getElementById("node-title")?.focus({ preventScroll: true }));
  }
  if (matchMedia("(max-width: 48rem)").matches && shownPart(route) !== shownPart(before)) {
    requestAnimationFrame(() => scrollTo(0, scrolled.get(addressOf(route)) ?? 0));
  }
}

addEventListener("hashchange", go);
addEventListener("keydown", (event) => {
  // While letters are composed, as in Japanese, Escape is the keyboard's own.
  if (event.key === "Escape" && !event.isComposing && state.route.node !== undefined)
    document.querySelector<HTMLElement>(".panel .close")?.click();
});
// A hidden page closes its connection, because browsers allow only a few to one server. Now and then, it asks how many runs wait for
// you: that is in its title.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) source?.close();
  else connect();
});
setInterval(async () => {
  if (!document.hidden) return;
  const response = await fetch("waiting").catch(withoutConnection);
  if (response?.ok && document.hidden) document.title = titleOf(((await response.json()) as WaitingCount).waiting);
}, 5000);

function withoutConnection(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error;
}

// Ages and durations, and whether the server is still there.
setInterval(() => {
  if (!document.hidden && Date.now() - heardAt > longestSilenceMs) source?.dispatchEvent(new Event("error"));
  if (!document.hidden && (state.runs.some(isMoving) || Date.now() - state.now > 30_000)) draw();
}, 1000);

function isMoving({ status, runId }: RunLine): boolean {
  return status === "running" && runId === state.route.run;
}

// The token has done its work, and belongs into no history.
if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
go();
if (state.route.run === undefined) connect();
