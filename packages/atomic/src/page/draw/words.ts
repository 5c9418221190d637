// How the page writes and colours what several of its parts show.
import { count, formatDuration } from "@atomic/terminal/count";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { Tone } from "@atomic/workflows/internal/view/page-charts";
import { type Content, element } from "@atomic/workflows/internal/view/page-element";
import type { NodeStatus } from "../../view/node-view.ts";

export type PageTone = Tone | "soft";

export const nodeTones: Readonly<Record<NodeStatus, PageTone>> = {
  pending: "soft",
  running: "plain",
  retrying: "warn",
  waiting: "warn",
  done: "good",
  failed: "bad",
  interrupted: "warn",
  dropped: "soft",
};

const nodeSymbols: Readonly<Record<NodeStatus, string>> = {
  pending: "○",
  running: "●",
  retrying: "↻",
  waiting: "?",
  done: "✓",
  failed: "✗",
  interrupted: "‖",
  dropped: "–",
};

const runTones: Readonly<Record<RunStatus["kind"], PageTone>> = {
  pending: "soft",
  running: "plain",
  interrupted: "warn",
  waiting: "warn",
  paused: "warn",
  stopped: "warn",
  cancelling: "soft",
  cancelled: "soft",
  done: "good",
  failed: "bad",
  damaged: "bad",
};

export function runTone(status: RunStatus["kind"]): PageTone {
  return runTones[status] ?? "soft";
}

/** A sign that does not depend on its colour. */
export function nodeMark(status: NodeStatus): Content {
  return element("span", { class: `mark ${nodeTones[status]} ${status}`, "aria-hidden": "true" }, nodeSymbols[status]);
}

/** `iteration 3 · 12.4s · $0.02`, without what is empty. */
export function joined(...parts: readonly (string | undefined | false)[]): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== "").join(" · ");
}

/**
 * @example
 * counted(10_000, "step"); // "10,000 steps"
 */
export function counted(amount: number, one: string): string {
  return count(amount, one).replace(String(amount), amount.toLocaleString("en-US"));
}

/** How long it took, or has taken so far. */
export function tookText(
  {
    startedAt,
    endedAt,
    idleMs,
    status,
  }: { startedAt: number | undefined; endedAt: number | undefined; idleMs: number; status: NodeStatus },
  now: number,
): string {
  const isOpen = status === "running" || status === "waiting" || status === "retrying";
  const end = endedAt ?? (isOpen ? now : undefined);
  return startedAt === undefined || end === undefined ? "" : formatDuration(Math.max(0, end - startedAt - idleMs));
}

export type Tab = "graph" | "timeline" | "log";

/** Where the page is: the part of its address behind `#`. */
export interface Route {
  readonly run: string | undefined;
  readonly tab: Tab;
  readonly node: string | undefined;
}

export function addressOf({ run, tab, node }: Route): string {
  if (run === undefined) return "#/";
  const at = node === undefined ? "" : `/${encodeURIComponent(node)}`;
  return `#/${encodeURIComponent(run)}/${tab}${at}`;
}

export function routeOf(address: string): Route {
  const [, run, tab, node] = address.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch (error) {
      if (error instanceof URIError) return part;
      throw error;
    }
  });
  const known = tab === "timeline" || tab === "log" ? tab : "graph";
  return { run: run || undefined, tab: known, node: node || undefined };
}
