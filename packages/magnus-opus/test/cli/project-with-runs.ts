// A project on disk with real runs in it, and the program in this process. Seals lie in the project's own folder of state.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentAtKeyboard } from "@atomic/terminal/agent-at-keyboard";
import type { Console } from "@atomic/terminal/console";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { main } from "../../src/cli/main.ts";
import { DrivenRun } from "../../src/plugin/live/driven-run.ts";
import type { EventOf } from "../../src/run/event.ts";
import { defaultRunOptions } from "../../src/run/run-options.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { openRun, readRun, startRun } from "../../src/sessions/journal.ts";
import { runPlace, sessionsFolder } from "../../src/sessions/workplace.ts";
import { root } from "../run/simulated-run.ts";

export const first = "impl-20260118-143052-a1b2c3-profile";
export const second = "impl-20260119-090000-d4e5f6-settings";

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export class ProjectWithRuns implements AsyncDisposable {
  readonly dir: string;
  readonly #folder: TemporaryFolder;
  readonly #home = process.env.XDG_STATE_HOME;

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder;
    this.dir = join(folder.path, "project");
    mkdirSync(this.dir);
    writeFileSync(join(this.dir, "package.json"), "{}");
    // Where a person types its name, the program is on the PATH.
    mkdirSync(join(folder.path, "bin"));
    writeFileSync(join(folder.path, "bin/magnus-opus"), "");
    process.env.XDG_STATE_HOME = join(folder.path, "state");
  }

  static async make(): Promise<ProjectWithRuns> {
    return new ProjectWithRuns(await temporaryFolder("magnus-cli-"));
  }

  /** What a person types. */
  async magnus(...argv: readonly string[]): Promise<CommandResult> {
    return await this.magnusIn(this.dir, ...argv);
  }

  /** What an agent types. */
  async magnusByAgent(...argv: readonly string[]): Promise<CommandResult> {
    return await this.#magnus(this.dir, argv, { agent: "OpenCode", sign: "the variable OPENCODE is set" });
  }

  async magnusIn(cwd: string, ...argv: readonly string[]): Promise<CommandResult> {
    return await this.#magnus(cwd, argv);
  }

  async #magnus(cwd: string, argv: readonly string[], agent?: AgentAtKeyboard): Promise<CommandResult> {
    const [out, err]: [string[], string[]] = [[], []];
    const output = (written: string[]) => ({
      isTTY: true,
      colour: false,
      columns: 100,
      write: (text: string) => void written.push(text),
    });
    const console: Console = {
      cwd,
      home: cwd,
      env: { PATH: join(this.#folder.path, "bin") },
      stdin: { isTTY: false, ask: async () => undefined },
      stdout: output(out),
      stderr: output(err),
      clock: { after: () => () => undefined },
      signals: { listen: () => () => undefined },
      caller: { commandLine: ["magnus-opus", ...argv], agent: () => agent },
    };
    const code = await main(argv, console, "anna");
    return { code, out: out.join(""), err: err.join("") };
  }

  /** Messages shown to the user in OpenCode. */
  readonly messages: string[] = [];

  /** A run that waits for the approval of its plan, driven by this process as it would be by OpenCode. */
  async waitingRun(id = first, workflow: EventOf<"run-started">["workflow"] = "UI_FOCUSED"): Promise<DrivenRun> {
    const folder = `${sessionsFolder}/${id}`;
    const options = { ...defaultRunOptions, skipPlanReview: true };
    this.write(`${folder}/.keep`, "");
    const event: EventOf<"run-started"> = {
      ...{ type: "run-started", at: Date.now(), by: { kind: "plugin" }, run: id, flow: "implement", workflow },
      ...{ description: `about ${id}`, session: root, worktree: this.dir, folder, options },
    };
    const workplace = { directory: this.dir, worktree: this.dir };
    const run = new DrivenRun(
      await startRun(this.place(id), event),
      workplace,
      (message) => void this.messages.push(message),
    );
    await run.refreshWithFiles();
    await this.ready(run);
    if (workflow === "UNCLEAR") return run;
    this.write(`${folder}/implementation-plan.md`, "# Plan\n");
    this.write(`${folder}/quick-reference.md`, "# Steps\n");
    await run.refresh();
    await this.ready(run);
    return run;
  }

  /** The same, but without a driver. */
  async leftRun(id = first, workflow: EventOf<"run-started">["workflow"] = "UI_FOCUSED"): Promise<void> {
    await (await this.waitingRun(id, workflow)).close();
  }

  async ready(run: DrivenRun): Promise<void> {
    const by = { kind: "agent", agent: "orchestrator", session: root } as const;
    await run.append({ type: "phase-ready", at: Date.now(), by, phase: run.state.phase });
  }

  async open(id = first): Promise<DrivenRun> {
    return new DrivenRun(await openRun(this.place(id), { drive: true }), { directory: this.dir, worktree: this.dir });
  }

  state(id = first): MagnusState {
    return readRun(this.place(id).journal).state!;
  }

  place(id = first) {
    return runPlace({ directory: this.dir, worktree: this.dir }, id);
  }

  write(path: string, text: string): void {
    const file = join(this.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#home === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = this.#home;
    await this.#folder[Symbol.asyncDispose]();
  }
}
