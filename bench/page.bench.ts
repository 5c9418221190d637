import { fileURLToPath } from "node:url";
import { bench, type CommandContestant } from "./harness/bench.ts";

const program = fileURLToPath(import.meta.resolve("./page/measure.ts"));

function job(name: string, what: "size" | "idle" | "scroll", who: string): CommandContestant {
  return { name, command: [process.execPath, program, what, who], measuresItself: true };
}

/** A figure to compare with. */
function scale(name: string, sample: { readonly wallMs: number; readonly cpuMs: number }): CommandContestant {
  const text = JSON.stringify({ rssBytes: 0, rssAtMost: false, calls: 1, ...sample });
  return { name, command: [process.execPath, "-e", `console.log(${JSON.stringify(text)})`], measuresItself: true };
}

const report = "Playwright's HTML report, without a run in it";
const list = "10,000 plain list items";
const empty = "an empty page";
const little = "2% of a core, for scale";

export default bench({
  title: "The page of `atomic ui`",
  about: `In the system's Chromium, without a graphics card, on a page that the built program serves.

- Size: all that a browser loads before it asks for runs, in the column for memory; one document, not compressed. Playwright's HTML report is a
  page for the same purpose, a run of tests; its size is that of its three files.
- An open page: what Chromium and the server of \`atomic ui\` use together in ten seconds, with four runs in the list and a finished one shown.
  Chromium is not idle with an empty page either, so the figure to look at is the difference.
- Scroll: 200 frames with 1,500 pixels each. \`wall\` is the time of a slow frame (the 95th percentile), \`CPU\` what all
  of Chromium's processes use for one frame. The plain list has no script, no bars and no links; a browser cannot scroll anything of that length faster.`,
  rounds: 5,
  warmups: 0,
  groups: [
    {
      title: "Size of the page",
      baseline: report,
      contestants: [
        job(report, "size", "playwright"),
        { ...job("atomic ui", "size", "ours"), ours: true, expectRatio: { of: report, atMost: 0.25, metric: "rss" } },
      ],
    },
    {
      title: "An open page, ten seconds in which nothing happens",
      baseline: empty,
      showAdded: true,
      contestants: [
        scale(little, { wallMs: 10_000, cpuMs: 200 }),
        job(empty, "idle", "empty"),
        { ...job("atomic ui", "idle", "ours"), ours: true, expectRatio: { of: little, atMost: 1, metric: "cpu" } },
      ],
    },
    {
      title: "Scroll through 10,000 steps",
      baseline: list,
      contestants: [
        scale("a frame of a 60 Hz screen, for scale", { wallMs: 1000 / 60, cpuMs: 1000 / 60 }),
        job(list, "scroll", "plain"),
        { ...job("atomic ui", "scroll", "ours"), ours: true, expectRatio: { of: list, atMost: 2, metric: "cpu" } },
      ],
    },
  ],
});
