// What the prompts of the graph are filled with.
import { isRed } from "../run/evidence.ts";
import { nextStep } from "../run/next-step.ts";
import type { Finding } from "../run/review.ts";
import { type Events, runOf } from "./record.ts";

export type PromptValues = Readonly<Record<"feature" | "folder" | "findings" | "notes" | "tests" | "figma", string>>;

export function promptValues(events: Events): PromptValues {
  const state = runOf(events);
  const step = nextStep(state);
  const findings = step.do === "work" ? step.findings.map(findingLine) : [];
  const notes = step.do === "work" ? step.notes : undefined;
  return {
    feature: state.description,
    folder: state.folder,
    findings: findings.length === 0 ? "None." : findings.join("\n"),
    notes: notes === undefined ? "None." : `> ${notes.replaceAll("\n", "\n> ")}`,
    tests: testsText(events),
    figma: state.options.figmaUrl ?? "None.",
  };
}

function findingLine({ severity, file, line, problem, fix }: Finding): string {
  return `- ${severity} ${file}:${line} ${problem} Fix: ${fix}`;
}

function testsText(events: Events): string {
  const state = runOf(events);
  const step = nextStep(state);
  const last = state.evidence.at(-1);
  if (step.do === "work" && step.tdd === "red") {
    return "Write the tests first, for what is to be built, and nothing else: they have to fail before the change.";
  }
  if (last === undefined) return "They have not been run yet. They are run for you when you are done.";
  const counts = last.counts === undefined ? "" : `: ${last.counts.passed} passed, ${last.counts.failed} failed`;
  return `${last.argv.join(" ")}${counts}.${isRed(last) ? " Make them pass, and weaken none." : ""}`;
}
