// What the plugin says to you. OpenCode draws no toasts on a plugin's page, so the page has a line for it.
import { type ScreenState, screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi, Toast } from "@atomic/workflows/internal/view/terminal-api";

export const runsRoute = "atomic.runs";

type Notice = Omit<Toast, "title">;

/** Long enough to copy what was typed. */
const unsentMs = 10_000;

export interface Notices {
  readonly show: (message: Notice) => void;
  /** Has words of yours that are nowhere else, so on the page of runs it stays until Esc, or for its duration. */
  readonly showUnsent: (message: Notice) => void;
  /** On the page of runs, until the next key. */
  readonly onPage: ScreenState<Notice | undefined>;
  readonly unsentOnPage: ScreenState<Notice | undefined>;
}

export function noticesOf(api: TerminalApi): Notices {
  const onPage = screenState<Notice | undefined>(undefined);
  const unsentOnPage = screenState<Notice | undefined>(undefined);
  let gone: NodeJS.Timeout | undefined;
  api.lifecycle.onDispose(() => clearTimeout(gone));
  const show: Notices["show"] = (message) => {
    if (api.route.current.name === runsRoute) onPage.set(message);
    else api.ui.toast({ title: "Atomic", ...message });
  };
  const showUnsent: Notices["showUnsent"] = (message) => {
    if (api.route.current.name !== runsRoute) return show({ duration: unsentMs, ...message });
    unsentOnPage.set(message);
    clearTimeout(gone);
    gone = setTimeout(() => unsentOnPage.set(undefined), message.duration ?? unsentMs);
  };
  return { show, showUnsent, onPage, unsentOnPage };
}
