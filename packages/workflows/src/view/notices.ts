// What plugins say to you. OpenCode draws no toasts on a plugin's page, so such a page draws them itself.
import type { TerminalApi, Toast } from "./terminal-api.ts";

type Notice = Omit<Toast, "title">;

/** Long enough to copy what was typed. */
export const unsentMs = 10_000;

export interface Notices {
  readonly show: (message: Notice) => void;
  /** Has words of yours that are nowhere else, so on a page that draws messages it stays until Esc, or for its duration. */
  readonly showUnsent: (message: Notice) => void;
}

interface NoticePage {
  readonly show: (message: Toast) => void;
  readonly showUnsent: (message: Toast) => void;
}

const key = Symbol.for("@atomic/notice-pages");

/** By their routes. Each plugin has its own copy of this module, and their dialogs open on each other's pages. */
function noticePages(): Map<string, NoticePage> {
  const shared = globalThis as { [key]?: Map<string, NoticePage> };
  shared[key] ??= new Map();
  return shared[key];
}

/** @param title Of the plugin that says it. */
export function noticesOf(api: Pick<TerminalApi, "route" | "ui">, title: string): Notices {
  const page = (): NoticePage | undefined => noticePages().get(api.route.current.name);
  const toast = (message: Toast): void => api.ui.toast(message);
  let unsent = { message: "", until: 0 };
  return {
    show: (message) => (page()?.show ?? toast)({ title, ...message }),
    showUnsent: ({ message, duration = unsentMs, variant }) => {
      // A new message takes the place of the one before, whose words are nowhere else either.
      const before = unsent.until > performance.now() ? `${unsent.message}\n` : "";
      unsent = { message: before + message, until: performance.now() + duration };
      (page()?.showUnsent ?? toast)({ title, duration, variant, message: unsent.message });
    },
  };
}

/** From now on, this page draws what all plugins say while it is open. Returns how to end that. */
export function drawNotices(route: string, page: NoticePage): () => void {
  noticePages().set(route, page);
  return () => {
    if (noticePages().get(route) === page) noticePages().delete(route);
  };
}
