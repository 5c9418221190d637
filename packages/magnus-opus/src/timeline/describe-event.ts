// One line for each event, in plain words.
import { count, formatDuration } from "@atomic/terminal/count";
import { money } from "@atomic/workflows/internal/view/page-amounts";
import type { Tone } from "@atomic/workflows/internal/view/page-charts";
import type { MagnusEvent, PersonIdentity } from "../run/event.ts";
import { decisionText } from "../run/held.ts";
import { findingText, verdictOf } from "../run/review.ts";

/** All of it may come from a model or a file. */
export interface EventDescription {
  readonly what: string;
  readonly detail: string;
  readonly tone: Tone;
}

export function nameOf({ name, how }: PersonIdentity): string {
  return `${name ?? "the user"} (${how})`;
}

export function whoOf(event: MagnusEvent): string {
  const { by } = event;
  if (by.kind === "person") return nameOf(by);
  if (by.kind === "plugin") return "plugin";
  // Several models review as the same agent.
  return event.type === "review-submitted" && event.model !== undefined ? `${by.agent} (${event.model})` : by.agent;
}

export function describe(event: MagnusEvent): EventDescription {
  switch (event.type) {
    case "run-started":
      return plain(`the run started: ${event.flow}, ${event.workflow}`, event.description);
    case "run-opened":
      return plain("the run was reopened");
    case "agents-named": {
      const agents = Object.entries(event.names).map(([ours, name]) => `${ours} is ${name}`);
      const commands = Object.entries(event.commands ?? {}).map(([ours, name]) => `/${ours} is /${name}`);
      const all = [...agents, ...commands].join(", ");
      if (all === "") return plain("our agents and commands have their own names again");
      const kinds = [...(agents.length === 0 ? [] : ["agents"]), ...(commands.length === 0 ? [] : ["commands"])];
      const what = kinds.join(" and ");
      return plain(`our ${what} were renamed, because you have ${what} with the same names`, all);
    }
    case "session-joined":
      return plain(`${event.agent} began`, [event.session, event.model ?? ""].filter((part) => part !== "").join(", "));
    case "session-ended":
      return event.outcome === "idle"
        ? plain("a session ended", event.session)
        : { what: `a session ended: ${event.outcome}`, detail: event.session, tone: "bad" };
    case "artifact-seen":
      return plain(event.bytes > 0 ? `${event.path} was written` : `${event.path} is empty or missing`);
    case "report-claimed":
      return plain(`${event.agent} writes ${event.path}`, event.session);
    case "review-concluded": {
      const { verdict, because, label, agreement } = event;
      const how = agreement === undefined || agreement === "single" ? "" : `, ${agreement}`;
      const tone = verdict === "approved" ? "good" : verdict === "blocked" ? "bad" : "warn";
      return { what: `concluded: ${because}`, detail: `${label}${how}; ${event.report}`, tone };
    }
    case "tree-seen":
      return plain("the files changed", event.tree.slice(0, 20));
    case "usage-seen":
      return plain(`cost ${money(event.usd)}`, event.session);
    case "tests-ran": {
      const { argv, exit, counts, ms, setBy, testFiles = 0 } = event.evidence;
      const detail = `${argv.join(" ")}, ${formatDuration(ms)}`;
      if (exit.kind === "timeout") return { what: "the tests took too long", detail, tone: "bad" };
      if (exit.kind === "not-started") {
        return { what: "the tests did not start", detail: `${detail}: ${exit.detail}`, tone: "bad" };
      }
      if (counts === undefined && setBy !== undefined && testFiles > 0) {
        const what = `tests exited with ${exit.code}; how many ran is unknown, so only the exit code counts`;
        return { what, detail: `${detail}, ${count(testFiles, "test file")}`, tone: exit.code === 0 ? "good" : "bad" };
      }
      if (counts === undefined) {
        return { what: `tests exited with ${exit.code}, but did not report how many ran`, detail, tone: "bad" };
      }
      const { passed, failed, skipped } = counts;
      const tone = failed === 0 && exit.code === 0 && passed > 0 ? "good" : "bad";
      const parts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])];
      return { what: `tests: ${parts.join(", ")}`, detail, tone };
    }
    case "call-refused":
      return { what: `${event.agent}'s ${event.tool} was refused: ${event.gate}`, detail: event.missing, tone: "bad" };
    case "paused":
      return { what: `the run paused: ${event.reason}`, detail: event.detail, tone: "warn" };
    case "held": {
      const { decision, from, why } = event;
      return { what: `held until you confirm it: ${decisionText(decision)}`, detail: `${from}; ${why}`, tone: "bad" };
    }
    case "confirmed":
      return { what: `confirmed the held decision ${event.held}`, detail: "", tone: "good" };
    case "dismissed":
      return { what: `dismissed the held decision ${event.held}`, detail: "", tone: "warn" };
    case "phase-ready":
      return plain(`reported ${event.phase} as finished`);
    case "review-submitted": {
      const { submission } = event;
      if ("abstains" in submission)
        return {
          what: "abstained from a review",
          detail: [submission.abstains, ...(submission.words ?? [])].join("; "),
          tone: "warn",
        };
      const verdict = verdictOf(submission);
      const { findings, summary } = submission;
      const worst = findings.map(({ fix: _, ...finding }) => findingText(finding));
      return {
        what: `reviewed: ${verdict}${findings.length > 0 ? `, ${count(findings.length, "finding")}` : ""}`,
        detail: [summary, ...worst].join("; "),
        tone: verdict === "APPROVED" ? "good" : "bad",
      };
    }
    case "approved":
      return { what: `approved ${event.phase}`, detail: "", tone: "good" };
    case "rejected":
      return { what: `rejected ${event.phase}, back to ${event.to}`, detail: event.notes, tone: "warn" };
    case "waived":
      return { what: `waived ${event.gate} of ${event.phase}`, detail: event.why, tone: "warn" };
    case "type-chosen":
      return plain(`chose ${event.workflow}`);
    case "resumed":
      return plain("resumed the run");
    case "cancelled":
      return { what: "cancelled the run", detail: event.why, tone: "warn" };
    case "budget-raised": {
      const { run, phase, maxIterations } = event;
      const limits = [
        ...Object.entries(run).map(([limit, amount]) => `${limit}=${amount}`),
        ...Object.entries(phase).map(([limit, amount]) => `phase.${limit}=${amount}`),
        ...(maxIterations === undefined ? [] : [`iterations=${maxIterations}`]),
      ];
      return plain("raised the budget", limits.join(" "));
    }
  }
}

function plain(what: string, detail = ""): EventDescription {
  return { what, detail, tone: "plain" };
}
