// A run that this process drives. Everything observed goes into its journal, and the rest follows from there.
import { join } from "node:path";
import { keepTree, keptTree } from "../../evidence/kept-tree.ts";
import { readTree, type Tree } from "../../evidence/tree-hash.ts";
import { withCommands } from "../../run/command-names.ts";
import { isPersonEvent, type MagnusEvent } from "../../run/event.ts";
import { needsRed } from "../../run/gates.ts";
import { heldText } from "../../run/held.ts";
import { currentVisit, isOver, lookUp, type MagnusState, rootOf } from "../../run/state.ts";
import { whyStuck } from "../../run/stuck.ts";
import { mayComeFirst } from "../../run/test-files.ts";
import { changedArtifacts } from "../../sessions/artifacts.ts";
import type { RunJournal } from "../../sessions/journal.ts";
import { SerialQueue } from "../../sessions/serial-queue.ts";
import { metaOf } from "../../sessions/session-meta.ts";
import { Sessions } from "../../sessions/sessions.ts";
import { runPlace, type Workplace } from "../../sessions/workplace.ts";
import type { MessageInfo } from "./opencode.ts";

type PluginEvent = Extract<MagnusEvent, { by: { kind: "plugin" } }>;
/** A plugin event without the fields that all events share. */
export type NewPluginEvent = PluginEvent extends infer Each
  ? Each extends PluginEvent
    ? Omit<Each, "at" | "by">
    : never
  : never;

export interface Joining {
  readonly session: string;
  readonly parent: string;
  readonly agent: string;
  readonly model?: string | undefined;
}

export class DrivenRun {
  readonly #journal: RunJournal;
  readonly #workplace: Workplace;
  readonly #sessions: Sessions;
  readonly #refreshing = new SerialQueue();
  readonly #notify: (message: string) => void;
  #shownHeld = 0;
  #shownEvents: number;
  #shownChange = "";
  #savedMeta = "";
  /** The files when they were last looked at, and when the current visit began. */
  #tree: Tree | undefined;
  #treeAtEntry: Tree | undefined;
  #visits: number;
  /** The visit that was last announced to the orchestrator. A phase that was not announced cannot be finished. */
  #announcedVisit = 0;

  /** `notify` shows a message to the person at the screen. */
  constructor(journal: RunJournal, workplace: Workplace, notify: (message: string) => void = () => undefined) {
    this.#journal = journal;
    this.#shownEvents = journal.length;
    this.#visits = journal.length === 0 ? 0 : journal.state.visits.length;
    this.#notify = notify;
    this.#workplace = workplace;
    this.#sessions = new Sessions(workplace.directory);
  }

  get state(): MagnusState {
    return this.#journal.state;
  }

  get #keptTree(): string {
    return `${runPlace(this.#workplace, this.state.run).seal}.tree`;
  }

  get root(): string {
    return rootOf(this.state)!;
  }

  /** The session folder, absolute. */
  get folder(): string {
    return join(this.state.worktree, this.state.folder);
  }

  async record(...seen: readonly NewPluginEvent[]): Promise<MagnusState> {
    const at = Date.now();
    return await this.append(...seen.map((each) => ({ ...each, at, by: { kind: "plugin" } }) as MagnusEvent));
  }

  async append(...events: readonly MagnusEvent[]): Promise<MagnusState> {
    if (events.length > 0) await this.#journal.append(...events);
    // Including those that our program recorded in an agent's shell.
    for (const event of this.#journal.from(this.#shownEvents)) {
      // What a person decided may change the step, so the orchestrator has to read it before it can report it as done.
      if (isPersonEvent(event)) this.#announcedVisit = 0;
      if (event.type === "call-refused" && event.gate === "record") {
        const { agent, tool, missing } = event;
        this.#notify(`${agent || "An agent"} was refused ${tool} in ${this.state.run}: ${missing}.`);
      }
      if (event.type === "paused" && event.reason === "stuck")
        this.#notify(`The run ${this.state.run} needs you: ${event.detail}.`);
    }
    this.#shownEvents = this.#journal.length;
    if (this.#visits !== this.state.visits.length) {
      this.#treeAtEntry = this.#tree;
      const isComparedLater = this.state.phase === "implementation" && needsRed(this.state);
      keepTree(this.#keptTree, isComparedLater ? this.#tree : undefined);
    }
    this.#visits = this.state.visits.length;
    if (isOver(this.state)) keepTree(this.#keptTree, undefined);
    // For people and other programs; the journal is the truth.
    const { updatedAt, ...meta } = metaOf(this.state);
    const text = JSON.stringify(meta);
    if (text !== this.#savedMeta) {
      this.#savedMeta = text;
      await this.#sessions.save({ ...meta, updatedAt });
    }
    // Anything attempted in a person's name is shown at once.
    const { run, held, heldSoFar, status, commandNames } = this.state;
    const news = held.filter(({ number }) => number > this.#shownHeld);
    const shows = withCommands("`/magnus-confirm` shows them.", commandNames);
    if (news.length > 0) this.#notify(`The run ${run} is paused. ${heldText(news)}. ${shows}`);
    this.#shownHeld = heldSoFar;
    const change = status.kind === "paused" && status.reason === "journal-changed" ? status.detail : "";
    if (change !== "" && change !== this.#shownChange) this.#notify(`The run ${run} is paused: ${change}.`);
    this.#shownChange = change;
    return this.state;
  }

  /** The state after recording changes in the session folder and decisions from a person's shell. */
  async refresh(): Promise<MagnusState> {
    return await this.#refreshing.run(async () => {
      await this.#journal.refresh();
      const artifacts = changedArtifacts(this.folder, this.state.artifacts);
      return await this.record(...artifacts.map((each) => ({ type: "artifact-seen", ...each }) as const));
    });
  }

  /** Also records changes to the project's files, which takes longer. */
  async refreshWithFiles(): Promise<MagnusState> {
    await this.refresh();
    return await this.#refreshing.run(async () => {
      this.#tree = await readTree(this.#workplace.worktree);
      const { hash: tree } = this.#tree;
      if (tree !== this.state.tree) await this.record({ type: "tree-seen", tree });
      return this.state;
    });
  }

  /** Adds a session below the root to the run, or reopens it. */
  async join({ session, parent, agent, model }: Joining): Promise<void> {
    const known = lookUp(this.state.sessions, session);
    if (known !== undefined && (known.parent === undefined || (known.isOpen && known.agent === agent))) return;
    const depth = (lookUp(this.state.sessions, parent)?.depth ?? 0) + 1;
    await this.record({ type: "session-joined", session, parent, agent, depth, ...(model !== undefined && { model }) });
  }

  async end(session: string, outcome: "idle" | "error" | "lost"): Promise<void> {
    const member = lookUp(this.state.sessions, session);
    if (member === undefined || member.parent === undefined || !member.isOpen) return;
    // What the session left behind shows whether it achieved anything.
    if (outcome !== "lost") await this.refreshWithFiles();
    await this.record({ type: "session-ended", session, outcome });
    await this.pauseIfStuck();
  }

  async pauseIfStuck(): Promise<void> {
    const detail = whyStuck(this.state);
    if (detail !== undefined) await this.record({ type: "paused", reason: "stuck", detail });
  }

  /** Files other than tests that have changed since this phase began, as far as a process has seen its beginning. */
  async changedBeforeTest(): Promise<readonly string[]> {
    this.#treeAtEntry ??= keptTree(this.#keptTree, currentVisit(this.state).treeAtEntry);
    const before = this.#treeAtEntry?.fingerprints;
    if (before === undefined) return [];
    const now = (await readTree(this.#workplace.worktree)).fingerprints;
    const paths = [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path));
    return paths.filter((path) => !mayComeFirst(path, this.state.options.testFiles));
  }

  async recordUsage({ id, sessionID, role, cost = 0, tokens }: MessageInfo): Promise<void> {
    if (role !== "assistant" || tokens === undefined) return;
    const { input, output, reasoning, cache } = tokens;
    const sum = input + output + reasoning + cache.read + cache.write;
    const before = lookUp(this.state.messages, id);
    if (sum === (before?.tokens ?? 0) && cost === (before?.usd ?? 0)) return;
    await this.record({ type: "usage-seen", message: id, session: sessionID, usd: cost, tokens: sum });
  }

  get isPhaseAnnounced(): boolean {
    return this.#announcedVisit === this.state.visits.length;
  }

  announcePhase(): void {
    this.#announcedVisit = this.state.visits.length;
  }

  async close(): Promise<void> {
    await this.#refreshing.idle();
    await this.#journal[Symbol.asyncDispose]();
  }
}
