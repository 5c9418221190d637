// What a person decides on the page, done as the commands do it: through the run's inbox.
import { type ChildProcess, spawn } from "node:child_process";
import { isExplained } from "@atomic/durable-files/explained-error";
import type { Budget } from "@atomic/workflows/internal/run/budget";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import { budgetText, shorten } from "../report/format.ts";
import { answerTo, choiceOf, headline, isTooLate, questionsOf, signalsFor } from "../view/questions.ts";
import { describeStatus, hasEnded } from "../view/run-status.ts";
import type { PageReply, PageRequest, RunAction } from "./draw/messages.ts";

export interface RunActions {
  readonly engine: LocalEngine;
  readonly now: () => number;
  /** Starts `atomic resume` with these words and waits until it works on the run, or cannot. */
  readonly resume: (words: readonly string[]) => Promise<PageReply>;
}

export async function perform(actions: RunActions, runId: string, given: unknown): Promise<PageReply> {
  const request = requestOf(given);
  if (request === undefined) return no("This is not something the page can do.");
  try {
    const state = await actions.engine.state(runId);
    if (state.createdAt !== request.createdAt)
      return no(`Another run is called ${runId} now. Nothing was changed; look at the new run first.`);
    switch (request.do) {
      case "answer":
        return await answer(actions, state, request);
      case "cancel":
        return await cancel(actions, state);
      case "raise":
        return await raise(actions, state, request.budget);
      case "resume":
        return await actions.resume([runId, ...(state.status.kind === "failed" ? ["--retry"] : [])]);
    }
  } catch (error) {
    // Such as a run that has ended in the meantime, or was removed.
    if (!isExplained(error)) throw error;
    return no(withHint(error.message, error.hint));
  }
}

/** Anything may be sent; only what is a request counts. */
function requestOf(given: unknown): PageRequest | undefined {
  const { do: what, createdAt, key, words, deny, chosen, budget } = Object(given) as Readonly<Record<string, unknown>>;
  if (typeof createdAt !== "number") return undefined;
  if (what === "cancel" || what === "resume") return { do: what, createdAt };
  if (what === "raise") return { do: what, createdAt, budget: Object(budget) as Budget };
  const isAnswer =
    what === "answer" &&
    typeof key === "string" &&
    (words === undefined || typeof words === "string") &&
    (deny === undefined || typeof deny === "boolean") &&
    (chosen === undefined || (Array.isArray(chosen) && chosen.every(Number.isSafeInteger)));
  return isAnswer ? { do: what, createdAt, key, words, deny, chosen } : undefined;
}

type Answer = Extract<RunAction, { readonly do: "answer" }>;

/** Only the first answer counts; the reply to a later one says what it was. */
async function answer(
  { engine, now }: RunActions,
  state: RunState,
  { key, words, deny, chosen }: Answer,
): Promise<PageReply> {
  const { runId } = state;
  const open = questionsOf(state);
  const question = open.find((each) => each.key === key);
  const late = (signals: ReadonlyMap<string, Json>): PageReply =>
    no(`This was already answered: “${shown(signals.get(key) ?? null)}”. Only the first answer counts.`);
  if (question === undefined) {
    return state.signals.has(key) ? late(state.signals) : no("This question is no longer open.");
  }
  if (isTooLate(state, question, now()))
    return no("It is too late to answer this question. Resume the run to continue without an answer.");
  const reading =
    chosen === undefined ? answerTo(question, { words, deny: deny === true }) : choiceOf(question, chosen);
  if ("problem" in reading) return no(reading.problem);
  const [first, ...covered] = signalsFor(question, reading.value, open);
  if ((await engine.signal(runId, first.key, first.value)) === "ignored")
    return late((await engine.state(runId)).signals);
  for (const each of covered) await engine.signal(runId, each.key, each.value);
  const isWorkedOn = ["running", "waiting", "paused"].includes(state.status.kind);
  const who =
    engine.name === "postgres" ? "A worker continues it" : "No process is working on the run: resume it to continue";
  const next = isWorkedOn ? "" : ` (${who}.)`;
  return { ok: true, message: `You answered “${shown(first.value)}”: ${headline(question)}${next}` };
}

function shown(value: Json): string {
  if (value === true || value === "allow") return "yes";
  if (value === false || value === "deny") return "no";
  return shorten(typeof value === "string" ? value : JSON.stringify(value));
}

async function cancel({ engine }: RunActions, { runId, status }: RunState): Promise<PageReply> {
  if (hasEnded(status)) return no(`${runId} has already ended: ${describeStatus(status)}`);
  await engine.cancel(runId);
  const { kind } = await engine.status(runId);
  if (kind === "cancelled") return { ok: true, message: `${runId} is cancelled.` };
  return { ok: true, message: `${runId} is being cancelled; the process working on it is stopping its agents.` };
}

/** Far beyond what anyone means. */
const mostAllowed: Required<Budget> = { usd: 1e7, tokens: 1e14, wallMs: 1e12, steps: 1e10 };

async function raise(
  { engine, resume }: RunActions,
  { runId, status, spent }: RunState,
  budget: Budget,
): Promise<PageReply> {
  const named = Object.fromEntries(
    (["usd", "tokens", "wallMs", "steps"] as const).flatMap((name) => {
      const amount: unknown = budget[name];
      return typeof amount === "number" ? [[name, amount]] : [];
    }),
  );
  if ([named.tokens, named.steps].some((amount) => amount !== undefined && !Number.isSafeInteger(amount)))
    return no("Tokens and steps are whole numbers.");
  if (Object.keys(named).length === 0) return no("Type at least one limit.");
  for (const [name, amount] of Object.entries(named) as [keyof Budget, number][]) {
    const limit = budgetText({ [name]: amount });
    if (amount > mostAllowed[name])
      return no(`${limit} is too large to be a limit; leave the field empty for no limit.`);
    if (amount > spent[name]) continue;
    return no(`A limit of ${limit} is not above what the run has used: ${budgetText({ [name]: spent[name] })}.`);
  }
  await engine.raise(runId, named);
  // A worker continues what is in a database.
  if (status.kind === "stopped" && engine.name !== "postgres") return await resume([runId]);
  const state = await engine.state(runId);
  return { ok: true, message: `The budget is now ${budgetText({ ...state.budget, ...named })}.` };
}

/** What the last line that `atomic resume --json` printed says. */
function failureIn(printed: string, code: number | null): string {
  const [last = ""] = printed.trimEnd().split("\n").slice(-1);
  if (!last.startsWith('{"ok":false')) return `atomic resume ended with ${code}.`;
  const { message, hint } = (
    JSON.parse(last) as { readonly error: { readonly message: string; readonly hint?: string } }
  ).error;
  return withHint(message, hint);
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}

function no(message: string): PageReply {
  return { ok: false, message };
}

/**
 * Runs that are resumed on the page, each by `atomic resume` in a process of its own, because a workflow's code may end its
 * process. They are given back when this is disposed, and can be resumed again.
 */
export class ResumedRuns implements AsyncDisposable {
  readonly #program: readonly string[];
  readonly #cwd: string;
  readonly #children = new Set<ChildProcess>();

  constructor(program: readonly string[], cwd: string) {
    this.#program = program;
    this.#cwd = cwd;
  }

  /** Resolves when it works on the run, or cannot. */
  async resume(words: readonly string[]): Promise<PageReply> {
    const [command = "", ...args] = this.#program;
    // Not in the terminal's group: Ctrl-C reaches it once, from here. A second one would end it in the middle.
    const child = spawn(command, [...args, "resume", ...words, "--json"], {
      cwd: this.#cwd,
      // Its input ends with this process, however that ends, and then it releases the run.
      env: { ...process.env, ATOMIC_WATCHED: "1" },
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    child.stdin.on("error", () => undefined);
    this.#children.add(child);
    let printed = "";
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        // Its first event shows that it has taken the run; the page hears of the others from the journal.
        if (printed === "" && /^\{"runId":/.test(text)) resolve({ ok: true, message: "You resumed the run." });
        printed = (printed + text).slice(-10_000);
      });
      child.once("close", (code) => {
        this.#children.delete(child);
        resolve(code === 0 ? { ok: true, message: "The run has ended." } : no(failureIn(printed, code)));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = [...this.#children].map((child) => new Promise((resolve) => child.once("close", resolve)));
    for (const child of this.#children) child.kill("SIGINT");
    await Promise.all(ended);
  }
}
