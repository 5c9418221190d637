// Projects that are not as one would like them, and two OpenCodes in one project.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { OpencodeWithMagnus, pluginSource, projectFiles } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

let opencode: OpencodeWithMagnus;

beforeAll(async () => {
  opencode = await OpencodeWithMagnus.open({ "apps/web/package.json": {}, "packages/shared/index.ts": "export {};\n" });
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

/** A run in that folder, as far as its plan. */
async function planIn(directory: string): Promise<string> {
  agents.orchestratorPlans(opencode.model, "implement");
  agents.architect(opencode.model);
  const session = await opencode.session(directory);
  await opencode.type(session, "implement", "a page with a form --skip-plan-review", { directory });
  return session;
}

test("without git a run has its folder, and sees what changes", async () => {
  await using plain = await tmpProject({ git: false, files: projectFiles });
  const session = await planIn(plain.dir);
  const state = opencode.state(session, plain.dir);
  expect(state).toMatchObject({ phase: "architecture", worktree: plain.dir, isReady: true });
  expect(state.tree).toStartWith("sha256:");
}, 180_000);

test("in a subfolder of a repository, the run lives in the subfolder and may build anywhere in the repository", async () => {
  const { model, project } = opencode;
  const directory = project.path("apps/web");
  const session = await planIn(directory);
  const { folder, worktree } = opencode.state(session, directory);
  expect([worktree, folder]).toEqual([project.dir, expect.stringMatching(/^apps\/web\/ai-docs\/sessions\/impl-/)]);
  model
    .expect("As developer")
    .tool("write", { filePath: project.path("packages/shared/index.ts"), content: "export const shared = 1;\n" })
    .tool("write", { filePath: project.path("../outside.ts"), content: "" })
    .then.reply("built");
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", agents.task("developer"))
    .then.reply("ok");
  model.expect(/typed `\/waive/).reply("ok");
  await opencode.type(session, "waive", "user_approval it is a test", { directory });
  await opencode.type(session, "approve", "", { directory });
  expect(opencode.state(session, directory).phase).toBe("implementation");
  const [inside, outside] = await opencode.results(
    Object.keys(opencode.state(session, directory).sessions).at(-1)!,
    directory,
  );
  expect(inside).toContain("Wrote file successfully");
  expect(outside).toMatch(/agents may not write .*: it is outside the project/);
}, 180_000);

test("in a read-only project a run does not start, and says why", async () => {
  await using closed = await tmpProject({ files: { ...projectFiles, "ai-docs": "a file in the way\n" } });
  opencode.model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.reply("it cannot be");
  const session = await opencode.session(closed.dir);
  await opencode.type(session, "implement", "a page", { directory: closed.dir });
  expect((await opencode.results(session, closed.dir)).at(-1)).toMatch(
    /The run cannot start: .*ai-docs.* Nothing was started/s,
  );
  expect(await closed.read("ai-docs")).toBe("a file in the way\n");
}, 180_000);

test("it also works with a read-only home folder and leaves nothing behind", async () => {
  const { model, project } = opencode;
  const state = project.path("~/.local/state/magnus-opus");
  renameSync(state, `${state}.away`);
  await project.write(state, "a file in the way\n");
  const before = await project.tree();
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.reply("it cannot be");
  const session = await opencode.session();
  await opencode.type(session, "implement", "a page");
  expect((await opencode.results(session)).at(-1)).toMatch(
    /The run cannot start: .*state\/magnus-opus.* Nothing was started/s,
  );
  expect(await project.tree()).toEqual(before);
  rmSync(state);
  renameSync(`${state}.away`, state);
}, 180_000);

test("a second OpenCode learns who drives the run and changes nothing; the first continues", async () => {
  const { model, project } = opencode;
  const session = await planIn(project.dir);
  await using second = await opencodeServe(project, { model, plugins: [pluginSource] });
  const elsewhere = "Magnus Opus cannot continue the run";
  model
    .expect("write it")
    .tool("write", { filePath: "src/second.ts", content: "" })
    .tool("magnus_next")
    .then.reply("no");
  const answer = await second.reopen(session).prompt("write it", { agent: "orchestrator" });
  expect(answer.text).toBe("no");
  const [refused, reported] = (await opencode.results(session)).slice(-2);
  for (const text of [refused, reported])
    expect(text).toMatch(new RegExp(`${elsewhere}.* has been held by pid \\d+`, "s"));
  expect(await project.tree()).not.toContain("src/second.ts");
  model.expect(/typed `\/approve/).reply("not here");
  await opencode.type(session, "approve", "", { server: second });
  expect(opencode.lastPrompt("/approve")).toContain(elsewhere);
  expect(opencode.state(session).approvals).toEqual([]);
  model.expect(/typed `\/approve/).reply("here");
  await opencode.type(session, "approve");
  expect(opencode.state(session)).toMatchObject({ phase: "implementation", status: { kind: "running" } });
}, 180_000);
