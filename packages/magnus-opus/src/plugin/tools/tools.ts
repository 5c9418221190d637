import { count } from "@atomic/terminal/count";
import * as z from "zod/mini";
import { lostReview, placedReview } from "../../evidence/placed-review.ts";
import { evidenceOf, runTests } from "../../evidence/run-tests.ts";
import { testCommand } from "../../evidence/test-command.ts";
import { withCommands } from "../../run/command-names.ts";
import { testVerdict } from "../../run/evidence.ts";
import { hasRed, roleOf } from "../../run/gates.ts";
import { readSubmission } from "../../run/read-submission.ts";
import { categories, severities, verdictOf, verdicts } from "../../run/review.ts";
import { lookUp } from "../../run/state.ts";
import { expiredSessions, SessionError, Sessions } from "../../sessions/sessions.ts";
import { elsewhereWords } from "../../words/elsewhere-words.ts";
import { stepWords } from "../../words/step-words.ts";
import { fill, words } from "../../words/template.ts";
import { askPerson } from "../approval/ask-person.ts";
import { endedAt, listSessions, whyStillNeeded } from "../commands/cleanup.ts";
import { statusOf } from "../commands/status.ts";
import { builtBeforeTest } from "../hooks/tool-calls.ts";
import { backgroundTools } from "./background-tools.ts";
import { magnusStart } from "./start.ts";
import { conclusionTitle, phaseTitle, reviewTitle, testsTitle } from "./titles.ts";
import type { MagnusTool } from "./tool.ts";

const magnusNext: MagnusTool = {
  name: "magnus_next",
  title: phaseTitle,
  schema: { type: "object", properties: {} },
  async run(magnus, _, call) {
    const { session, agent } = call;
    await magnus.events.idle();
    const found = await magnus.runs.of(session);
    if (found === undefined) {
      const ids = magnus.runs.ids().slice(0, 5);
      return fill(withCommands(words("no-run"), magnus.settings.commandNames), {
        others: ids.length === 0 ? "" : `Runs in other sessions: ${ids.join(", ")}.`,
      });
    }
    if (found.kind === "closed") return elsewhereWords(magnus.settings.commandNames, found);
    if (found.kind === "over") return stepWords(found.state);
    const { run } = found;
    if (session !== run.root || roleOf(run.state, agent) !== "orchestrator") {
      return `Only the orchestrator of run ${run.state.run} may do this, in session ${run.root}.`;
    }
    await run.refreshWithFiles();
    // A phase that was not announced to the orchestrator yet cannot be finished.
    if (run.isPhaseAnnounced && run.state.status.kind === "running") {
      const by = { kind: "agent", agent, session } as const;
      await run.append({ type: "phase-ready", at: Date.now(), by, phase: run.state.phase });
      await run.pauseIfStuck();
    }
    const answered = await askPerson(magnus, run, call);
    run.announcePhase();
    return [answered, stepWords(run.state, magnus.settings.unable)].filter(Boolean).join("\n\n");
  },
};

const magnusReview: MagnusTool = {
  name: "magnus_review",
  title: conclusionTitle,
  schema: { type: "object", properties: {} },
  async run(magnus, _, call) {
    const { runReview } = await import("../review/run-review.ts");
    return await runReview(magnus, call);
  },
};

const magnusStatus: MagnusTool = {
  name: "magnus_status",
  title: phaseTitle,
  schema: { type: "object", properties: { run: { type: "string" } } },
  async run(magnus, args, { session }) {
    return await statusOf(
      magnus,
      session,
      z.safeParse(z.object({ run: z.optional(z.string()) }), args).data?.run ?? "",
    );
  },
};

const sessionActions = ["list", "archive", "delete"] as const;

const magnusSessions: MagnusTool = {
  name: "magnus_sessions",
  title: () => "Sessions",
  schema: {
    type: "object",
    properties: { action: { type: "string", enum: sessionActions }, session: { type: "string" } },
    required: ["action"],
  },
  async run(magnus, args) {
    const read = z.safeParse(z.object({ action: z.enum(sessionActions), session: z.optional(z.string()) }), args);
    if (!read.success) return `\`magnus_sessions\` needs an action: ${sessionActions.join(", ")}.`;
    const { action, session = "" } = read.data;
    if (action === "list") return listSessions(magnus);
    try {
      const sessions = new Sessions(magnus.workplace.directory);
      const { id } = sessions.find(session);
      const why = whyStillNeeded(magnus, id);
      if (why !== undefined) return why;
      // Only people delete sessions, unless their settings say how long one is kept.
      const expired = expiredSessions(sessions.list(), magnus.settings.config.sessionSettings, Date.now(), (each) =>
        endedAt(magnus, each),
      );
      if (action === "delete" && !expired.some((each) => each.id === id)) {
        return `${id} is not old enough to be deleted by an agent. The user can: ${withCommands(`\`/cleanup ${id}\``, magnus.settings.commandNames)}.`;
      }
      await magnus.runs.forget(id);
      if (action === "archive") return `Archived ${id} to ${await sessions.archive(id)}.`;
      await sessions.remove(id);
      return `Deleted ${id}.`;
    } catch (error) {
      if (error instanceof SessionError) return `${error.message} ${error.hint}`;
      throw error;
    }
  },
};

const runTestsTool: MagnusTool = {
  name: "run_tests",
  title: testsTitle,
  schema: { type: "object", properties: {} },
  async run(magnus, _, { id, session, abort }) {
    const { directory: project, worktree } = magnus.workplace;
    const { config, stack } = magnus.settings;
    const command = testCommand(project, config.tests, stack.stack);
    if ("unknown" in command) return `Cannot run the tests: ${command.unknown}`;
    const known = magnus.runs.known(session);
    const ran = await runTests({
      ...command,
      testGlobs: stack.stack.testFiles,
      project,
      tree: worktree,
      env: { ...process.env, ...(known && magnus.programs.env(known.state.run, id)) },
      signal: abort,
    });
    const { ended, exitCode, counts, ms, tail } = ran;
    const how = ended === "exit" ? `exit code ${exitCode}` : ended;
    const many = counts ? `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped` : "no counts";
    const seconds = (ms / 1000).toFixed(1);
    const summary = `\`${command.argv.join(" ")}\`: ${how}, ${many}, ${seconds} s\n\n\`\`\`\n${tail.trim()}\n\`\`\``;
    const proof = evidenceOf(ran);
    const found = await magnus.runs.of(session);
    if (found?.kind !== "driven") return `${summary}\n\nThis is not evidence: this session is not part of a run.`;
    if ("nothing" in proof) return `${summary}\n\nThis is not evidence: ${proof.nothing}.`;
    const early = await builtBeforeTest(found.run);
    const { state } = found.run;
    const isRed = hasRed({ ...state, evidence: [...state.evidence, proof.evidence] });
    if (isRed && early !== "") return `${summary}\n\nThis is not evidence: ${early}`;
    const { evidence, tree, options } = await found.run.record({ type: "tests-ran", evidence: proof.evidence });
    const verdict = testVerdict(evidence, { ...options, tree });
    return `${summary}\n\nEvidence: ${verdict.passed ? `the tests pass${verdict.because === undefined ? "" : `: ${verdict.because}`}` : verdict.because}.`;
  },
};

const text = { type: "string" };

const submitReview: MagnusTool = {
  name: "submit_review",
  title: reviewTitle,
  schema: {
    type: "object",
    properties: {
      verdict: { type: "string", enum: verdicts },
      summary: text,
      findings: {
        type: "array",
        items: {
          type: "object",
          properties: {
            severity: { type: "string", enum: severities },
            file: text,
            line: { type: "integer" },
            endLine: { type: "integer" },
            category: { type: "string", enum: categories },
            problem: text,
            fix: text,
          },
          required: ["severity", "category", "file", "line", "problem", "fix"],
        },
      },
    },
    required: ["verdict", "summary", "findings"],
  },
  async run(magnus, args, { session, agent }) {
    const found = await magnus.runs.of(session);
    if (found?.kind !== "driven")
      return "This session is not part of a run in this OpenCode instance; nothing was submitted.";
    const { run } = found;
    const review = readSubmission(args);
    const places = { ...magnus.workplace, folder: run.folder };
    const placed = "abstains" in review ? { review, problems: [] } : placedReview(review, places);
    const misplaced = placed.problems.map((each) => `- ${each}`).join("\n");
    const { ignored } = await run.refreshWithFiles();
    const model = lookUp(run.state.sessions, session)?.model;
    const by = { kind: "agent", agent, session } as const;
    // If it is not submitted again, the report still says what the reviewer found.
    const submission = placed.review ?? lostReview(review, placed.problems);
    await run.append({
      type: "review-submitted",
      at: Date.now(),
      by,
      submission,
      ...(model !== undefined && { model }),
    });
    if (run.state.ignored > ignored)
      return `Not counted: ${agent} may not review from this session in the ${run.state.phase} phase.`;
    if (placed.review === undefined)
      return `Not submitted, because these findings have no valid location:\n${misplaced}\nCheck the files and submit the whole review again.`;
    if ("abstains" in submission)
      return `This counts as an abstention: ${submission.abstains}. Submit the whole review again.`;
    const submitted = `Submitted: ${verdictOf(submission)}, ${count(submission.findings.length, "finding")}.`;
    if (misplaced === "") return submitted;
    return `${submitted}\nThese findings have no valid location:\n${misplaced}\nIf you can, check the files and submit the whole review again.`;
  },
};

/** The workflow's tools. An agent only sees those that `agents/*.md` allows it. */
export const tools: readonly MagnusTool[] = [
  magnusStart,
  magnusNext,
  magnusReview,
  magnusStatus,
  magnusSessions,
  runTestsTool,
  submitReview,
  ...backgroundTools,
];
