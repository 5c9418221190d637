import { expect, test } from "bun:test";
import { phaseNames } from "../../src/run/phase-name.ts";
import { phases } from "../../src/run/phases.ts";
import { Sessions } from "../../src/sessions/sessions.ts";
import { SimulatedRun } from "../run/simulated-run.ts";
import {
  approving,
  blocking,
  type FinishedRun,
  folderIn,
  goodAgents,
  Project,
  runImplement,
  type ScriptedAgents,
} from "./run-implement.ts";

const page = { feature: "a settings page with a form and buttons", skipPlanReview: false };
const yes = "yes";

function route({ state }: Pick<FinishedRun, "state">): string[] {
  return state.visits.map(({ phase, left }) => (left === "passed" ? phase : `${phase} (${left})`));
}

/** Builds something new each time. */
const building = (project: Project, time: number): string => {
  project.write("src/feature.js", `// ${time}\n`);
  return "built";
};

test.each(["UI_FOCUSED", "MIXED"] as const)(
  "a feature that is %s goes through the phases of its type",
  async (type) => {
    await using project = await Project.make();
    const played = await runImplement(project, goodAgents, { ...page, type }, [yes, yes]);
    expect(played.status.kind).toBe("done");
    const simulated = new SimulatedRun({ workflow: type });
    simulated.play();
    expect(route(played)).toEqual(route(simulated));
    const builders =
      type === "MIXED" ? ["implementation-developer", "implementation-backend"] : ["implementation-developer"];
    expect(played.asked).toEqual([
      ...["architecture-architect", "plan-review-plan-reviewer", ...builders],
      ...["design-validation-designer", "code-review-reviewer", "testing-tester"],
    ]);
    expect(played.state.evidence.map(({ counts }) => counts)).toEqual([{ passed: 3, failed: 0, skipped: 0 }]);
  },
);

test("it leaves the same session folder as OpenCode, with a summary and a timeline", async () => {
  await using project = await Project.make();
  const { state, questions } = await runImplement(project, goodAgents, { ...page, type: "UI_FOCUSED" }, [yes, yes]);
  const [session] = new Sessions(project.dir).list();
  expect(session).toMatchObject({ id: state.run, meta: { status: "completed", workflowType: "UI_FOCUSED" } });
  expect(project.read(`${state.folder}/final-summary.md`)).toContain("approved by the user (shell)");
  expect(project.read(`${state.folder}/timeline.html`)).toStartWith("<!doctype html>");
  expect(questions).toHaveLength(2);
  expect(questions[0]).toBe(
    [
      `Plan Review of "a settings page with a form and buttons" needs the user's approval of the plan.`,
      `Read first: ${state.folder}/implementation-plan.md, ${state.folder}/quick-reference.md.`,
      'Answer yes to approve, "reject <what to change>", "waive <gate> <reason>", or "cancel <reason>".',
    ].join("\n"),
  );
  expect(questions[1]).toContain("Worth knowing: single-model review.");
});

test("a functions-only feature is built by tests that fail first", async () => {
  await using project = await Project.make();
  const backend: ScriptedAgents["backend"] = (_, __, time) => {
    project.setTests(time === 1 ? { passed: 3, failed: 1 } : { passed: 4, failed: 0 });
    return building(project, time);
  };
  const agents = { ...goodAgents, backend };
  const played = await runImplement(project, agents, { ...page, type: "API_FOCUSED", skipPlanReview: true }, [
    yes,
    yes,
  ]);
  expect(played.status.kind).toBe("done");
  expect(route(played)).toEqual([
    "requirements",
    "architecture",
    "implementation",
    "code-review",
    "acceptance",
    "cleanup",
  ]);
  expect(played.state.evidence.map(({ counts }) => counts?.failed)).toEqual([1, 0]);
  const [red, green] = played.prompts.filter((prompt) => prompt.startsWith("# Build"));
  expect([red, green]).toEqual([
    expect.stringContaining("Write the tests for the change"),
    expect.stringContaining("Make the tests pass"),
  ]);
});

test("a rejected plan goes back with the user's notes, and no one builds before it is approved", async () => {
  await using project = await Project.make();
  const played = await runImplement(project, goodAgents, { ...page, type: "UI_FOCUSED" }, [
    "reject without the buttons",
    yes,
    yes,
  ]);
  expect(played.status.kind).toBe("done");
  const planning = ["requirements", "architecture", "plan-review (sent-back)", "architecture", "plan-review"];
  expect(route(played).slice(0, 5)).toEqual(planning);
  const asked = ["architecture-architect", "plan-review-plan-reviewer"];
  expect(played.asked.slice(0, 4)).toEqual([...asked, ...asked]);
  expect(played.prompts[0]).not.toContain("without the buttons");
  expect(played.prompts[2]).toContain("> without the buttons");
});

test("building agents fix failing tests, which then run again", async () => {
  await using project = await Project.make();
  const developer: ScriptedAgents["developer"] = (_, { path }, time) => {
    const isRepair = path.includes("testing");
    project.setTests(isRepair ? { passed: 4, failed: 0 } : { passed: 3, failed: 1 });
    return building(project, time);
  };
  const played = await runImplement(project, { ...goodAgents, developer }, { ...page, type: "UI_FOCUSED" }, [yes, yes]);
  expect(played.status.kind).toBe("done");
  expect(played.asked.slice(-3)).toEqual(["testing-tester", "testing-developer", "testing-tester"]);
  expect(played.state.evidence.map(({ counts }) => counts?.failed)).toEqual([1, 0]);
  expect(played.prompts.at(-2)).toContain("3 passed, 1 failed. Make the tests pass without weakening any of them.");
});

test("tests that keep failing pause the run for the user, whatever the agents say", async () => {
  await using project = await Project.make();
  project.setTests({ passed: 2, failed: 1 });
  const answers = [yes, "waive all_tests_pass known, and not ours", yes, "waive all_tests_pass as before", yes];
  const played = await runImplement(project, goodAgents, { ...page, type: "UI_FOCUSED" }, answers);
  expect(played.questions[1]).toContain("The run is paused (stuck): Testing still lacks 1 of 3 tests failed");
  expect(played.state.waivers[0]).toMatchObject({
    gate: "all_tests_pass",
    why: "known, and not ours",
    by: { kind: "person" },
  });
  expect(played.asked.filter((each) => each === "testing-tester")).toHaveLength(4);
  expect(route(played)).toContain("testing (waived)");
});

test("a review that blocks sends the work back with its findings, and then approves", async () => {
  await using project = await Project.make();
  const reviewer: ScriptedAgents["reviewer"] = async (_, request, time) => {
    await goodAgents.reviewer!(project, request, time);
    return time === 1 ? blocking : approving;
  };
  const developer: ScriptedAgents["developer"] = (_, { path }) => {
    project.write("src/feature.js", `// ${path}\n`);
    return "built";
  };
  const played = await runImplement(project, { ...goodAgents, reviewer, developer }, { ...page, type: "UI_FOCUSED" }, [
    yes,
    yes,
  ]);
  expect(played.status.kind).toBe("done");
  expect(route(played).slice(5, 8)).toEqual(["code-review (sent-back)", "review-fixes", "code-review"]);
  expect(played.prompts.find((prompt) => prompt.startsWith("# Fix"))).toContain(
    "- MAJOR src/feature.js:1 wrong Fix: right",
  );
});

test("a review that never approves asks the user after the same number of rounds as in OpenCode", async () => {
  await using project = await Project.make();
  const reviewer: ScriptedAgents["reviewer"] = async (_, request, time) => {
    await goodAgents.reviewer!(project, request, time);
    return blocking;
  };
  const answers = [yes, "waive all_reviewers_approve the reviewer is wrong", yes];
  const played = await runImplement(project, { ...goodAgents, reviewer }, { ...page, type: "UI_FOCUSED" }, answers);
  expect(played.status.kind).toBe("done");
  expect(played.state.rounds["code-review"]).toBe(3);
  expect(played.questions[1]).toContain("1 of 1 reviewer wants changes, after 3 rounds of fixes");
});

test("an unreadable review counts as an abstention, and abstentions alone let nothing pass", async () => {
  await using project = await Project.make();
  const replies = [
    "All good, approved!",
    '```json\n{ "verdict": "APPROVED" }\n```',
    "I would approve it, but my JSON is broken: {",
  ];
  const reviewer: ScriptedAgents["reviewer"] = async (_, request, time) => {
    await goodAgents.reviewer!(project, request, time);
    return replies[time - 1]!;
  };
  const played = await runImplement(project, { ...goodAgents, reviewer }, { ...page, type: "UI_FOCUSED" }, [
    yes,
    "cancel no reviewer",
  ]);
  expect(played.status).toMatchObject({
    kind: "failed",
    error: { message: expect.stringContaining("The user cancelled the run: no reviewer.") },
  });
  const reviews = played.state.votes.filter(({ phase }) => phase === "code-review").map(({ submission }) => submission);
  expect(reviews).toHaveLength(3);
  expect(reviews.every((review) => "abstains" in review)).toBe(true);
  expect(played.questions[1]).toContain(
    "Code Review still lacks 0 of 1 reviewers have voted; reviewer abstained, and 2 delegations in a row have not changed that",
  );
});

test("an agent that changes the project before the plan is approved stops the run", async () => {
  await using project = await Project.make();
  const architect: ScriptedAgents["architect"] = (_, request) => {
    project.write("src/feature.js", "built already\n");
    return goodAgents.architect!(project, request, 1) as string;
  };
  const played = await runImplement(project, { ...goodAgents, architect }, { ...page, type: "UI_FOCUSED" }, ["cancel"]);
  expect(played.questions[0]).toContain(
    "architect changed the project's files in the architecture phase, in which agents may not do that",
  );
  expect(played.asked).toEqual(["architecture-architect"]);
});

test("a meaningless answer is asked for again, with the reason", async () => {
  await using project = await Project.make();
  const answers = ["no", "perhaps", "waive user_approval", "reject", yes, yes];
  const played = await runImplement(project, goodAgents, { ...page, type: "UI_FOCUSED" }, answers);
  expect(played.status.kind).toBe("done");
  expect(played.questions.slice(1, 5).map((question) => question.split("\n")[0])).toEqual([
    expect.stringContaining(
      "Nothing was recorded: a rejection must say what to change. Answer yes, or start your answer with approve",
    ),
    expect.stringContaining("Nothing was recorded: this is not a valid answer."),
    expect.stringContaining("Nothing was recorded: a waiver needs a reason."),
    expect.stringContaining("Nothing was recorded: a rejection must say what to change."),
  ]);
  expect(played.questions[5]).not.toContain("Nothing was recorded");
});

test("a failing host pauses the run, and a yes asks the agent again", async () => {
  await using project = await Project.make();
  let failures = 1;
  const architect: ScriptedAgents["architect"] = (_, request) => {
    if (failures-- > 0) throw new Error("the model is overloaded");
    return goodAgents.architect!(project, request, 2);
  };
  const played = await runImplement(project, { ...goodAgents, architect }, { ...page, type: "UI_FOCUSED" }, [
    yes,
    yes,
    yes,
  ]);
  expect(played.status.kind).toBe("done");
  expect(played.questions[0]).toContain("The run is paused (error): architect: ");
  expect(played.questions[0]).toContain("the model is overloaded");
});

test("a feature of unknown type asks for the type first", async () => {
  await using project = await Project.make();
  const played = await runImplement(project, goodAgents, { feature: "make it better", skipPlanReview: true }, [
    "approve --type=UI",
    yes,
    yes,
  ]);
  expect([played.status.kind, played.state.workflow]).toEqual(["done", "UI_FOCUSED"]);
  expect(played.questions[0]).toContain("needs the workflow type.");
});

test.each([
  [{ feature: " ", skipPlanReview: false }, "The description is missing"],
  [{ ...page, type: "SOME" }, 'SOME\\" is not one of'],
  [{ ...page, figma: "no address" }, "is not a URL"],
])("%p starts nothing, and it says why", async (input, message) => {
  await using project = await Project.make();
  const played = await runImplement(project, goodAgents, input, []).catch((error: Error) => error);
  expect(JSON.stringify(played instanceof Error ? played.message : played.status)).toContain(message);
  expect(new Sessions(project.dir).list()).toEqual([]);
});

test("without a test command the run waits, and never assumes that the tests pass", async () => {
  await using project = await Project.make();
  project.settings({ tests: {} });
  const played = await runImplement(project, goodAgents, { ...page, type: "UI_FOCUSED" }, [yes, "cancel no tests"]);
  expect(played.questions[1]).toContain(
    "Cannot run the tests: no test command is known for this project (stack: generic).",
  );
  expect(played.state.status.kind).toBe("cancelled");
});

test("a run's sessions are counted, and a used-up budget asks the user", async () => {
  await using project = await Project.make();
  project.settings({ budget: { sessions: 2 } });
  const answers = [yes, "raise sessions=20", yes];
  const played = await runImplement(project, goodAgents, { ...page, type: "UI_FOCUSED" }, answers);
  expect(played.questions[1]).toContain("The run is paused (budget): the run has used 2 of 2 sessions");
  expect(played.status.kind).toBe("done");
});

test("every phase is in the graph, and every prompt comes from its phase's folder", async () => {
  await using project = await Project.make();
  const seen = new Set<string>();
  const watching = Object.fromEntries(
    Object.entries(goodAgents).map(([name, agent]) => [
      name,
      (_: Project, request: Parameters<typeof agent>[1], time: number) => {
        seen.add(folderIn(request));
        return agent(project, request, time);
      },
    ]),
  );
  const { state } = await runImplement(project, watching, { ...page, type: "UI_FOCUSED" }, [yes, yes]);
  expect([...seen]).toEqual([state.folder]);
  expect(phaseNames.filter((name) => phases[name].returnsTo === undefined)).toEqual(
    state.visits.map(({ phase }) => phase),
  );
});
