// A review by several models on the real OpenCode. Each scripted model says something else.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { OpencodeWithMagnus, pluginSource, projectFiles } from "../opencode-with-magnus.ts";

type Script = ReturnType<ModelServer["expect"]>;

let opencode: OpencodeWithMagnus;
let model: ModelServer;
beforeAll(async () => {
  model = await modelServer({ models: ["model-1", "model-2", "model-3", "model-4"] });
  // Long enough for a scripted model on a busy machine.
  const settings = { reviewModels: { minutes: 1 / 3 } };
  const project = await tmpProject({
    files: {
      ...projectFiles,
      ".opencode/magnus-opus.json": settings,
      "src/a.ts": "one\ntwo\nthree\nfour\nfive\nsix\n",
    },
  });
  const server = await opencodeServe(project, { model, plugins: [pluginSource] });
  opencode = new OpencodeWithMagnus(model, project, server);
}, 180_000);
afterEach(() => model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

const approves = (script: Script): unknown =>
  script.tool("submit_review", { verdict: "APPROVED", summary: "Reads well.", findings: [] }).then.reply("done");
const rejects =
  (submission: object) =>
  (script: Script): unknown =>
    script.tool("submit_review", { verdict: "NEEDS_REVISION", summary: "Not yet.", ...submission }).then.reply("done");
const finds = (line: number, more: object = {}) =>
  rejects({
    findings: [
      {
        severity: "MAJOR",
        category: "security",
        file: "src/a.ts",
        line,
        problem: `Bad line ${line}.`,
        fix: "Fix it.",
        ...more,
      },
    ],
  });
const empty = (script: Script): unknown => script.reply("");
const chatters = (script: Script): unknown => script.reply("LGTM! <b>Ship it</b>");
const garbage = (script: Script): unknown =>
  script.tool("submit_review", '{"verdict": "ok, I gue').then.reply("submitted");
const hangs = (script: Script): unknown => script.reply("Let me think").hang();

/** Reviews `src/a.ts` with what each of three models does; returns what the orchestrator gets, and the report. */
async function review(...models: readonly ((script: Script) => unknown)[]) {
  for (const [at, script] of models.entries())
    script(model.expect({ user: "Review `src/a.ts`", model: `model-${at + 2}` }));
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "magnus-review", arguments: "whatever" })
    .then.tool("magnus_review")
    .then.reply("reported");
  const session = await opencode.session();
  const names = models.map((_, at) => `scripted/model-${at + 2}`);
  expect(await opencode.type(session, "magnus-review", `src/a.ts --models ${names.join(",")}`)).toBe("reported");
  const brief = (await opencode.results(session)).at(-1)!;
  const state = opencode.state(session);
  const report = await opencode.project.read(`${state.folder}/reviews/code-review/consensus.md`);
  return { brief, report, state };
}

describe("three models review, and", () => {
  test("agree that it is good", async () => {
    const { brief, state } = await review(approves, approves, approves);
    expect(brief).toContain("## Approved\n\n3 of 3 reviewers approve (3 reviewers, 3 models, unanimous).");
    expect(state.status.kind).toBe("done");
    const toasts = opencode.server.events.filter(({ type }) => type === "tui.toast.show");
    expect(
      toasts.map(({ properties }) => String(properties.message)).filter((text) => text.includes("limits")),
    ).toEqual([]);
    expect(state.votes.map((vote) => vote.model).toSorted()).toEqual([
      "scripted/model-2",
      "scripted/model-3",
      "scripted/model-4",
    ]);
    expect(state.conclusions).toMatchObject([{ verdict: "approved", report: "reviews/code-review/consensus.md" }]);
  }, 60_000);

  test("agree on a problem, each on a line nearby", async () => {
    const { brief, report } = await review(finds(2), finds(3, { severity: "CRITICAL" }), finds(4));
    expect(brief).toContain("## Changes needed\n\n1 CRITICAL finding (3 reviewers, 3 models, unanimous).");
    expect(brief).toContain(
      "1. CRITICAL · src/a.ts:2-4 · security (unanimous: scripted/model-3, scripted/model-2, scripted/model-4): Bad line 3.",
    );
    expect(report).toContain("Seen by 3 of 3 reviewers (unanimous).");
    for (const [at, line] of [2, 3, 4].entries())
      expect(report).toMatch(
        new RegExp(`scripted/model-${at + 2}\\*\\* \\(\\w+, line ${line}\\): Bad line ${line}\\. Fix: Fix it\\.`),
      );
  }, 60_000);

  test("disagree: one objection blocks, and is called what it is", async () => {
    const { brief, report } = await review(approves, finds(2), approves);
    expect(brief).toContain("## Changes needed\n\n1 of 3 reviewers wants changes (3 reviewers, 3 models, divergent).");
    expect(report).toContain("| scripted/model-3 | NEEDS_REVISION | 1 MAJOR |");
    expect(report).toContain("| scripted/model-4 | APPROVED |  |");
  }, 60_000);

  test("one never answers: it abstains, and the others decide", async () => {
    const { brief, report, state } = await review(approves, hangs, approves);
    expect(brief).toContain("2 of 2 reviewers approve");
    for (const text of [brief, report]) expect(text).toContain("scripted/model-3: it did not answer within 20 seconds");
    expect([state.status.kind, Object.values(state.sessions).filter(({ isOpen }) => isOpen).length]).toEqual([
      "done",
      1,
    ]);
  }, 90_000);

  test("one submits garbage: it abstains, and the others decide", async () => {
    const { brief } = await review(approves, finds(2), garbage);
    expect(brief).toContain("1 of 2 reviewers wants changes (2 reviewers, 2 models, divergent)");
    expect(brief).toMatch(/Abstained, so not counted:\n- scripted\/model-4: .+/);
  }, 60_000);

  test("one says nothing: it abstains, and the others decide", async () => {
    const { brief } = await review(empty, approves, approves);
    expect(brief).toContain("2 of 2 reviewers approve");
    expect(brief).toContain("- scripted/model-2: it said nothing");
  }, 60_000);

  test("one rejects without a line: that counts, with its words", async () => {
    const { brief, report } = await review(approves, rejects({ summary: "The <b>wrong</b>\nway." }), approves);
    expect(brief).toContain("1 of 3 reviewers wants changes");
    expect(brief).toContain("- scripted/model-3: The &lt;b>wrong&lt;/b> way.");
    expect(report).toContain("- **scripted/model-3**: The &lt;b>wrong&lt;/b> way.");
  }, 60_000);

  test("one says no in its own words, or calls a finding something else: both count", async () => {
    const blocker = finds(2, { severity: "BLOCKER", category: "style" });
    const fails = rejects({ verdict: "FAIL", summary: "Do not merge this.", findings: [] });
    const { brief, report } = await review(approves, blocker, fails);
    expect(brief).toContain("## Changes needed\n\n1 CRITICAL finding (3 reviewers, 3 models, strong agreement).");
    expect(report).toContain('(CRITICAL, line 2): Bad line 2. (category "style") Fix: Fix it.');
    expect(report).toContain("| scripted/model-4 | NEEDS_REVISION |  |");
  }, 60_000);

  test("one approves with a finding that has no place, and leaves it at that: the report keeps its words", async () => {
    const finding = { severity: "MINOR", file: "src/a.ts", line: 77, problem: "Bad line 77.", fix: "Fix it." };
    const misplaced = rejects({ verdict: "APPROVED", summary: "Fine.", findings: [finding] });
    const { brief, report } = await review(approves, misplaced, approves);
    expect(brief).toContain("2 of 2 reviewers approve");
    expect(report).toContain(
      "- scripted/model-3: findings without a valid location: src/a.ts:77 The file has only 6 lines.",
    );
    expect(report).toContain("  - It said: MINOR src/a.ts:77 Bad line 77. Fix: Fix it.");
  }, 60_000);

  test("too few answer: there is no verdict, and the report says who was silent", async () => {
    const { brief, state } = await review(approves, chatters, empty);
    expect(brief).toContain("## No verdict\n\n1 of 2 reviewers have voted");
    expect(brief).toContain("- scripted/model-3: it answered without submitting a review");
    expect(brief).not.toContain("LGTM");
    expect([state.status.kind, state.conclusions[0]?.verdict]).toEqual(["done", "open"]);
  }, 60_000);

  test("a place outside the project is not believed, and the report cannot be written over", async () => {
    const { report, state } = await review(
      (script) =>
        script
          .tool("write", { filePath: `ai-docs/sessions/x/reviews/code-review/consensus.md`, content: "all fine" })
          .then.tool("submit_review", {
            ...{ verdict: "NEEDS_REVISION", summary: "s" },
            findings: [{ severity: "MAJOR", file: "/etc/passwd", line: 1, problem: "Readable.", fix: "Hide it." }],
          })
          .then.reply("done"),
      approves,
    );
    expect(report).toContain("### 1. MAJOR · no place");
    expect(report).toContain("/etc/passwd:1 (This file is outside the project.) Readable.");
    expect(Object.keys(state.artifacts)).toEqual(["reviews/code-review/consensus.md"]);
  }, 60_000);
});

test("one model is called a single-model review, and is asked once, even if the tool is called twice", async () => {
  approves(model.expect({ user: "Review `src/a.ts`", model: "model-2" }));
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "magnus-review", arguments: "" })
    .then.tool("magnus_review")
    .tool("magnus_review")
    .then.reply("reported");
  const session = await opencode.session();
  await opencode.type(session, "magnus-review", "src/a.ts --models model-2");
  const results = await opencode.results(session);
  expect(results.join("\n")).toContain("1 of 1 reviewer approves (single-model review).");
  expect(results.join("\n")).toContain("The reviewers are already being asked.");
}, 60_000);

test.each([
  [
    "src/a.ts --models scripted/model-22",
    "Did you mean scripted/model-2? Connected models: scripted/model-1, scripted/model-2",
  ],
  ["src/b.ts", 'There is no file, folder or range of commits "src/b.ts".'],
  ["../", "is outside the project"],
])(
  "/magnus-review %s is refused",
  async (words, why) => {
    model
      .expect(/Start a run with `magnus_start`/)
      .tool("magnus_start", { command: "magnus-review", arguments: "" })
      .then.reply("refused");
    const session = await opencode.session();
    await opencode.type(session, "magnus-review", words);
    const [result] = await opencode.results(session);
    expect(result).toContain(why);
    expect(result).toContain("Nothing was started");
  },
  60_000,
);
