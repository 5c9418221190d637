import { beforeAll, describe, expect, test } from "bun:test";
import { type AttemptedCall, decide } from "../../src/run/decide.ts";
import * as persons from "../../src/run/person-actions.ts";
import { offerCommands } from "../../src/run/person-commands.ts";
import type { PhaseName } from "../../src/run/phase-name.ts";
import { reduce } from "../../src/run/reduce.ts";
import { refusalText } from "../../src/run/refusal.ts";
import { at, bash, call, edit, gateOf, inSession, task, verdicts } from "./attempted-calls.ts";
import { anna, folder, plugin, root, SimulatedRun, worktree } from "./simulated-run.ts";

beforeAll(() => offerCommands({ commands: "shell", update: "hugo update magnus-opus" }));

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
