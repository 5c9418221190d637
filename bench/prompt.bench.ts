import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bench, type CommandContestant, type Group, type RatioClaim } from "./harness/bench.ts";
import { findPeers } from "./hugo/peers.ts";
import { writeEntries } from "./peers/prompt/entries.mjs";
import type { Measured } from "./prompt/measure.ts";

const root = join(import.meta.dirname, "..");
const peers = join(import.meta.dirname, "peers");
const line = pathToFileURL(join(root, "packages/atomic/dist/prompt/line")).href;
// Installed together with the programs of the other benches.
findPeers();

/** What the terminal measures, in this contestant. */
interface View {
  readonly name: string;
  readonly command: (count: number) => readonly string[];
  readonly ready: string;
  readonly ours?: true;
}

const atomic = join(root, "packages/atomic/bin/atomic.js");
const view = (file: string): string => join(peers, "prompt", file);

const views: readonly View[] = [
  { name: "atomic, Node", command: () => ["node", atomic], ready: "About fix-1", ours: true },
  { name: "atomic, Bun", command: () => [process.execPath, atomic], ready: "About fix-1", ours: true },
  {
    name: "OpenTUI, Bun",
    command: (count) => [process.execPath, view("opentui-view.mjs"), String(count)],
    ready: "fix-10",
  },
  { name: "Ink, Node", command: (count) => ["node", view("ink-view.mjs"), String(count)], ready: "About fix-1" },
  {
    name: "Ink, Bun",
    command: (count) => [process.execPath, view("ink-view.mjs"), String(count)],
    ready: "About fix-1",
  },
];

function versionsOf(...names: readonly string[]): Record<string, string> {
  const files = names.map((name) => join(peers, "node_modules", name, "package.json"));
  const found = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, "utf8")));
  return Object.fromEntries(found.map(({ name, version }) => [name, version]));
}

/** At most so long, and no longer than the others: the second half means something on a busy machine, too. */
function claimsFor(most: number): readonly RatioClaim[] {
  const others = views.filter(({ name, ours }) => ours !== true && isThere(name)).map(({ name }) => name);
  return [`${most} ms`, ...others].map((of) => ({ of, atMost: 1, metric: "wall" }));
}

function isThere(name: string): boolean {
  const folder = name.startsWith("Ink") ? "ink" : "@opentui/core";
  return name.startsWith("atomic") || existsSync(join(peers, "node_modules", folder));
}

/** A contestant that takes exactly this long: what is claimed to be the most. */
function limit(ms: number): CommandContestant {
  const sample = { wallMs: ms, cpuMs: 0, rssBytes: 0, rssAtMost: true, calls: 1 };
  return { name: `${ms} ms`, command: ["echo", JSON.stringify(sample)], measuresItself: true };
}

function group(title: string, what: Measured, count: number, limits: Readonly<Record<string, number>>): Group {
  const contestants = views
    .filter(({ name }) => isThere(name))
    .map(({ name, command, ready, ours }): CommandContestant => {
      const task = { command: command(count), env: { ATOMIC_LINE: line }, what, ready };
      const most = limits[name];
      return {
        name,
        command: [process.execPath, join(import.meta.dirname, "prompt/measure.ts"), JSON.stringify(task)],
        measuresItself: true,
        setup: ({ dir }) => writeEntries(dir, count),
        ...(ours === true && { ours }),
        ...(ours === true && most !== undefined && { expectRatio: claimsFor(most) }),
      };
    });
  return {
    title,
    baseline: "atomic, Node",
    contestants: [...contestants, ...[...new Set(Object.values(limits))].map(limit)],
  };
}

export default bench({
  title: "The prompt line",
  about: `\`atomic\` without a command in a terminal of 100 × 30, beside the same reducer and the same rows drawn by Ink and by OpenTUI.
\`atomic\` reads its entries from a project's files, and has an open line for runs; the others get a list. Times are seen from the terminal: until the line
can be typed in, and from a key to the first bytes that follow it. A row named like a time is a limit that we claim to keep.`,
  versions: versionsOf("ink", "@opentui/core"),
  rounds: 5,
  warmups: 1,
  groups: [
    group("First frame, 1,000 entries", "first frame", 1000, { "atomic, Node": 120, "atomic, Bun": 80 }),
    group("Key to paint, 1,000 entries, median", "median key", 1000, { "atomic, Node": 1, "atomic, Bun": 1 }),
    group("Key to paint, 1,000 entries, 95th percentile", "p95 key", 1000, { "atomic, Node": 4, "atomic, Bun": 4 }),
    group("Key to paint, 10,000 entries, 95th percentile", "p95 key", 10_000, { "atomic, Node": 6, "atomic, Bun": 6 }),
  ],
});
