// The messages that the page of runs draws, because OpenCode draws none there.
import { drawNotices, unsentMs } from "@atomic/workflows/internal/view/notices";
import { type ScreenState, screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi, Toast } from "@atomic/workflows/internal/view/terminal-api";

export interface PageNotices {
  /** Until the next key. */
  readonly last: ScreenState<Toast | undefined>;
  /** Words of yours that are nowhere else: until Esc, or for its duration. */
  readonly unsent: ScreenState<Toast | undefined>;
}

export function noticesOnPage({ lifecycle }: TerminalApi, route: string): PageNotices {
  const last = screenState<Toast | undefined>(undefined);
  const unsent = screenState<Toast | undefined>(undefined);
  let gone: NodeJS.Timeout | undefined;
  const end = drawNotices(route, {
    show: (message) => last.set(message),
    showUnsent: (message) => {
      unsent.set(message);
      clearTimeout(gone);
      gone = setTimeout(() => unsent.set(undefined), message.duration ?? unsentMs);
    },
  });
  lifecycle.onDispose(() => {
    clearTimeout(gone);
    end();
  });
  return { last, unsent };
}
