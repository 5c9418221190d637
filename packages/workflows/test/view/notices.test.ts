import { expect, test } from "bun:test";
import { drawNotices, noticesOf } from "../../src/view/notices.ts";
import type { TerminalApi, Toast } from "../../src/view/terminal-api.ts";

function opencode() {
  const shown: unknown[] = [];
  const route = { current: { name: "home" } };
  const ui = { toast: (toast: Toast) => shown.push({ toast: toast.message }) };
  return { shown, route, api: { route, ui } as unknown as Pick<TerminalApi, "route" | "ui"> };
}

test("a page draws what every plugin says while it is open, and OpenCode what is said elsewhere", async () => {
  const { shown, route, api } = opencode();
  // Another plugin's bundle has a copy of its own.
  const copy = (await import(`../../src/view/notices.ts?${"copy"}`)) as typeof import("../../src/view/notices.ts");
  const other = copy.noticesOf(api, "Magnus Opus");
  const end = drawNotices("runs", {
    show: ({ title, message }) => shown.push({ page: `${title}: ${message}` }),
    showUnsent: ({ message, duration }) => shown.push({ page: message, duration }),
  });
  const say = (): void => other.show({ variant: "info", message: "closed" });
  say();
  route.current = { name: "runs" };
  say();
  other.showUnsent({ variant: "warning", message: "not sent" });
  end();
  say();
  expect(shown).toEqual([
    { toast: "closed" },
    { page: "Magnus Opus: closed" },
    { page: "not sent", duration: 10_000 },
    { toast: "closed" },
  ]);
});

test("a toast with words of yours stays long enough to copy them", () => {
  const { api } = opencode();
  const toasts: Toast[] = [];
  const notices = noticesOf({ ...api, ui: { ...api.ui, toast: (toast) => toasts.push(toast) } }, "Atomic");
  notices.showUnsent({ variant: "warning", message: "not sent: half" });
  expect(toasts).toEqual([{ title: "Atomic", variant: "warning", message: "not sent: half", duration: 10_000 }]);
});
