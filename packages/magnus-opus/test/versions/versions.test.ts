// The gate holds on other versions of OpenCode, too. They weigh 150 MB each, so that only those are tried that are
// asked for, beside the one that is installed anyway.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { type Project, tmpProject } from "@atomic/testing/project";
import testingManifest from "../../../testing/package.json" with { type: "json" };
import { tools } from "../../src/plugin/tools/tools.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { readRun } from "../../src/sessions/journal.ts";
import { Sessions } from "../../src/sessions/sessions.ts";
import { publishedPlugin } from "../budget/published-plugin.ts";
import { toolNames } from "../budget/request-bytes.ts";
import { projectFiles } from "../plugin/opencode-with-magnus.ts";
import * as agents from "../plugin/scripted-agents.ts";
import { OtherOpencode, opencodeOf } from "./other-opencode.ts";

const others = (process.env.OPENCODE_VERSIONS ?? "").split(",").filter((version) => version !== "");
if (others.length === 0) {
  console.warn("skipped: other versions of OpenCode. To try some: OPENCODE_VERSIONS=1.17.19,1.15.13");
}
const versions = ["installed", ...others];

/** Versions that give subagents the limits of the agent above. */
const passesDenialsOn = /^1\.1[56]\./;

describe.each(versions)("OpenCode %s", (version) => {
  let model: ModelServer;
  let project: Project;
  let opencode: OtherOpencode;
  /** Then the agents that build have no tool to write with, and the user is told. */
  const isHandedDown = passesDenialsOn.test(version);
  beforeAll(async () => {
    model = await modelServer();
    project = await tmpProject({ files: projectFiles });
    opencode = await OtherOpencode.serve(opencodeOf(version), project, model, (await publishedPlugin()).url);
  }, 120_000);
  afterAll(async () => {
    await project[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  test("is that version", async () => {
    expect(await opencode.version()).toBe(
      version === "installed" ? testingManifest.dependencies["opencode-ai"] : version,
    );
  });

  test("OpenCode's own agents have none of our tools", async () => {
    model.expect(/^hi$/).reply("hello");
    expect(await opencode.prompt(await opencode.session(), "hi", "build")).toBe("hello");
    const ours = tools.map(({ name }) => name);
    expect(toolNames(model.prompts[0]!).filter((name) => ours.includes(name))).toEqual([]);
  }, 180_000);

  test("an early edit is refused, in the session and below; the user approves, and work begins", async () => {
    const early = (path: string) => ["write", { filePath: path, content: "early\n" }] as const;
    model
      .expect(/Start a run with `magnus_start`/)
      .tool("magnus_start", { command: "implement", arguments: "" })
      .then.tool("magnus_next")
      .then.tool(...early("src/early.ts"))
      .then.tool("task", agents.task("backend", "too early"))
      .then.tool("task", agents.task("architect"))
      .then.tool("magnus_next")
      .then.reply("please approve the plan");
    agents.architect(model);
    const session = await opencode.session();
    const words = "a mutation --type=API_FOCUSED --skip-plan-review";
    expect(await opencode.type(session, "implement", words)).toBe("please approve the plan");
    const results = await opencode.results(session);
    expect(results[2]).toContain("Magnus Opus refused write in the architecture phase (gate: user_approval)");
    expect(results[3]).toContain("Magnus Opus refused task in the architecture phase (gate: user_approval)");
    expect(await project.exists("src/early.ts")).toBe(false);
    expect(state()).toMatchObject({ phase: "architecture", refusals: 2, approvals: [] });

    model
      .expect(/typed `\/approve/)
      .tool("magnus_next")
      .then.tool("task", agents.task("backend"))
      .then.reply("begun");
    agents.testFirst(model);
    expect(await opencode.type(session, "approve")).toBe("begun");
    const { phase, approvals, evidence, sessions, refusals } = state();
    expect({ phase, refusals, approved: approvals.map((each) => each.phase) }).toEqual({
      ...{ phase: "implementation", refusals: 2, approved: ["architecture"] },
    });
    expect(Object.values(sessions).map(({ agent }) => agent)).toEqual(["orchestrator", "architect", "backend"]);
    expect(evidence.map(({ counts }) => counts?.failed)).toEqual(isHandedDown ? [0, 0] : [1, 0]);
    const warning = `OpenCode ${version} passes the orchestrator's limits on`;
    expect((await opencode.log()).includes(warning)).toBe(isHandedDown);
    model.verify();
  }, 120_000);

  function state(): MagnusState {
    const [run] = new Sessions(project.dir).list();
    return readRun(`${run?.folder}/journal.jsonl`).state!;
  }
});
