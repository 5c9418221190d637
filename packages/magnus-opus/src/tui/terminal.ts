// What the plugin adds to OpenCode's terminal, once OpenCode has started.
import { DialogQueue } from "@atomic/workflows/internal/view/dialog-queue";
import { box, mounted, painted, screenSize } from "@atomic/workflows/internal/view/elements";
import { guard as guardWith } from "@atomic/workflows/internal/view/guard";
import { noticesOf } from "@atomic/workflows/internal/view/notices";
import { promptInput } from "@atomic/workflows/internal/view/prompt-input";
import { screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { workplaceOf } from "../sessions/workplace.ts";
import { PhaseDialogs } from "./phase-dialogs.ts";
import { byNearness, planCommand, refusalLines, sidebarText, statusLine } from "./phase-words.ts";
import { RunSessions } from "./run-sessions.ts";
import { type FoundRuns, WatchedRuns } from "./watched-runs.ts";

/** The width of OpenCode's sidebar without its margins. */
const sidebarColumns = 37;

export async function showPhases(api: TerminalApi): Promise<void> {
  const notices = noticesOf(api, "Magnus Opus");
  const guard = guardWith(notices.show);
  const { directory, worktree } = api.state.path;
  const place = workplaceOf({ directory: directory || process.cwd(), worktree });
  const dialogs = new PhaseDialogs({ api, guard, notices, queue: new DialogQueue(api, promptInput(api), guard) });
  const found = screenState<FoundRuns>({ runs: [], damaged: new Map() });
  /** The session on screen. */
  const session = (): string | undefined => {
    const { name, params } = api.route.current;
    return name === "session" && typeof params?.sessionID === "string" ? params.sessionID : undefined;
  };
  /** The one that is shown first comes first. */
  const runs = () => byNearness(found.get().runs, session());
  /** How many are on the screen: OpenCode shows none in a narrow terminal, on its first page, or if you closed it. */
  const sidebars = screenState(0);
  let drawn = 0;
  const sessions = new RunSessions(async (sessionID) => {
    const { response } = await api.client.session.get({ sessionID });
    return response?.status !== 404;
  });
  let latest = found.get();
  const changed = (now: FoundRuns): void => {
    latest = now;
    guard(async () => {
      const there = { ...now, runs: await sessions.withSession(now.runs) };
      if (latest !== now) return;
      found.set(there);
      dialogs.look(there);
    });
  };
  const unlisten = api.event.on("session.deleted", ({ properties: { info } }) => {
    if (info?.id === undefined) return;
    sessions.deleted(info.id);
    changed({ ...latest });
  });
  api.lifecycle.onDispose(unlisten);
  const watched = new WatchedRuns(place.directory, {
    changed,
    failed: (error) =>
      guard(() => {
        throw error;
      }),
  });
  api.lifecycle.onDispose(() => watched.close());
  api.keymap.registerLayer({
    commands: [
      {
        ...{ name: "magnus.plan", title: "Magnus Opus: what waits for you", category: "Magnus Opus" },
        ...{ namespace: "palette", slashName: planCommand, desc: "Opens the plan or the result that waits for you" },
        run: () => guard(() => dialogs.open(runs(), found.get().damaged, session()), "you"),
      },
    ],
  });
  api.slots.register({
    order: 80,
    slots: {
      app_bottom: () => {
        const size = screenSize();
        const text = (): string => {
          const columns = size().width - 4;
          const refused = sidebars.get() > 0 ? "" : refusalLines(runs(), columns, session());
          return [refused, statusLine(runs(), columns)].filter((line) => line !== "").join("\n");
        };
        const height = (): number => (text() === "" ? 0 : text().split("\n").length);
        return box({ paddingLeft: 2, height }, painted(api, text));
      },
      sidebar_content: () => {
        mounted(
          () => sidebars.set(++drawn),
          () => sidebars.set(--drawn),
        );
        return box({}, () => {
          const [shown] = runs();
          return shown === undefined ? null : painted(api, () => sidebarText(shown, sidebarColumns));
        });
      },
    },
  });
  watched.look();
}
