import { providerTitles } from "../../entity.ts";
import { toolPlaceOf } from "../../tools/places.ts";
import type { ToolVerdict } from "../../tools/tool.ts";
import type { Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

export const loadingRules: readonly Rule[] = [
  {
    code: "stops-tool",
    severity: "error",
    summary: "A file that keeps a tool from starting or from listing anything.",
    *check({ verdicts }) {
      for (const { tool, because = "", fatal } of verdicts) {
        if (fatal === true) yield { message: `${providerTitles[tool]} fails on this file: ${because}` };
      }
    },
  },
  {
    code: "not-loaded",
    severity: "warning",
    summary:
      "The tool that the file is meant for drops it, or the file is meant for all tools and none of them loads it.",
    *check(subject) {
      const owners = ownersOf(subject);
      const isSwitchedOff = subject.values.disable === true;
      const isReadme = /(?:^|\/)readme\.md$/i.test(subject.entity.source.relative ?? "") && subject.bodyStart === 0;
      if (
        owners.length === 0 ||
        isSwitchedOff ||
        isReadme ||
        owners.some(({ loads, fatal }) => loads || fatal === true)
      )
        return;
      const message = owners
        .filter((verdict) => !isReported(subject, verdict))
        .map(({ tool, because = "" }) => `${providerTitles[tool]} does not load it: ${because}`)
        .join(" ");
      if (message !== "") yield { message };
    },
  },
  {
    code: "not-loaded-elsewhere",
    severity: "info",
    summary: "Another tool also finds the file, but drops it.",
    *check(subject) {
      // Copilot also reads Claude's commands, but people do not write them for Copilot.
      if (subject.entity.type === "command" || !ownersOf(subject).some(({ loads }) => loads)) return;
      for (const verdict of subject.verdicts) {
        const { tool, loads, because = "", fatal } = verdict;
        if (
          loads ||
          fatal === true ||
          isReported(subject, verdict) ||
          toolPlaceOf(tool, subject.entity.source) === undefined
        )
          continue;
        yield { message: `${providerTitles[tool]} finds this file, but drops it: ${because}` };
      }
    },
  },
  {
    code: "loaded-oddly",
    severity: "info",
    summary: "A tool loads the file, but not quite the way you would expect.",
    *check({ verdicts }) {
      for (const { tool, loads, because } of verdicts) {
        if (loads && because !== undefined) yield { message: `${providerTitles[tool]}: ${because}` };
      }
    },
  },
];

/** Whether a finding about the file's own syntax says the same, with its place and what to do. */
function isReported({ entity }: Subject, { because }: ToolVerdict): boolean {
  return because !== undefined && entity.diagnostics.some(({ message }) => message.startsWith(because));
}

/** The tools that the file is meant for: the one whose folder it is in, or all that read the shared folder. */
function ownersOf({ entity: { source }, verdicts }: Subject): readonly ToolVerdict[] {
  const isShared = source.provider === "agent-skills";
  return verdicts.filter(({ tool }) => (isShared ? toolPlaceOf(tool, source) !== undefined : source.provider === tool));
}
