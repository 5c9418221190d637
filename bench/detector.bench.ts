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

/** How many descriptions it gets right. */
function right(detect: Detect, part: keyof typeof corpus): string {
  const hits = corpus[part].filter(({ text, is }) => detect(text) === is).length;
  return `${hits} of ${corpus[part].length} (${percent(hits / corpus[part].length)})`;
}

function share(detect: Detect): string {
  return percent(corpus.heldOut.filter(({ text, is }) => detect(text) === is).length / corpus.heldOut.length);
}

function percent(part: number): string {
  return `${Math.round(100 * part)}%`;
}

const texts = corpus.heldOut.map(({ text }) => text);

export default bench({
  title: `Detecting a description's workflow type (${share(ours)} right, substrings ${share(bySubstrings)})`,
  about:
    `On held-out descriptions: ours ${right(ours, "heldOut")}, substrings ${right(bySubstrings, "heldOut")}. ` +
    `On descriptions used to choose the words: ours ${right(ours, "tuning")}, substrings ${right(bySubstrings, "tuning")}. ` +
    "The same people wrote the descriptions and chose the words, so expect worse results on other descriptions. Times are for all held-out ones.",
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
