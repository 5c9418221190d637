// Reviewers that cannot be asked, on the real OpenCode: each is named in the report, and the others still review.
import { expect, test } from "bun:test";
import { OpencodeWithMagnus, projectFiles } from "../opencode-with-magnus.ts";
import { approving } from "../scripted-agents.ts";

const settings = projectFiles[".opencode/magnus-opus.json"] as object;

async function reviewed(opencode: OpencodeWithMagnus) {
  const { model } = opencode;
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "magnus-review", arguments: "" })
    .then.tool("magnus_review")
    .then.reply("reported");
  model.expect({ user: "Review `src", model: "model-1" }).tool("submit_review", approving).then.reply("done");
  const session = await opencode.session();
  await opencode.type(session, "magnus-review", "src --models model-1,model-2");
  const state = opencode.state(session);
  const report = await opencode.project.read(`${state.folder}/reviews/code-review/consensus.md`);
  model.verify();
  return { brief: (await opencode.results(session)).at(-1)!, report, state };
}

test.each([
  ["too many agents are open", { background: { open: 1 } }, /scripted\/model-2: it could not be asked: .*1 /],
  [
    "the run's budget is used up",
    { budget: { sessions: 1 } },
    /scripted\/model-2: it could not be asked: the run has used 1 of 1 sessions/,
  ],
])(
  "%s: the one that was asked reviews, and the other is named, with the reason",
  async (_, more, named) => {
    await using opencode = await OpencodeWithMagnus.open({ ".opencode/magnus-opus.json": { ...settings, ...more } });
    const { brief, report, state } = await reviewed(opencode);
    for (const text of [brief, report]) expect(text).toMatch(named);
    expect(report).toContain("| scripted/model-1 | APPROVED |");
    expect(report).toContain("| scripted/model-2 | abstained |");
    expect(brief).toContain("## No verdict\n\n1 of 2 reviewers have voted");
    expect([state.status.kind, state.votes.length]).toEqual(["done", 1]);
  },
  120_000,
);

test("if no reviewer can be asked, the run is paused, and can continue once you raise its budget", async () => {
  await using opencode = await OpencodeWithMagnus.open({
    ".opencode/magnus-opus.json": { ...settings, budget: { sessions: 0 } },
  });
  const { model } = opencode;
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "magnus-review", arguments: "" })
    .then.tool("magnus_review")
    .then.reply("refused");
  const session = await opencode.session();
  await opencode.type(session, "magnus-review", "src --models model-1,model-2");
  expect((await opencode.results(session)).at(-1)).toContain("(gate: budget)");
  expect(opencode.state(session).status).toMatchObject({ kind: "paused", reason: "budget" });
  model
    .expect(/typed `\/magnus-raise/)
    .tool("magnus_review")
    .then.reply("reported");
  for (const name of ["model-1", "model-2"])
    model.expect({ user: "Review `src", model: name }).tool("submit_review", approving).then.reply("done");
  await opencode.type(session, "magnus-raise", "sessions=2");
  expect((await opencode.results(session)).at(-1)).toContain("2 of 2 reviewers approve");
  model.verify();
}, 120_000);
