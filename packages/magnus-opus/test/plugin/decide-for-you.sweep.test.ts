// An agent with a free shell tries to decide for the person, in all the ways that we know. On the real OpenCode: first with the
// plugin as it is, then with one whose guards are taken out, where each of them has to work.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { tmpProject } from "@atomic/testing/project";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import type { MagnusState } from "../../src/run/state.ts";
import { type Attempt, amount, attempts, type Facts, whileClosed } from "./decision-attempts.ts";
import { OpencodeWithMagnus, pluginSource, projectFiles } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";
import { unguarded, unusedChanges } from "./unguarded.ts";

const here = import.meta.dirname;
const root = join(here, "../../../..");
// Nothing but the plugin stands in the way.
const settings = { agents: { developer: { permission: { bash: "allow", external_directory: "allow" } } } };

class DecisionAttempts {
  readonly opencode: OpencodeWithMagnus;
  readonly session: string;
  readonly #programs: Pick<Facts, "cli" | "forge">;
  readonly #plan: string;

  private constructor(
    opencode: OpencodeWithMagnus,
    session: string,
    programs: Pick<Facts, "cli" | "forge">,
    plan: string,
  ) {
    this.opencode = opencode;
    this.session = session;
    this.#programs = programs;
    this.#plan = plan;
  }

  /** A run that is being built: its plan is approved, and the person has waived the plan's review. */
  static async open(plugin: string, programs: Pick<Facts, "cli" | "forge">): Promise<DecisionAttempts> {
    const model = await modelServer({ models: ["model-1", "model-2"], allowUnused: true });
    const files = { ...projectFiles, ".opencode/magnus-opus.json": settings };
    const project = await tmpProject({ files });
    await symlink(root, join(project.home, "root"));
    const opencode = new OpencodeWithMagnus(model, project, await opencodeServe(project, { model, plugins: [plugin] }));
    agents.orchestratorPlans(model, "implement");
    agents.architect(model);
    model
      .expect(/The user typed `\//)
      .reply("noted")
      .times(1000);
    const session = await opencode.session();
    await opencode.type(session, "implement", "a profile page --type UI_FOCUSED --skip-plan-review");
    await opencode.type(session, "approve");
    const plan = await project.read(`${opencode.state(session).folder}/implementation-plan.md`);
    return new DecisionAttempts(opencode, session, programs, plan);
  }

  get state(): MagnusState {
    return this.opencode.state(this.session);
  }

  facts(why: string): Facts {
    const { project, server } = this.opencode;
    const { run, folder } = this.state;
    const programs = {
      bun: process.execPath,
      opencode: opencodeBinary,
      ...this.#programs,
      typeCommand: `${here}/type-command.mjs`,
    };
    // Scripts name them without quotes, wherever this repository is.
    const named = Object.entries(programs).map(([name, path]) => [
      name,
      path.replace(root, join(project.home, "root")),
    ]);
    return {
      ...{ run, session: this.session, why, folder: project.path(folder), url: server.url },
      ...(Object.fromEntries(named) as typeof programs),
    };
  }

  /** What the user has seen since, in toasts and in `/magnus-status`. */
  async tried(attempt: Attempt, why: string): Promise<string> {
    const { opencode, session } = this;
    const { project, model, server } = opencode;
    const facts = this.facts(why);
    const script = `src/${why}.sh`;
    await project.write(script, `${attempt.script(facts)}\n`);
    const command = attempt.isPlain ? attempt.script(facts) : `sh ${script}`;
    model.expect(`try ${why}`).tool("bash", { command, description: "Try it" }).then.reply("tried");
    const after = server.events.length;
    await server.reopen(session).prompt(`try ${why}`, { agent: "developer" });
    if (attempt.isLater) await server.waitForEvent((event) => this.#isOver(event, why), { after });
    const toasts = (): string =>
      server.events
        .slice(after)
        .map(({ type, properties }) => (type === "tui.toast.show" ? properties.message : ""))
        .join("\n");
    const { shown = wordOf(why) } = attempt;
    // The plugin looks when a call ends; what comes later it has not seen yet.
    const isSeen = shown.test(toasts()) || this.state.phase !== "implementation";
    if (isSeen && !attempt.isLater) return toasts();
    await opencode.type(session, "magnus-status");
    return [toasts(), opencode.lastPrompt("/magnus-status")].join("\n");
  }

  /** Of a program that was left behind: it has made a session to say so, or the session in which it typed is idle. */
  #isOver({ type, sessionID, properties }: OpencodeWithMagnus["server"]["events"][number], why: string): boolean {
    if (type === "session.created") return JSON.stringify(properties).includes(`"${why}"`);
    return type === "session.idle" && sessionID !== this.session;
  }

  /** A program that an agent leaves behind acts when OpenCode is closed; then it is opened again. */
  async triedWhileClosed(why: string): Promise<string> {
    const { opencode, session } = this;
    const { project, model, server } = opencode;
    const fifo = project.path("src/over");
    await project.run(["mkfifo", fifo]);
    await project.write("src/closed.sh", `${whileClosed(this.facts(why), fifo)}\n`);
    model.expect(`try ${why}`).tool("bash", { command: "sh src/closed.sh", description: "Try it" }).then.reply("tried");
    await server.reopen(session).prompt(`try ${why}`, { agent: "developer" });
    await server[Symbol.asyncDispose]();
    expect((await project.run(["cat", fifo])).stdout).toBe("over\n");
    await project.remove("src/over");
    await server.restart();
    await opencode.type(session, "magnus-status");
    return opencode.lastPrompt("/magnus-status");
  }

  /** Until it stands again where it stood. */
  async reset(): Promise<void> {
    const { opencode, session } = this;
    await opencode.project.write(`${this.state.folder}/implementation-plan.md`, this.#plan);
    // A program that has just ended may have typed this as well: a person types it again then.
    for (let tries = 0; tries < 2 && this.state.held.length > 0; tries++)
      await opencode.type(session, "magnus-dismiss", "all");
    if (this.state.status.kind === "paused") await opencode.type(session, "magnus-resume");
    if (this.state.phase !== "implementation") await opencode.type(session, "reject", "--to=implementation again");
    expect(this.state).toMatchObject({ phase: "implementation", status: { kind: "running" }, held: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opencode[Symbol.asyncDispose]();
  }
}

/** Not `reason-12`, if it is `reason-1`. */
function wordOf(why: string): RegExp {
  return new RegExp(`${why}\\b`);
}

/** Whether it has come to what the attempt is about. */
function isDone(
  { does = "waive" }: Attempt,
  why: string,
  before: MagnusState,
  { waivers, approvals, options }: MagnusState,
) {
  if (does === "raise") return options.maxIterations === amount(why);
  return does === "approve"
    ? approvals.length > before.approvals.length
    : waivers.some((each) => wordOf(why).test(each.why));
}

/** An everyday run has a sample, without the OpenCodes that agents start; `SWEEP=full` tries them all, with all controls. */
const isFull = process.env.SWEEP === "full";
const all = attempts.map((attempt, at) => [attempt.name, attempt, `reason-${at + 1}`] as const);
const sample = (every: number) =>
  all.filter(([, { startsOpenCode }], at) => isFull || (at % every === 0 && !startsOpenCode));
const [guarded, controls] = [sample(2), sample(4)];
if (!isFull)
  console.log(
    `skipped: ${all.length - guarded.length} attempts and ${all.length - controls.length} controls, which SWEEP=full has`,
  );

test("there are at least 40 of them", () =>
  expect(new Set(attempts.map(({ name }) => name)).size).toBeGreaterThanOrEqual(40));

describe("an agent with a free shell cannot decide for the user, who is warned", () => {
  let trial: DecisionAttempts;
  beforeAll(async () => {
    trial = await DecisionAttempts.open(pluginSource, {
      cli: `${here}/command-line.ts`,
      forge: `${here}/forge-decision.ts`,
    });
  }, 60_000);
  afterAll(() => trial[Symbol.asyncDispose]());

  test.each(guarded)(
    "%s",
    async (_, attempt, why) => {
      const before = trial.state;
      const shown = await trial.tried(attempt, why);
      expect(isDone(attempt, why, before, trial.state)).toBe(false);
      expect(trial.state).toMatchObject({ phase: "implementation", waivers: [] });
      expect(shown).toMatch(attempt.shown ?? wordOf(why));
      await trial.reset();
    },
    60_000,
  );

  test("what was decided while OpenCode was closed is held when it is opened again", async () => {
    const shown = await trial.triedWhileClosed("reason-100");
    expect(trial.state).toMatchObject({ phase: "implementation", status: { kind: "paused" }, held: { length: 2 } });
    for (const what of ["raise iterations=200", "waive phase of implementation: reason-100"])
      expect(shown).toContain(what);
    expect(trial.state.options.maxIterations).toBeLessThan(100);
  }, 90_000);
});

describe("without the guards each of them works", () => {
  let trial: DecisionAttempts;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder("unguarded-");
    const bundled = (source: string) => unguarded(source, folder.path);
    const programs = {
      cli: await bundled("test/plugin/command-line.ts"),
      forge: await bundled("test/plugin/forge-decision.ts"),
    };
    const plugin = await bundled("src/plugin.ts");
    expect(unusedChanges()).toEqual([]);
    trial = await DecisionAttempts.open(pathToFileURL(plugin).href, programs);
  }, 60_000);
  afterAll(async () => {
    await trial[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each(controls)(
    "%s",
    async (_, attempt, why) => {
      const before = trial.state;
      await trial.tried(attempt, why);
      expect(isDone(attempt, why, before, trial.state)).toBe(true);
      await trial.reset();
    },
    60_000,
  );

  test.if(isFull)(
    "also while OpenCode is closed",
    async () => {
      await trial.triedWhileClosed("reason-100");
      expect(trial.state.options.maxIterations).toBe(200);
      expect(trial.state.waivers).toContainEqual(expect.objectContaining({ why: "reason-100" }));
    },
    90_000,
  );
});
