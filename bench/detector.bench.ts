import { detectWorkflowType } from "../packages/magnus-opus/src/run/detect.ts";
import corpus from "../packages/magnus-opus/test/run/detect-corpus.json" with { type: "json" };
import { bench } from "./harness/bench.ts";

type Detect = (text: string) => string;

const ours: Detect = (text) => detectWorkflowType(text).type;

const uiWords =
  /component|page|layout|design|figma|ui|styl|tailwind|svelte|button|form|modal|dialog|navbar|sidebar|css|hover|click/g;
const apiWords =
  /query|mutation|action|schema|convex|database|api|crud|endpoint|backend|server|function|index|table|storage|cron/g;

/** The usual way: keywords anywhere in the text, and the side with more of them wins. */
const bySubstrings: Detect = (text) => {
  const count = (words: RegExp): number => new Set(text.toLowerCase().match(words)).size;
  const [ui, api] = [count(uiWords), count(apiWords)];
  if (ui + api === 0) return "UNCLEAR";
  if (Math.min(ui, api) > 0 && Math.abs(ui - api) / (ui + api) < 0.3) return "MIXED";
  return ui > api ? "UI_FOCUSED" : "API_FOCUSED";
};

/** How many it gets right. */
function right(detect: Detect, part: keyof typeof corpus): string {
  const hits = corpus[part].filter(({ text, is }) => detect(text) === is).length;
  return `${hits} of ${corpus[part].length} (${((100 * hits) / corpus[part].length).toFixed(1)} %)`;
}

const texts = corpus.heldOut.map(({ text }) => text);

export default bench({
  title: `The workflow type of a description: ${right(ours, "heldOut")} right, by substrings ${right(bySubstrings, "heldOut")}`,
  about:
    `Descriptions that the words were not chosen by: ours ${right(ours, "heldOut")}, by substrings ${right(bySubstrings, "heldOut")}. ` +
    `Those that they were chosen by: ours ${right(ours, "tuning")}, by substrings ${right(bySubstrings, "tuning")}. ` +
    "The same people wrote descriptions and words, so a stranger's descriptions will do worse. The times are of all held-out ones.",
  groups: [
    {
      title: `Detect the type of ${texts.length} descriptions`,
      baseline: "substrings",
      contestants: [
        { name: "substrings", micro: () => texts.map(bySubstrings) },
        { name: "magnus-opus", ours: true, micro: () => texts.map(ours) },
      ],
    },
  ],
});
