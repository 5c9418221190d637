// What the plugin says to you. OpenCode draws no toasts on a plugin's page, so the page has a line for it.
import { type ScreenState, screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi, Toast } from "@atomic/workflows/internal/view/terminal-api";

export const runsRoute = "atomic.runs";

export interface Notices {
  readonly show: (message: Omit<Toast, "title">) => void;
  /** On the page of runs, until the next key. */
  readonly onPage: ScreenState<Omit<Toast, "title"> | undefined>;
}

export function noticesOf(api: TerminalApi): Notices {
  const onPage = screenState<Omit<Toast, "title"> | undefined>(undefined);
  const show: Notices["show"] = (message) => {
    if (api.route.current.name === runsRoute) onPage.set(message);
    else api.ui.toast({ title: "Atomic", ...message });
  };
  return { show, onPage };
}
