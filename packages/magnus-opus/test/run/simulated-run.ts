// A run in memory, without OpenCode, whose agents follow their instructions.
import { type AttemptedCall, type CallDecision, decide } from "../../src/run/decide.ts";
import type { MagnusEvent, PersonIdentity } from "../../src/run/event.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import type { Flow, WorkflowType } from "../../src/run/phase-name.ts";
import { phases } from "../../src/run/phases.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { Submission } from "../../src/run/review.ts";
import { defaultRunOptions, type MagnusRunOptions } from "../../src/run/run-options.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { violations } from "./invariants.ts";

export const worktree = "/project";
export const folder = "ai-docs/sessions/impl-20260118-143052-a1b2c3-profile";
export const root = "ses_root";
export const anna: PersonIdentity = { kind: "person", how: "command", name: "anna" };
export const plugin = { kind: "plugin" } as const;
export const orchestrator = { kind: "agent", agent: "orchestrator", session: root } as const;

export interface RunStart {
  flow?: Flow;
  workflow?: WorkflowType;
  options?: Partial<MagnusRunOptions>;
}

export function startEvent({ flow = "implement", workflow = "UI_FOCUSED", options = {} }: RunStart = {}): MagnusEvent {
  return {
    ...{ type: "run-started", at: 0, by: plugin, run: "impl-1", flow, workflow, description: "a profile page" },
    ...{ session: root, worktree, folder, options: { ...defaultRunOptions, ...options } },
  };
}

export function started(opening: RunStart = {}): MagnusState {
  return reduce(reduce(undefined, startEvent(opening))!, { type: "tree-seen", at: 0, by: plugin, tree: "tree-0" });
}

export const passing: Submission = { verdict: "APPROVED", summary: "reads well", findings: [] };
const finding = { file: "src/a.ts", line: 3, problem: "wrong", fix: "right" };
export const blocking: Submission = {
  verdict: "NEEDS_REVISION",
  summary: "one bug",
  findings: [{ ...finding, severity: "MAJOR" }],
};

/** Without the fields that every event has. */
type Body = MagnusEvent extends infer Each ? (Each extends MagnusEvent ? Omit<Each, "at" | "by"> : never) : never;

/** What goes wrong on the way: how often reviews ask for changes, and tests fail. */
export interface RunScenario {
  planRounds?: number;
  designRounds?: number;
  codeRounds?: number;
  failingRuns?: number;
  rejectsPlan?: boolean;
}

export class SimulatedRun {
  state: MagnusState;
  readonly events: MagnusEvent[];
  readonly refusals: CallDecision[] = [];
  readonly #left: Required<RunScenario>;
  #now = 0;
  #tree = 0;
  #sessions = 0;

  constructor(opening: RunStart = {}, plot: RunScenario = {}) {
    this.#left = { planRounds: 0, designRounds: 0, codeRounds: 0, failingRuns: 0, rejectsPlan: false, ...plot };
    const first = startEvent(opening);
    this.state = reduce(undefined, first)!;
    this.events = [first];
    this.plugin({ type: "tree-seen", tree: "tree-0" });
  }

  emit(event: MagnusEvent): void {
    const { ignored } = this.state;
    this.state = reduce(this.state, event);
    this.events.push(event);
    if (this.state.ignored > ignored) throw new Error(`${event.type} was ignored in ${this.state.phase}`);
    const wrong = violations(this.state);
    if (wrong.length > 0) throw new Error(`after ${event.type}: ${wrong.join("; ")}`);
  }

  plugin(body: Body): void {
    this.emit({ ...body, at: this.#tick(), by: plugin } as MagnusEvent);
  }

  person(act: (state: MagnusState, act: persons.Act) => persons.Acted): void {
    const acted = act(this.state, { by: anna, at: this.#tick() });
    if (!acted.ok) throw new Error(`${acted.because} (${acted.hint})`);
    this.emit(acted.event);
  }

  /** Asks before it acts, like every agent of a run. */
  call(agent: string, tool: string, args: unknown, session = root): boolean {
    const isChild = session !== root;
    const call: AttemptedCall = { tool, args, session, agent, isChild, depth: isChild ? 1 : 0, at: this.#now };
    const decision = decide(this.state, call);
    if (decision.do === "refuse") this.refusals.push(decision);
    return decision.do === "allow";
  }

  ready(): void {
    this.call("orchestrator", "magnus_next", {});
    this.emit({ type: "phase-ready", at: this.#tick(), by: orchestrator, phase: this.state.phase });
  }

  /** One step as the orchestrator is told it; false when only a person can go on or nothing is left. */
  step(): boolean {
    const next = nextStep(this.state);
    if (next.do !== "work") return false;
    for (const agent of next.agents) if (next.phase !== "testing" || agent === "tester") this.#work(agent);
    if (this.state.phase === "acceptance") this.#runTests("orchestrator", root);
    this.ready();
    return true;
  }

  /** To the end, with a person who says yes, or once no. */
  play(mostSteps = 60): void {
    for (let steps = 0; steps < mostSteps && this.state.status.kind === "running"; steps++) {
      if (this.step()) continue;
      if (this.state.workflow === "UNCLEAR") this.person((state, act) => persons.chooseType(state, act, "MIXED"));
      else if (this.state.tree === "tree-0" && this.#left.rejectsPlan) {
        this.#left.rejectsPlan = false;
        this.person((state, act) => persons.reject(state, act, { notes: "smaller" }));
      } else this.person(persons.approve);
    }
  }

  #work(agent: string): void {
    if (agent === "orchestrator") {
      this.#write(agent, root);
      return;
    }
    if (!this.call("orchestrator", "task", { subagent_type: agent, prompt: "go", description: "work" })) return;
    this.#sessions += 1;
    const session = `ses_${this.#sessions}`;
    this.plugin({ type: "session-joined", session, parent: root, agent, depth: 1 });
    this.call(agent, "read", { filePath: "package.json" }, session);
    this.call(agent, "bash", { command: "git log --oneline -5 | head -3" }, session);
    this.#doJob(agent, session);
    this.plugin({ type: "usage-seen", message: `msg_${session}`, session, usd: 0.01, tokens: 900 });
    this.plugin({ type: "session-ended", session, outcome: "idle" });
  }

  #doJob(agent: string, session: string): void {
    const { judge, changesFiles } = phases[this.state.phase];
    this.#write(agent, session);
    if (changesFiles === true) this.#build(agent, session);
    if (judge !== undefined) this.#review(agent, session);
    if (this.state.phase === "testing") this.#test(session);
  }

  #write(agent: string, session: string): void {
    for (const output of phases[this.state.phase].outputs) {
      const path = output.endsWith("/") ? `${output}${agent}-${session}.md` : output;
      if (!this.call(agent, "write", { filePath: `${worktree}/${folder}/${path}`, content: "x" }, session)) continue;
      this.plugin({ type: "artifact-seen", path, hash: `hash-${this.#now}`, bytes: 10 });
    }
  }

  #build(agent: string, session: string): void {
    const isTdd = this.state.workflow === "API_FOCUSED" && this.state.evidence.length === 0;
    if (isTdd) {
      this.#edit(agent, session, "convex/profile.test.ts");
      this.#runTests(agent, session, 1);
    }
    this.#edit(agent, session, "src/profile.ts");
    this.call(agent, "bash", { command: "npm run build && npx svelte-check > /dev/null" }, session);
    if (this.state.workflow === "API_FOCUSED") this.#runTests(agent, session);
  }

  #edit(agent: string, session: string, filePath: string): void {
    if (!this.call(agent, "edit", { filePath, oldString: "a", newString: "b" }, session)) return;
    this.#tree += 1;
    this.plugin({ type: "tree-seen", tree: `tree-${this.#tree}` });
  }

  #review(agent: string, session: string): void {
    const round = {
      "plan-review": "planRounds",
      "design-validation": "designRounds",
      "code-review": "codeRounds",
    } as const;
    const name = round[this.state.phase as keyof typeof round];
    const isBad = this.#left[name] > 0;
    if (isBad) this.#left[name] -= 1;
    const submission = isBad ? blocking : passing;
    if (!this.call(agent, "submit_review", submission, session)) return;
    const by = { kind: "agent", agent, session } as const;
    this.emit({ type: "review-submitted", at: this.#tick(), by, submission });
  }

  #test(session: string): void {
    for (; this.#left.failingRuns > 0; this.#left.failingRuns -= 1) {
      this.#runTests("tester", session, 1);
      this.#edit(this.state.workflow === "MIXED" ? "backend" : "developer", session, "src/repair.ts");
    }
    this.#runTests("tester", session);
  }

  #runTests(agent: string, session: string, failed = 0): void {
    if (!this.call(agent, "run_tests", {}, session)) return;
    const counts = { passed: 12 - failed, failed, skipped: 0 };
    const exit = { kind: "code", code: failed > 0 ? 1 : 0 } as const;
    const evidence = { argv: ["npm", "test"], tree: this.state.tree!, exit, counts, ms: 10, outputHash: "sha256:0" };
    this.plugin({ type: "tests-ran", evidence });
  }

  #tick(): number {
    this.#now += 1000;
    return this.#now;
  }
}
