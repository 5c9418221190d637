// A review on the real OpenCode that a person or a crash interrupts.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { OpencodeWithMagnus, pluginSource, projectFiles } from "../opencode-with-magnus.ts";

let opencode: OpencodeWithMagnus;
let model: ModelServer;
beforeAll(async () => {
  model = await modelServer({ models: ["model-1", "model-2", "model-3"] });
  const project = await tmpProject({ files: { ...projectFiles, "src/a.ts": "one\ntwo\n" } });
  const server = await opencodeServe(project, { model, plugins: [pluginSource] });
  opencode = new OpencodeWithMagnus(model, project, server);
}, 180_000);
afterEach(() => model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

const asked = (name: string) => ({ user: "Review `src/a.ts`", model: name });
const approval = { verdict: "APPROVED", summary: "Reads well.", findings: [] };

/** A review in which model-2 has voted and model-3 never answers. */
async function halfReviewed(): Promise<{ readonly session: string; readonly ended: Promise<unknown> }> {
  model.expect(asked("model-2")).tool("submit_review", approval).then.reply("done");
  model.expect(asked("model-3")).reply("Let me think").hang();
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "magnus-review", arguments: "" })
    .then.tool("magnus_review");
  const session = await opencode.session();
  const ended = opencode
    .type(session, "magnus-review", "src/a.ts --models model-2,model-3")
    .catch((error: unknown) => error);
  await model.waitFor((request) => request.model === "model-3");
  const isVoter = (id: unknown): boolean => opencode.state(session).votes.some((vote) => vote.session === id);
  await opencode.server.waitForEvent(
    ({ type, properties }) => type === "session.idle" && isVoter(properties.sessionID),
  );
  return { session, ended };
}

/** What the user's messages of a session say, with what is added to them. */
async function userTexts(session: string): Promise<readonly string[]> {
  const messages = await opencode.server.reopen(session).messages();
  return messages.flatMap(({ role, parts }) =>
    role === "user" ? [parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")] : [],
  );
}

/** The user continues: only the model that did not answer is asked again. */
async function reviewedAfterwards(session: string): Promise<string> {
  model.expect(asked("model-3")).tool("submit_review", approval).then.reply("done");
  model.expect("Continue the review").tool("magnus_review").then.reply("reported");
  await opencode.server.reopen(session).prompt("Continue the review", { agent: "orchestrator" });
  return (await opencode.results(session)).at(-1)!;
}

const reportOf = async (session: string): Promise<string> =>
  await opencode.project.read(`${opencode.state(session).folder}/reviews/code-review/consensus.md`);

test("Esc: every reviewer stops, the report says who did not answer, nothing wakes, and the review can continue", async () => {
  const { server } = opencode;
  const { session, ended } = await halfReviewed();
  await server.reopen(session).abort();
  await ended;
  await model.waitFor((request) => request.model === "model-3" && request.aborted);
  await server.waitForEvent(({ type, properties }) => {
    const isToast = type === "tui.toast.show";
    return isToast && String(properties.message).includes("stopped the review before scripted/model-3 answered");
  });
  const report = await reportOf(session);
  expect(report).toContain("| scripted/model-2 | APPROVED |");
  expect(report).toContain("scripted/model-3: the user stopped it before it answered");
  const requests = model.prompts.length;
  model.expect("Hello?").reply("yes");
  expect((await server.reopen(session).prompt("Hello?", { agent: "orchestrator" })).text).toBe("yes");
  expect(model.prompts.length - requests).toBe(1);
  expect((await userTexts(session)).slice(1)).toEqual(["Hello?"]);
  expect(opencode.state(session).status).toMatchObject({ kind: "paused", reason: "abort" });
  model.expect(/typed `\/magnus-resume/).reply("resumed");
  await opencode.type(session, "magnus-resume");
  expect(await reviewedAfterwards(session)).toContain("2 of 2 reviewers approve (2 reviewers, 2 models, unanimous)");
  expect(await reportOf(session)).not.toContain("stopped it");
  const { status, sessions } = opencode.state(session);
  expect(status.kind).toBe("done");
  expect(Object.keys(sessions).filter((id) => sessions[id]?.isOpen)).toEqual([session]);
}, 60_000);

test("kill -9: nothing wakes by itself, the next message says who was interrupted, and only that one is asked again", async () => {
  const { server } = opencode;
  const { session, ended } = await halfReviewed();
  const requests = model.prompts.length;
  await server.restart();
  await ended;
  model.expect("Hello?").reply("yes");
  expect((await server.reopen(session).prompt("Hello?", { agent: "orchestrator" })).text).toBe("yes");
  expect(model.prompts.length - requests).toBe(1);
  const [, told = "", ...more] = await userTexts(session);
  expect(more).toEqual([]);
  expect(told).toMatch(/state="interrupted" description="Code Review by scripted\/model-3"/);
  expect(await reviewedAfterwards(session)).toContain("2 of 2 reviewers approve (2 reviewers, 2 models, unanimous)");
  expect(opencode.state(session).status.kind).toBe("done");
}, 90_000);
