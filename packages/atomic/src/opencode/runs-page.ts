// `/runs`: the project's runs, and each as a tree.
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { formatTable } from "@atomic/terminal/table";
import { foldLines } from "@atomic/terminal/wrap";
import { type DialogQuestion, openDialog } from "@atomic/workflows/internal/view/dialog";
import { box, element, mounted, painted, screenSize } from "@atomic/workflows/internal/view/elements";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import { type ScreenState, screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi, TerminalElement } from "@atomic/workflows/internal/view/terminal-api";
import { formatAgo } from "../report/format.ts";
import { headline } from "../view/questions.ts";
import { describeStatus, hasEnded, statusColour, statusWord } from "../view/run-status.ts";
import type { RunView } from "../view/run-view.ts";
import type { Approvals } from "./approvals.ts";
import type { FollowedRun, FollowedRuns } from "./followed-runs.ts";
import { type Notices, runsRoute as route } from "./notices.ts";
import { movedBy, type RunList, withRuns } from "./run-list.ts";
import { sessionsOf, shownView, treeText } from "./run-words.ts";

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
export function addRunsPage(parts: RunsPageParts): (runs: readonly FollowedRun[]) => void {
  const { api, guard, notices } = parts;
  const page = new RunsPage(parts);
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
    ["return", "Open", () => page.enter()],
    ["escape", "Back", () => page.leave()],
    ["s", "Open the agent's session", () => page.openSession()],
    ["a", "Answer", () => page.answer()],
    ["c", "Cancel", () => page.cancel()],
  ];
  const press = (run: () => void | Promise<void>): void => {
    notices.onPage.set(undefined);
    guard(run, "you");
  };
  const bindings = keys.map(([key, desc, run]) => ({ key, desc, cmd: () => press(run) }));
  api.keymap.registerLayer({ mode: route, bindings });
  return (runs) => page.take(runs);
}

const colours = { info: "cyan", success: "green", warning: "yellow", error: "red" } as const;

class RunsPage {
  readonly #parts: RunsPageParts;
  readonly #state = screenState<PageState>({ kind: "list" });
  /** What was on disk when the page was opened, and what came since. */
  readonly #list = screenState<RunList>({ runs: [], selected: undefined });
  /** The tree of a run that has ended. */
  readonly #ended = screenState<RunView | undefined>(undefined);
  #from: TerminalApi["route"]["current"] = { name: "home" };

  constructor(parts: RunsPageParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    const { api, followed, notices } = this.#parts;
    if (api.route.current.name !== route) this.#from = api.route.current;
    this.#state.set({ kind: "list" });
    notices.onPage.set(undefined);
    api.route.navigate(route);
    this.#list.set({ runs: await followed.engine.list(), selected: undefined });
    this.take(this.#parts.runs.get());
  }

  render(): TerminalElement {
    const { api, notices } = this.#parts;
    let leave: (() => void) | undefined;
    mounted(
      () => {
        leave = api.mode.push(route);
      },
      () => leave?.(),
    );
    const size = screenSize();
    const said = (): string => {
      const { message, variant } = notices.onPage.get() ?? { message: "", variant: "info" };
      return paint(colours[variant], foldLines(message, size().width - 4));
    };
    const saidRows = (): number => (notices.onPage.get() === undefined ? 0 : said().split("\n").length);
    const text = (): string => {
      const { width, height } = size();
      const state = this.#state.get();
      const [columns, rows] = [width - 4, height - 6 - saidRows()];
      return state.kind === "list" ? this.#table(columns, rows) : this.#tree(state, columns, rows);
    };
    const keys = (): string =>
      this.#state.get().kind === "list"
        ? "↑↓ choose · enter tree · s session · a answer · c cancel · esc back"
        : "↑↓ agent · s session · a answer · c cancel · esc list";
    const paint = painter(true);
    return box(
      { paddingLeft: 2, paddingRight: 2, paddingTop: 1, gap: 1, flexGrow: 1 },
      painted(api, () => paint("bold", "Runs of this project")),
      element("box", { flexGrow: 1 }, painted(api, text)),
      box(
        {},
        box({ height: saidRows }, painted(api, said)),
        painted(api, () => paint("dim", keys())),
      ),
    );
  }

  /** These runs are open now, or have just ended. */
  take(runs: readonly FollowedRun[]): void {
    this.#list.set(withRuns(this.#list.get(), runs));
  }

  #table(columns: number, rows: number): string {
    const paint = painter(true);
    const { runs: all, selected } = this.#list.get();
    if (all.length === 0) return paint("dim", "There are no runs in this project yet; /run <workflow> starts one.");
    const at = all.findIndex(({ runId }) => runId === selected);
    const from = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows + 1));
    const shown = all.slice(from, from + Math.max(1, rows - 1));
    const asked = new Map(this.#parts.runs.get().map(({ runId, questions }) => [runId, questions[0]]));
    const lines = shown.map(({ runId, name, status, createdAt }) => {
      const text = describeStatus(status);
      const question = asked.get(runId);
      const about = text.includes(": ") ? text.slice(text.indexOf(": ") + 2) : "";
      return [
        { text: runId === selected ? "❯" : " ", colour: "cyan" as const },
        { text: runId, colour: "bold" as const },
        safeLine(name ?? ""),
        { text: statusWord(status), colour: statusColour(status) },
        createdAt === 0 ? "" : formatAgo(Date.now() - createdAt),
        question === undefined ? safeLine(about) : headline(question),
      ];
    });
    const titles = ["", "RUN", "WORKFLOW", "STATUS", "STARTED", "ABOUT"].map((title) => ({ title }));
    return formatTable(titles, lines, { columns, colour: true }).trimEnd();
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
    const questions = asked.map((each) => `${paint("yellow", "?")} ${headline(each)}`);
    const below = [...questions, ...(lines.length === 0 ? [] : ["", paint("dim", "Agents' sessions"), ...lines])];
    return [treeText(view, { columns, rows: Math.max(4, rows - below.length) }), ...below].join("\n");
  }

  #viewOf(runId: string): RunView | undefined {
    const live = this.#parts.runs.get().find((run) => run.runId === runId);
    if (live !== undefined) return shownView(live);
    const ended = this.#ended.get();
    return ended?.state.runId === runId ? ended : undefined;
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
    if (this.#viewOf(runId) !== undefined) return;
    const { RunViewer } = await import("../view/run-view.ts");
    const viewer = new RunViewer();
    for await (const entry of this.#parts.followed.engine.journal(runId)) viewer.take(entry);
    this.#ended.set(viewer.view);
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
      return say("This OpenCode does not have the session. Start OpenCode with --port, and runs from it.");
    api.route.navigate("session", { sessionID: chosen.id });
  }

  answer(): void {
    const runId = this.#current();
    const run = this.#parts.runs.get().find((each) => each.runId === runId);
    const [question] = run?.questions ?? [];
    const message = `${runId ?? "This run"} asks nothing`;
    if (run === undefined || question === undefined) {
      this.#parts.notices.show({ variant: "info", message });
    } else this.#parts.approvals.ask(run, question);
  }

  async cancel(): Promise<void> {
    const { api, guard, notices, followed } = this.#parts;
    const runId = this.#current();
    if (runId === undefined) return;
    const status = await followed.engine.status(runId);
    if (hasEnded(status)) {
      notices.show({ variant: "info", message: safeLine(`${runId} has ended: ${describeStatus(status)}`) });
      return;
    }
    const question: DialogQuestion = {
      title: `Cancel ${runId}?`,
      body: () => "It ends for good, and work in progress is aborted.",
      choices: [
        { title: "No, let it run", value: "no" },
        { title: "Yes, cancel it", value: "yes" },
      ],
      size: "medium",
      onAnswer: ([value]) =>
        guard(async () => {
          if (value !== "yes") return;
          await followed.engine.cancel(runId);
          notices.show({ variant: "success", message: `${runId} is cancelled` });
          await followed.look();
        }, "you"),
      onLater: () => undefined,
    };
    openDialog(api, question);
  }
}
