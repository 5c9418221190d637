import { beforeAll, describe, expect, test } from "bun:test";
import type { Limits } from "../../src/run/budget.ts";
import { type AttemptedCall, type CallDecision, decide } from "../../src/run/decide.ts";
import * as persons from "../../src/run/person-actions.ts";
import { offerCommands } from "../../src/run/person-commands.ts";
import type { PhaseName, WorkflowType } from "../../src/run/phase-name.ts";
import { reduce } from "../../src/run/reduce.ts";
import { refusalText } from "../../src/run/refusal.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { anna, folder, plugin, type RunStart, root, SimulatedRun, started, worktree } from "./simulated-run.ts";

beforeAll(() => offerCommands({ commands: "shell", update: "hugo update magnus-opus" }));

/** A run that has just come to a phase, all by the rules. */
function at(phase: PhaseName, workflow: WorkflowType = "UI_FOCUSED", options: RunStart["options"] = {}): MagnusState {
  const run = new SimulatedRun({ workflow, options }, { designRounds: 1, codeRounds: 1 });
  while (run.state.phase !== phase) if (!run.step()) run.person(persons.approve);
  return run.state;
}

function call(agent: string, tool: string, args: unknown = {}, more: Partial<AttemptedCall> = {}): AttemptedCall {
  const isChild = agent !== "orchestrator" && agent !== "build";
  return { tool, args, agent, session: isChild ? "ses_1" : root, isChild, depth: isChild ? 1 : 0, at: 0, ...more };
}

const edit = (agent: string, filePath: string): AttemptedCall =>
  call(agent, "edit", { filePath, oldString: "", newString: "" });
const bash = (agent: string, command: string): AttemptedCall => call(agent, "bash", { command });
const task = (agent: string, wanted: unknown): AttemptedCall => call(agent, "task", { subagent_type: wanted });
const gateOf = (decision: CallDecision): string => (decision.do === "allow" ? "allow" : decision.gate);
const inSession = (name: string): string => `${worktree}/${folder}/${name}`;

function verdicts(state: MagnusState, calls: readonly AttemptedCall[]): string[] {
  return calls.map((each) => gateOf(decide(state, each)));
}

describe("a session that gets another task", () => {
  const again = (task_id: unknown, agent = "architect"): AttemptedCall =>
    call("orchestrator", "task", { subagent_type: agent, task_id });
  const joined = reduce(at("architecture"), {
    ...{ type: "session-joined", at: 0, by: plugin, session: "ses_plan", parent: root, agent: "architect", depth: 1 },
  });

  test("must be one of this run with the same agent", () => {
    expect(verdicts(joined, [again("ses_plan"), again(undefined), again("")])).toEqual(["allow", "allow", "allow"]);
    const others = [again("ses_plan", "explorer"), again("ses_foreign"), again(root), again(7), again("constructor")];
    expect(new Set(verdicts(joined, others))).toEqual(new Set(["session"]));
  });

  test("is named when it is refused, with what to do instead", () => {
    expect(decide(joined, again("ses_foreign"))).toMatchObject({
      missing: "one of this run's architect sessions; ses_foreign is not one",
      satisfy: "omit `task_id` to start a new session",
    });
  });
});

test("a refusal names the gate, what is missing, and the commands for OpenCode and the shell", () => {
  const state = at("architecture");
  const decision = decide(state, edit("developer", "src/a.ts"));
  if (decision.do === "allow") throw new Error("allowed");
  expect(refusalText(state, "edit", decision)).toBe(
    [
      "Magnus Opus refused edit in the architecture phase (gate: user_approval).",
      "Missing: the user's approval of implementation-plan.md.",
      "To satisfy it: finish the architecture phase and call magnus_next; then the user types `/approve` (or in a shell `magnus-opus approve impl-1`).",
      'To continue without it: `/waive user_approval <reason>` (or in a shell `magnus-opus waive impl-1 user_approval "<reason>"`).',
      "Do not try to work around this; the user has to decide.",
    ].join("\n"),
  );
});

describe("before the approval", () => {
  const state = at("architecture");

  test("the architect writes the plan, and nothing else", () => {
    const paths = [
      "implementation-plan.md",
      "quick-reference.md",
      "notes.md",
      "final-summary.md",
      "reviews/code-review/a.md",
    ];
    const found = verdicts(
      state,
      paths.map((path) => edit("architect", inSession(path))),
    );
    expect(found).toEqual(["allow", "allow", "allow", "phase", "phase"]);
    expect(gateOf(decide(state, edit("architect", "src/a.ts")))).toBe("user_approval");
  });

  test("no other agent writes into the session folder", () => {
    const agents = ["developer", "reviewer", "explorer", "orchestrator", "build", ""];
    const found = verdicts(
      state,
      agents.map((agent) => edit(agent, inSession("implementation-plan.md"))),
    );
    expect(new Set(found)).toEqual(new Set(["phase"]));
  });

  test("the shell is read-only for everyone", () => {
    expect(
      verdicts(
        state,
        ["architect", "developer", "build", ""].map((agent) => bash(agent, "git log | head")),
      ),
    ).toEqual(Array(4).fill("allow"));
    expect(
      verdicts(
        state,
        ["architect", "developer", "build", ""].map((agent) => bash(agent, "npm test")),
      ),
    ).toEqual(Array(4).fill("user_approval"));
  });

  test("the orchestrator delegates to planning and read-only agents, not to building ones", () => {
    const wanted = ["architect", "explorer", "developer", "backend", "ui-developer", "reviewer", "general", undefined];
    expect(
      verdicts(
        state,
        wanted.map((agent) => task("orchestrator", agent)),
      ),
    ).toEqual([...["allow", "allow", "user_approval", "user_approval", "user_approval", "phase", "phase", "phase"]]);
  });

  test("other tools wait for the approval, unless they are known to be read-only", () => {
    expect(
      verdicts(
        state,
        ["playwright_click", "anything", "context7_get", "figma_get_data"].map((tool) => call("architect", tool)),
      ),
    ).toEqual(["user_approval", "user_approval", "allow", "allow"]);
  });

  test("only names that OpenCode's own tools have are known: one of another plugin waits, however harmless it sounds", () => {
    const plan = { filePath: inSession("implementation-plan.md"), command: "ls" };
    const tools = [
      "list",
      "ls",
      "todoread",
      "codesearch",
      "Read",
      "GREP",
      "multiedit",
      "patch",
      "Write",
      "shell",
      "Bash",
    ];
    const found = verdicts(
      state,
      tools.map((tool) => call("architect", tool, plan)),
    );
    expect(found).toEqual(tools.map(() => "user_approval"));
  });

  test("tools that read, ask or take notes are never refused", () => {
    const tools = [
      "read",
      "glob",
      "grep",
      "webfetch",
      "skill",
      "question",
      "todowrite",
      "magnus_next",
      "magnus_status",
    ];
    expect(
      verdicts(
        state,
        tools.map((tool) => call("build", tool)),
      ),
    ).toEqual(tools.map(() => "allow"));
  });
});

describe("while it is built", () => {
  const state = at("implementation");

  test("only the agents that build this workflow type may edit, and only the project", () => {
    const agents = ["developer", "backend", "reviewer", "orchestrator", "build", ""];
    expect(
      verdicts(
        state,
        agents.map((agent) => edit(agent, "src/a.ts")),
      ),
    ).toEqual(["allow", ...Array(5).fill("phase")]);
    const outside = [
      "/etc/passwd",
      "../x",
      "/project2/a",
      ".git/hooks/pre-commit",
      "sub/.GIT/config",
      ".opencode/plugins/a.ts",
    ];
    const governing = [
      "opencode.json",
      "packages/a/opencode.jsonc",
      "magnus-opus.jsonc",
      "ai-docs/sessions/other/x.md",
      ".",
    ];
    const own = ["journal.jsonl", "Journal.jsonl.lock/1", "session-meta.json"].map(inSession);
    const found = verdicts(
      state,
      [...outside, ...governing, ...own].map((path) => edit("developer", path)),
    );
    expect(new Set(found)).toEqual(new Set(["record"]));
  });

  test("the approved plan cannot be written anymore", () => {
    expect(gateOf(decide(state, edit("developer", inSession("implementation-plan.md"))))).toBe("phase");
    expect(gateOf(decide(state, edit("architect", inSession("implementation-plan.md"))))).toBe("phase");
  });

  test("a plan that changes all the same needs its approval again before anything else is written", () => {
    const changed = {
      type: "artifact-seen",
      at: 1,
      by: plugin,
      path: "implementation-plan.md",
      hash: "other",
      bytes: 9,
    } as const;
    const later = reduce(state, changed);
    expect(
      verdicts(later, [edit("developer", "src/a.ts"), bash("developer", "npm i"), task("orchestrator", "developer")]),
    ).toEqual(Array(3).fill("user_approval"));
    const acted = persons.approve(later, { by: anna, at: 2 });
    if (!acted.ok) throw new Error(acted.because);
    const again = reduce(later, acted.event);
    expect([again.phase, gateOf(decide(again, edit("developer", "src/a.ts")))]).toEqual(["implementation", "allow"]);
  });

  test("building agents have the shell, but may not act as the user or touch the record", () => {
    const lines = ["npm test", "npm i x && npm run build > log", "git commit -m x", "cat magnus-opus/readme.md"];
    expect(
      verdicts(
        state,
        lines.map((line) => bash("developer", line)),
      ),
    ).toEqual(lines.map(() => "allow"));
    const acting = [
      "magnus-opus approve impl-1",
      "npx magnus-opus waive x y",
      "'magnus-opus' \"approve\" x",
      "opencode run hi",
    ];
    const record = [`echo x >> ${folder}/journal.jsonl`, "opencode serve"];
    expect(
      verdicts(
        state,
        [...acting, ...record].map((line) => bash("developer", line)),
      ),
    ).toEqual(Array(6).fill("record"));
    expect(gateOf(decide(state, bash("explorer", "npm test")))).toBe("phase");
  });

  test("a patch is judged by every file it names, and refused if it cannot be parsed", () => {
    const patch = (...lines: string[]): AttemptedCall =>
      call("developer", "apply_patch", { patchText: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
    expect(gateOf(decide(state, patch("*** Add File: src/a.ts", "+x", "*** Update File: src/b.ts", "+y")))).toBe(
      "allow",
    );
    expect(gateOf(decide(state, patch("*** Add File: src/a.ts", "+x", "*** Delete File: opencode.json")))).toBe(
      "record",
    );
    expect(gateOf(decide(state, patch("*** Update File: src/a.ts", "*** Move to: .git/x", "+x")))).toBe("record");
    expect(
      verdicts(state, [
        patch(),
        patch("*** Add File: src/a.ts", "*** Strange: a"),
        call("developer", "apply_patch", {}),
        call("developer", "edit", 1),
      ]),
    ).toEqual(Array(4).fill("phase"));
  });

  test("a patch is read as OpenCode reads it: a carriage return does not end a line", () => {
    const patch = (text: string): AttemptedCall => call("developer", "apply_patch", { patchText: text });
    const whole = (line: string): AttemptedCall => patch(`*** Begin Patch\n${line}\n+x\n*** End Patch`);
    expect(
      verdicts(state, [
        whole("*** Add File: src/a.ts\r/../../../outside.ts"),
        whole("*** Add File: src/a.ts\r*** Add File: src/b.ts"),
        whole("*** Add File: src/a\u0000.ts"),
        whole("*** Add File:"),
      ]),
    ).toEqual(Array(4).fill("phase"));
    // Without a space after the colon, with CRLF, and with a rule of Markdown in a line of context.
    const harmless = [
      whole("*** Add File:src/a.ts\r"),
      patch("*** Begin Patch\r\n*** Update File: src/a.ts\r\n@@\n ***\n*** End Patch\r\n"),
    ];
    expect(verdicts(state, harmless)).toEqual(["allow", "allow"]);
  });

  test("paths are relative to where the session works", () => {
    const inside = { ...edit("developer", "../a.ts"), directory: `${worktree}/src` };
    const outside = { ...edit("developer", "../../a.ts"), directory: `${worktree}/src` };
    expect(verdicts(state, [inside, outside])).toEqual(["allow", "record"]);
  });
});

describe("by tests first", () => {
  const state = at("implementation", "API_FOCUSED");

  test("a test is written before the code", () => {
    const paths = [
      "convex/a.test.ts",
      "tests/a.ts",
      "src/__tests__/a.ts",
      "vitest.config.ts",
      "convex/a.ts",
      "src/latest/a.ts",
    ];
    expect(
      verdicts(
        state,
        paths.map((path) => edit("backend", path)),
      ),
    ).toEqual([...["allow", "allow", "allow", "allow", "red_test", "red_test"]]);
  });

  test("a test that fails opens the rest", () => {
    const evidence = {
      ...{ argv: ["npm", "test"], tree: "tree-1", exit: { kind: "code", code: 1 } as const, ms: 1, outputHash: "" },
      counts: { passed: 0, failed: 1, skipped: 0 },
    };
    const red = reduce(state, { type: "tests-ran", at: 1, by: plugin, evidence });
    expect(gateOf(decide(red, edit("backend", "convex/a.ts")))).toBe("allow");
  });
});

test("reviewers write a report and a verdict, and change nothing", () => {
  for (const [phase, judge, report] of [
    ["design-validation", "designer", "design-validation.md"],
    ["code-review", "reviewer", "reviews/code-review/a.md"],
  ] as const) {
    const state = at(phase);
    const calls = [
      edit(judge, inSession(report)),
      call(judge, "submit_review"),
      edit(judge, "src/a.ts"),
      bash(judge, "npm i"),
    ];
    expect(verdicts(state, calls).map((gate) => gate === "allow")).toEqual([true, true, false, false]);
    expect(
      verdicts(state, [call("developer", "submit_review"), call(judge, "submit_review", {}, { isChild: false })]),
    ).not.toContain("allow");
    expect(gateOf(decide(state, edit("developer", "src/a.ts")))).not.toBe("allow");
  }
});

describe("tools of other plugins and servers", () => {
  const page = { url: "http://localhost:5173" };

  test("are for agents that build or test, not for those that plan, review or only read", () => {
    const allowed = (phase: PhaseName, agents: readonly string[]) =>
      agents.filter((agent) => decide(at(phase), call(agent, "fs_write", { path: "src/a.ts" })).do === "allow");
    const all = ["orchestrator", "architect", "developer", "designer", "reviewer", "tester", "explorer", "build", ""];
    expect(allowed("implementation", all)).toEqual(["developer"]);
    expect(allowed("design-validation", all)).toEqual([]);
    expect(allowed("code-review", all)).toEqual([]);
    expect(allowed("testing", all)).toEqual(["developer", "tester"]);
    expect(allowed("acceptance", all)).toEqual([]);
  });

  test("are for no agent when only a report is wanted", () => {
    for (const flow of ["validate-ui", "review"] as const) {
      const state = new SimulatedRun({ flow }).state;
      const calls = ["designer", "reviewer", "orchestrator", "developer", "build"].map((agent) =>
        call(agent, "fs_write"),
      );
      expect(verdicts(state, calls)).not.toContain("allow");
    }
  });

  test("that look at a page are also for the designer, as long as they name no file and run nothing outside it", () => {
    for (const state of [at("design-validation"), new SimulatedRun({ flow: "validate-ui" }).state]) {
      const looks = ["playwright_browser_navigate", "playwright_browser_evaluate", "chrome-devtools_take_screenshot"];
      const others = ["playwright_browser_run_code", "chrome-devtools_upload_file", "playwright_anything", "fs_write"];
      const calls = (agent: string, tools: readonly string[], args: object = page) =>
        verdicts(
          state,
          tools.map((tool) => call(agent, tool, args)),
        );
      expect(calls("designer", looks)).toEqual(looks.map(() => "allow"));
      expect(calls("designer", others)).not.toContain("allow");
      for (const key of ["filePath", "filename", "path", "outputFile"]) {
        expect(calls("designer", looks, { [key]: "src/a.ts" })).not.toContain("allow");
      }
      expect(calls("reviewer", looks)).not.toContain("allow");
    }
  });
});

test("reviewers under other names have the role that the settings give them", () => {
  const state = at("code-review", "UI_FOCUSED", { roles: { "reviewer-2": "reviewer" } });
  expect(verdicts(state, [call("reviewer-2", "submit_review"), task("orchestrator", "reviewer-2")])).toEqual([
    "allow",
    "allow",
  ]);
  expect(gateOf(decide(state, task("orchestrator", "reviewer-3")))).not.toBe("allow");
});

test("only the orchestrator delegates, but every agent may ask the explorer if the depth allows it", () => {
  const state = at("implementation", "UI_FOCUSED", { budget: { run: { depth: 2 }, phases: {} } });
  expect(verdicts(state, [task("developer", "explorer"), task("developer", "developer")])).toEqual(["allow", "phase"]);
  expect(gateOf(decide(at("implementation"), task("developer", "explorer")))).toBe("depth");
});

describe("what a run may cost", () => {
  const spend = (state: MagnusState, usd: number): MagnusState =>
    reduce(state, { type: "usage-seen", at: 1, by: plugin, message: "m", session: root, usd, tokens: 10 });

  test("over budget the run pauses, and continues once the user raises it", () => {
    const state = spend(at("implementation", "UI_FOCUSED", { budget: { run: { usd: 1, depth: 1 }, phases: {} } }), 1.2);
    expect(state.status).toMatchObject({
      kind: "paused",
      reason: "budget",
      detail: "the run has spent $1.22 of $1.00",
    });
    expect(
      verdicts(state, [edit("developer", "src/a.ts"), task("orchestrator", "developer"), call("developer", "read")]),
    ).toEqual([...["paused", "paused", "allow"]]);
    expect(persons.resume(state, { by: anna, at: 2 })).toMatchObject({
      ok: false,
      hint: expect.stringContaining("raise"),
    });
    const acted = persons.raiseBudget(state, { by: anna, at: 2 }, { run: { usd: 5 } });
    if (!acted.ok) throw new Error(acted.because);
    expect(reduce(state, acted.event).status.kind).toBe("running");
  });

  test("zero is also a limit", () => {
    const allowing = (run: Limits) => started({ options: { budget: { run, phases: {} } } });
    expect(allowing({ tokens: 0 }).status).toMatchObject({
      reason: "budget",
      detail: "the run has used 0 of 0 tokens",
    });
    expect(allowing({ ms: 0 }).status.kind).toBe("paused");
    expect(gateOf(decide(allowing({ sessions: 0 }), task("orchestrator", "explorer")))).toBe("budget");
    const noDollar = allowing({ usd: 0, depth: 1 });
    expect(gateOf(decide(noDollar, task("orchestrator", "explorer")))).toBe("allow");
    expect(spend(noDollar, 0).status.kind).toBe("running");
    expect(spend(noDollar, 0.001).status).toMatchObject({ kind: "paused", reason: "budget" });
  });

  test("an agent too deep to delegate learns how the user can allow more", () => {
    const refused = decide(at("implementation"), task("developer", "explorer"));
    expect(refused).toMatchObject({
      gate: "depth",
      satisfy: expect.stringContaining("`/magnus-raise depth=<amount>`"),
    });
  });

  test("one session too many is refused, and then the user decides", () => {
    const state = at("implementation", "UI_FOCUSED", {
      budget: { run: { sessions: 3, depth: 1 }, phases: { implementation: { sessions: 1 } } },
    });
    const joined = {
      type: "session-joined",
      at: 1,
      by: plugin,
      session: "s",
      parent: root,
      agent: "developer",
      depth: 1,
    } as const;
    const full = reduce(state, joined);
    const refused = decide(full, task("orchestrator", "developer"));
    expect(refused).toMatchObject({
      gate: "budget",
      satisfy: expect.stringContaining("magnus-opus raise impl-1 sessions="),
    });
    const event = {
      type: "call-refused",
      at: 1,
      by: plugin,
      session: root,
      agent: "orchestrator",
      tool: "task",
    } as const;
    const stopped = reduce(full, { ...event, gate: "budget", missing: "x" });
    expect(stopped.status).toMatchObject({ kind: "paused", reason: "budget" });
  });

  test("time counts while agents work, not while the user thinks or is away", () => {
    const run = new SimulatedRun({ options: { budget: { run: { ms: 3_600_000, depth: 1 }, phases: {} } } });
    while (run.step()) {
      // up to the first approval
    }
    const { ms } = run.state.spent.run;
    const thought = reduce(run.state, { type: "tree-seen", at: run.state.at + 900_000, by: plugin, tree: "tree-0" });
    expect(thought.spent.run.ms).toBe(ms);
    const building = at("implementation");
    const night = reduce(building, { type: "run-opened", at: building.at + 9e7, by: plugin });
    expect(night.spent.run.ms).toBe(building.spent.run.ms);
    const long = reduce(building, { type: "tree-seen", at: building.at + 9e7, by: plugin, tree: "x" });
    expect(long.spent.run.ms - building.spent.run.ms).toBe(15 * 60_000);
  });
});

test("a paused run is read-only, and says how the user can continue it", () => {
  const state = reduce(at("implementation"), {
    type: "paused",
    at: 1,
    by: plugin,
    reason: "abort",
    detail: "Esc was pressed",
  });
  const decision = decide(state, edit("developer", "src/a.ts"));
  expect(decision).toMatchObject({ gate: "paused", satisfy: expect.stringContaining("/magnus-resume") });
  expect(gateOf(decide(state, call("developer", "run_tests")))).toBe("paused");
  expect(gateOf(decide(state, bash("developer", "ls")))).toBe("allow");
});

test("after its end a run leaves the user's own agents alone and stops its own", () => {
  const state = at("cleanup");
  const acted = persons.cancel(state, { by: anna, at: 1 }, "enough");
  if (!acted.ok) throw new Error(acted.because);
  const over = reduce(state, acted.event);
  expect(
    verdicts(over, [edit("build", "src/a.ts"), edit("developer", "src/a.ts"), task("orchestrator", "developer")]),
  ).toEqual([...["allow", "finished", "finished"]]);
});
