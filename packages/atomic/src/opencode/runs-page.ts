// `/runs`: the project's runs, and each as a tree.
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import { type DialogQuestion, foldWords, openDialog } from "@atomic/workflows/internal/view/dialog";
import { box, element, mounted, painted, screenSize } from "@atomic/workflows/internal/view/elements";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import type { Notices } from "@atomic/workflows/internal/view/notices";
import { type ScreenState, screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi, TerminalElement } from "@atomic/workflows/internal/view/terminal-api";
import { headline } from "../view/questions.ts";
import { hasEnded } from "../view/run-status.ts";
import type { RunView } from "../view/run-view.ts";
import type { Approvals } from "./approvals.ts";
import type { FollowedRun, FollowedRuns } from "./followed-runs.ts";
import { noticesOnPage, type PageNotices } from "./page-notices.ts";
import { movedBy, questionAfter, type RunList, relisted, runTable, shownAround, withRuns } from "./run-list.ts";
import { afterCancel, endedMessage, lostMessage, sessionsOf, shownView, treeText } from "./run-words.ts";

const route = "atomic.runs";

type PageState =
  | { readonly kind: "list" }
  | { readonly kind: "tree"; readonly runId: string; readonly session: number };

export interface RunsPageParts {
  readonly api: TerminalApi;
  readonly guard: Guard;
  readonly notices: Notices;
  readonly followed: FollowedRuns;
  readonly runs: ScreenState<readonly FollowedRun[]>;
  readonly approvals: Approvals;
}

/** Returns what takes the runs as they change. */
export function addRunsPage(parts: RunsPageParts): RunsPage["take"] {
  const { api, guard, approvals } = parts;
  const said = noticesOnPage(api, route);
  const page = new RunsPage(parts, said);
  api.route.register([{ name: route, render: () => page.render() }]);
  api.keymap.registerLayer({
    commands: [
      {
        ...{ name: route, title: "Atomic: runs", category: "Atomic", namespace: "palette", slashName: "runs" },
        desc: "What this project's workflows are doing",
        run: () => guard(() => page.open(), "you"),
      },
    ],
  });
  const keys: readonly (readonly [string, string, () => void | Promise<void>])[] = [
    ["up", "Previous", () => page.move(-1)],
    ["down", "Next", () => page.move(1)],
    ["pageup", "Previous page", () => page.move(-pageRows)],
    ["pagedown", "Next page", () => page.move(pageRows)],
    ["return", "Open", () => page.enter()],
    ["escape", "Back", () => page.leave()],
    ["s", "Open the agent's session", () => page.openSession()],
    ["a", "Answer", () => page.answer()],
    ["c", "Cancel", () => page.cancel()],
  ];
  const press = (key: string, run: () => void | Promise<void>): void => {
    if (approvals.isStray) return;
    said.last.set(undefined);
    if (key === "escape") said.unsent.set(undefined);
    guard(run, "you");
  };
  const bindings = keys.map(([key, desc, run]) => ({ key, desc, cmd: () => press(key, run) }));
  api.keymap.registerLayer({ mode: route, bindings });
  return (runs, lost) => page.take(runs, lost);
}

/** How far Page Up and Page Down go. */
const pageRows = 10;
const leastTreeRows = 4;

const keysOf = {
  list: ["↑↓ choose", "enter tree", "s session", "a answer", "c cancel", "esc back"],
  tree: ["↑↓ agent", "s session", "a answer", "c cancel", "esc list"],
} as const;

/** No line breaks between a key and what it does. */
function keyLines(keys: readonly string[], columns: number): string {
  const line = keys.map((each) => each.replaceAll(" ", "\u00a0")).join(" · ");
  return foldWords(line, columns).replaceAll("\u00a0", " ");
}

const colours = { info: "cyan", success: "green", warning: "yellow", error: "red" } as const;

class RunsPage {
  readonly #parts: RunsPageParts;
  readonly #said: PageNotices;
  readonly #state = screenState<PageState>({ kind: "list" });
  /** What was on disk when the page was opened, and what came since. */
  readonly #list = screenState<RunList>({ runs: [], selected: undefined });
  /** The run that was opened last, as it was last seen: a run that has ended is no longer followed. */
  readonly #opened = screenState<RunView | undefined>(undefined);
  /** The question that you were asked last on this page. */
  #asked: { readonly runId: string; readonly key: string } | undefined;
  /** Runs that you have cancelled here and that have not ended yet. */
  readonly #cancelling = new Set<string>();
  #from: TerminalApi["route"]["current"] = { name: "home" };

  constructor(parts: RunsPageParts, said: PageNotices) {
    this.#parts = parts;
    this.#said = said;
  }

  async open(): Promise<void> {
    const { api, followed } = this.#parts;
    if (api.route.current.name !== route) this.#from = api.route.current;
    this.#state.set({ kind: "list" });
    this.#said.last.set(undefined);
    api.route.navigate(route);
    this.#list.set({ runs: await followed.engine.list(), selected: undefined });
    this.take(this.#parts.runs.get(), new Set());
  }

  render(): TerminalElement {
    const { api } = this.#parts;
    let leave: (() => void) | undefined;
    mounted(
      () => {
        leave = api.mode.push(route);
      },
      () => leave?.(),
    );
    const size = screenSize();
    const said = (): string => {
      const shown = [this.#said.unsent.get(), this.#said.last.get()].filter((each) => each !== undefined);
      const columns = size().width - 4;
      const lines = shown.map(({ title, variant, message }) => {
        const text = title === "Atomic" ? message : `${title}: ${message}`;
        return paint(colours[variant], foldWords(text, columns));
      });
      return lines.join("\n");
    };
    const saidRows = (): number => (said() === "" ? 0 : said().split("\n").length);
    const keys = (): string => keyLines(keysOf[this.#state.get().kind], size().width - 4);
    const keyRows = (): number => keys().split("\n").length;
    const text = (): string => {
      const { width, height } = size();
      const state = this.#state.get();
      const [columns, rows] = [width - 4, height - 5 - keyRows() - saidRows()];
      return state.kind === "list" ? this.#table(columns, rows) : this.#tree(state, columns, rows);
    };
    const paint = painter(true);
    return box(
      { paddingLeft: 2, paddingRight: 2, paddingTop: 1, gap: 1, flexGrow: 1 },
      painted(api, () => paint("bold", "Runs of this project")),
      element("box", { flexGrow: 1 }, painted(api, text)),
      box(
        {},
        box({ height: saidRows }, painted(api, said)),
        box(
          { height: keyRows },
          painted(api, () => paint("dim", keys())),
        ),
      ),
    );
  }

  /** These runs are open now, or have just ended; others were removed, or can no longer be read. */
  take(runs: readonly FollowedRun[], lost: ReadonlySet<string>): void {
    for (const { runId, view } of runs) if (hasEnded(view.state.status)) this.#reportCancel(runId, view.state.status);
    for (const runId of lost) this.#cancelling.delete(runId);
    const opened = this.#opened.get()?.state.runId;
    const run = runs.find(({ runId }) => runId === opened);
    if (run !== undefined) this.#opened.set(shownView(run));
    this.#list.set(withRuns(this.#list.get(), runs));
    const { api, guard, notices, followed } = this.#parts;
    if (lost.size === 0 || api.route.current.name !== route) return;
    const state = this.#state.get();
    if (state.kind === "tree" && lost.has(state.runId)) {
      this.#state.set({ kind: "list" });
      this.#opened.set(undefined);
      notices.show({ variant: "warning", message: lostMessage(state.runId) });
    }
    guard(async () => {
      const listed = relisted(this.#list.get(), await followed.engine.list());
      this.#list.set(withRuns(listed, this.#parts.runs.get()));
    });
  }

  /** Once when it is asked to end, and once when it has. */
  #reportCancel(runId: string, status: RunStatus): void {
    if (!this.#cancelling.has(runId)) return;
    if (hasEnded(status)) this.#cancelling.delete(runId);
    this.#parts.notices.show(afterCancel(runId, status));
  }

  #table(columns: number, rows: number): string {
    const asked = new Map(this.#parts.runs.get().map(({ runId, questions }) => [runId, questions[0]]));
    return runTable(this.#list.get(), asked, { columns, rows, now: Date.now() });
  }

  #tree({ runId, session }: Extract<PageState, { kind: "tree" }>, columns: number, rows: number): string {
    const paint = painter(true);
    const view = this.#viewOf(runId);
    if (view === undefined) return paint("dim", "Reading…");
    const sessions = sessionsOf(view.state);
    const lines = sessions.map(({ node, host, id }, at) => {
      const mark = at === session ? paint("cyan", "❯") : " ";
      return `${mark} ${safeLine(node)}  ${paint("dim", safeLine(`${host} ${id}`))}`;
    });
    const asked = this.#parts.runs.get().find((run) => run.runId === runId)?.questions ?? [];
    const questions = asked.map((each) => `${paint("yellow", "?")} ${headline(each) || "your answer"}`);
    // The tree needs a few rows, too, and the chosen session is always among those that are shown.
    const room = rows - leastTreeRows - questions.length - 2;
    const shown = shownAround(lines, session, Math.min(lines.length, room));
    const below = [...questions, ...(lines.length === 0 ? [] : ["", paint("dim", "Agents' sessions"), ...shown])];
    return [treeText(view, { columns, rows: Math.max(leastTreeRows, rows - below.length) }), ...below].join("\n");
  }

  #viewOf(runId: string): RunView | undefined {
    const live = this.#parts.runs.get().find((run) => run.runId === runId);
    if (live !== undefined) return shownView(live);
    const opened = this.#opened.get();
    return opened?.state.runId === runId ? opened : undefined;
  }

  #current(): string | undefined {
    const state = this.#state.get();
    return state.kind === "tree" ? state.runId : this.#list.get().selected;
  }

  move(by: number): void {
    const state = this.#state.get();
    if (state.kind === "list") {
      this.#list.set(movedBy(this.#list.get(), by));
      return;
    }
    const view = this.#viewOf(state.runId);
    const last = (view === undefined ? 0 : sessionsOf(view.state).length) - 1;
    this.#state.set({ ...state, session: Math.max(0, Math.min(last, state.session + by)) });
  }

  async enter(): Promise<void> {
    const state = this.#state.get();
    const runId = this.#current();
    if (state.kind !== "list" || runId === undefined) return;
    await this.#load(runId);
    const view = this.#viewOf(runId);
    const session = Math.max(0, (view === undefined ? 0 : sessionsOf(view.state).length) - 1);
    this.#state.set({ kind: "tree", runId, session });
  }

  /** A run that has ended is read when it is looked at. */
  async #load(runId: string): Promise<void> {
    const view = this.#viewOf(runId);
    if (view !== undefined) {
      this.#opened.set(view);
      return;
    }
    const { RunViewer } = await import("../view/run-view.ts");
    const viewer = new RunViewer();
    for await (const entry of this.#parts.followed.engine.journal(runId)) viewer.take(entry);
    this.#opened.set(viewer.view);
  }

  leave(): void {
    const state = this.#state.get();
    if (state.kind === "tree") {
      this.#state.set({ kind: "list" });
      return;
    }
    const { name, params } = this.#from;
    this.#parts.api.route.navigate(name, params);
  }

  async openSession(): Promise<void> {
    const runId = this.#current();
    if (runId === undefined) return;
    await this.#load(runId);
    const { api, notices } = this.#parts;
    const state = this.#state.get();
    const view = this.#viewOf(runId);
    const sessions = view === undefined ? [] : sessionsOf(view.state);
    const chosen = state.kind === "tree" ? sessions[state.session] : sessions.at(-1);
    const say = (message: string): void => notices.show({ variant: "info", message });
    if (chosen === undefined) return say(`${runId} has no agent session yet`);
    if (chosen.host !== "opencode") return say(safeLine(`This session belongs to ${chosen.host}: ${chosen.id}`));
    const { data } = await api.client.session.get({ sessionID: chosen.id });
    if (data === undefined)
      return say(
        "This OpenCode does not have that session. To open sessions here, start OpenCode with --port and start your runs in it.",
      );
    api.route.navigate("session", { sessionID: chosen.id });
  }

  answer(): void {
    const runId = this.#current();
    const run = this.#parts.runs.get().find((each) => each.runId === runId);
    const last = this.#asked?.runId === runId ? this.#asked?.key : undefined;
    const question = questionAfter(run?.questions ?? [], last);
    const message = `${runId ?? "This run"} has no question for you`;
    if (run === undefined || question === undefined) {
      this.#parts.notices.show({ variant: "info", message });
      return;
    }
    this.#asked = { runId: run.runId, key: question.key };
    this.#parts.approvals.ask(run, question);
  }

  async cancel(): Promise<void> {
    const { api, guard, notices, followed } = this.#parts;
    const runId = this.#current();
    if (runId === undefined) return;
    const status = await followed.engine.status(runId);
    if (hasEnded(status)) {
      notices.show({ variant: "info", message: endedMessage(runId, status) });
      return;
    }
    const question: DialogQuestion = {
      title: `Cancel ${runId}?`,
      body: (columns) => foldWords("The run ends for good; unfinished work is lost.", columns),
      choices: [
        { title: "No, let it run", value: "no" },
        { title: "Yes, cancel it", value: "yes" },
      ],
      size: "medium",
      esc: "back",
      onAnswer: ([value]) =>
        guard(async () => {
          if (value !== "yes") return;
          // Its process stops first, or finishes before it reads the cancellation, or is itself stopped and never does.
          this.#cancelling.add(runId);
          await followed.engine.cancel(runId);
          this.#reportCancel(runId, await followed.engine.status(runId));
          await followed.look();
        }, "you"),
      onLater: () => undefined,
    };
    openDialog(api, question);
  }
}
