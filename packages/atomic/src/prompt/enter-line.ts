// What a line does once it is entered: workflows run in the background, commands of `atomic` run here, and everything
// else is handed to the host.
import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { splitWords } from "@atomic/terminal/shell-words";
import { didYouMean } from "@atomic/terminal/suggest";
import { truncate } from "@atomic/terminal/width";
import type { AtomicContext } from "../context.ts";
import { attendRun } from "../live/attend-run.ts";
import { printingFlags } from "../printing-flags.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import { questionsOf } from "../view/questions.ts";
import { hasEnded } from "../view/run-status.ts";
import { handEntity } from "./hand-entity.ts";
import { describeEntry, helpText } from "./line/help-text.ts";
import { hostTitle, isPromptHost, type PromptHost, promptHosts } from "./line/host-command.ts";
import type { MemoryRecord } from "./line/memory.ts";
import { isOwnName, type OwnName } from "./line/own-commands.ts";
import type { Effect } from "./line/state.ts";
import type { Catalog } from "./line/suggestions.ts";
import { isEntityEntry, type LoadedCatalog } from "./load-catalog.ts";
import { enterModel } from "./models.ts";
import type { OpenRun } from "./open-runs.ts";
import { type BackgroundEvents, handOver, runAtomic, runInBackground } from "./processes.ts";

/** What an entered line may use of the prompt line. */
export interface PromptSession {
  readonly context: AtomicContext;
  readonly catalog: Catalog;
  readonly host: PromptHost;
  readonly model: string | undefined;
  readonly openRuns: readonly OpenRun[];
  /** The run that is shown as a tree. */
  readonly expanded: string | undefined;
  /** Reads the open runs. Throws why they cannot be read. */
  readRuns(): Promise<void>;
  /** The same, once what is being started here is among them: that is returned. Without an id, it did not start. */
  readStarted(): Promise<{ readonly what: string; readonly runId: string | undefined } | undefined>;
  projectRuns(): Promise<ProjectRuns>;
  loaded(): Promise<LoadedCatalog>;
  /** Reads everything again that can be typed. Returns whether the name is among it. */
  finds(name: string): Promise<boolean>;
  /** Above the prompt line, where it stays. */
  print(text: string): void;
  /** Gives the terminal away until that is done: to another program, or to a question. */
  lend<Result>(act: () => Promise<Result>): Promise<Result>;
  /** Below the prompt line, until the next key. */
  notify(message: string): void;
  /** While a line is worked on, until the returned function is called. */
  showWaiting(message: string): () => void;
  remember(
    record: MemoryRecord extends infer Each ? (Each extends unknown ? Omit<Each, "project"> : never) : never,
  ): Promise<void>;
  /** Types this line and offers values for its last word. */
  offer(text: string, values: readonly string[]): void;
  expand(runId: string): void;
  /**
   * Something begins in the background that becomes a run: shown as a tree, and its end stays on the screen. If it is
   * refused, the reason stays there.
   *
   * @param what As it was entered: it has no id yet.
   */
  begins(what: string): BackgroundEvents;
  /** A run is watched now: if until its end, that end is not shown again. */
  attends(runId: string, toItsEnd: Promise<boolean>): void;
  /** What was typed ahead is gone. */
  forgetTyped(): void;
  clear(): void;
  exit(): void;
}

export type Entered = Extract<Effect, { readonly kind: "run" | "send" }>;

/** Returns what to say about it, in a sentence or two; undefined if there is nothing to say. */
export async function enterLine(session: PromptSession, entered: Entered): Promise<string | undefined> {
  if (entered.kind === "send") return await handOver(session, { text: entered.text });
  const { entry, args } = entered;
  if (isEntityEntry(entry)) {
    if (entry.kind === "workflow") return await startWorkflow(session, [entry.name, ...splitWords(args)]);
    // Its file may have other text or other limits by now.
    const current = (await session.finds(entry.name)) ? session.catalog.find(entry.name) : undefined;
    // A namesake of another kind is not what was chosen.
    if (current === undefined || !isEntityEntry(current) || current.kind !== entry.kind)
      return `/${safeLine(entry.name)} no longer exists.`;
    const { registry } = await session.loaded();
    return await handEntity(session, current.entity, args, registry);
  }
  const words = splitWords(args);
  if (isOwnName(entry.name)) {
    const extra = words[mostWords[entry.name] ?? words.length];
    if (extra === undefined) return await own[entry.name](session, words, args);
    return `Unexpected argument "${safeLine(extra)}". Usage: /${`${entry.name} ${entry.hint ?? ""}`.trim()}`;
  }
  const code = await runAtomic(session, [entry.name, ...words]);
  // What it says itself is for a shell.
  return code === invalidLine ? `\`/help ${entry.name}\` shows how to use it.` : undefined;
}

const invalidLine: ExitCode = 2;

type OwnCommand = (
  session: PromptSession,
  words: readonly string[],
  args: string,
) => Promise<string | undefined> | string | undefined;

/** The others take any number, or refuse what they cannot use. */
const mostWords: Readonly<Partial<Record<OwnName, number>>> = {
  help: 1,
  clear: 0,
  exit: 0,
  host: 1,
  answer: 1,
  attach: 1,
};

const own: Readonly<Record<OwnName, OwnCommand>> = {
  help: async (session, [name]) => {
    const { stderr } = session.context;
    if (name === undefined) {
      session.print(helpText(session.catalog, stderr, session.context.env.TERM !== "dumb"));
      return undefined;
    }
    const plain = name.replace(/^\/(?=.)/, "");
    const entry = session.catalog.find(plain);
    if (entry === undefined) {
      const [best] = didYouMean(
        plain,
        session.catalog.entries.map((each) => each.name),
      );
      const meant = best === undefined ? "" : ` Did you mean /${safeLine(best)}?`;
      return `There is no /${safeLine(plain)}.${meant} \`/help\` lists everything.`;
    }
    if (entry.kind === "own" && (!isOwnName(entry.name) || entry.name === "run"))
      await runAtomic(session, ["help", entry.name]);
    else session.print(describeEntry(entry, stderr));
    return undefined;
  },
  clear: (session) => void session.clear(),
  exit: (session) => void session.exit(),
  host: async (session, [name]) => {
    const { host } = session;
    const others = promptHosts.filter((each) => each !== host).map((each) => `/host ${each}`);
    if (name === undefined) return `Your tasks go to ${hostTitle(host)}. Switch with ${others.join(" or ")}.`;
    if (!isPromptHost(name)) return `"${safeLine(name)}" is not one of ${promptHosts.join(", ")}.`;
    await session.remember({ host: name });
    return `Your tasks now go to ${hostTitle(name)}.`;
  },
  model: async (session, words) => await enterModel(session, words),
  compact: async (session, _words, args) =>
    // OpenCode drops a prompt that comes with a session to continue.
    session.host === "opencode"
      ? "OpenCode compacts a session only from its own prompt: open it with `opencode --continue`, and type /compact there."
      : await handOver(session, { text: `/compact ${args}`.trim(), session: "last" }),
  run: (session, words) => (words.length === 0 ? "Name a workflow: /run <workflow>." : startWorkflow(session, words)),
  resume: async (session, [name, ...more]) => {
    if (name === undefined) {
      await session.readRuns();
      const idle = session.openRuns.find(({ status }) => ["pending", "interrupted", "stopped"].includes(status.kind));
      if (idle === undefined)
        return `There is no run to resume. To resume ${session.host === "opencode" ? "an" : "a"} ${hostTitle(session.host)} session, type /resume <session>.`;
      return continueRun(session, [idle.view.state.runId]);
    }
    // Sessions of OpenCode begin like this; those of Claude and Copilot are UUIDs.
    const isOpenCodes = name.startsWith("ses_");
    if (isOpenCodes && session.host !== "opencode")
      return `${safeLine(name)} is an OpenCode session, but your tasks go to ${hostTitle(session.host)}. Switch with /host opencode.`;
    if (isOpenCodes || /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(name)) return await handOver(session, { session: name });
    const { find } = await session.projectRuns();
    return continueRun(session, [await find(name), ...more]);
  },
  answer: async (session, [name]) => await attend(session, name, "answered"),
  attach: async (session, [name]) => await attend(session, name, "ended"),
};

async function startWorkflow(session: PromptSession, words: readonly string[]): Promise<undefined> {
  const { context, host, model } = session;
  // Behind a `--` everything is the workflow's.
  const [end = words.length] = [words.indexOf("--")].filter((at) => at >= 0);
  const ours = words.slice(0, end);
  const isChosen = ours.some((word) => /^--(?:host|model|script|resume)(?:=|$)/.test(word));
  const chosen = model === undefined || isChosen ? [] : ["--model", model];
  // A host that only runs workflows, such as the scripted one, stays.
  const env = {
    ...context.env,
    ATOMIC_HOST: context.env.ATOMIC_HOST && !isPromptHost(context.env.ATOMIC_HOST) ? context.env.ATOMIC_HOST : host,
  };
  const command = ["run", ...chosen, ...words];
  if (ours.some((word) => printingFlags.includes(word))) {
    await runAtomic(session, command, env);
    return undefined;
  }
  const [name = ""] = words;
  runInBackground({ cwd: context.cwd, env }, command, () => session.begins(name));
}

function continueRun(session: PromptSession, words: readonly string[]): undefined {
  const [name = ""] = words;
  runInBackground(session.context, ["resume", ...words], () => session.begins(name));
}

/** A run whose questions are answered while no process works on it is continued. */
async function attend(
  session: PromptSession,
  name: string | undefined,
  until: "ended" | "answered",
): Promise<string | undefined> {
  const { context } = session;
  refuseAgent(context.caller, `/${until === "answered" ? "answer" : "attach"}`);
  const runs = await session.projectRuns();
  // What was entered a moment ago is what is meant.
  const begun = name === undefined ? await session.readStarted() : undefined;
  if (begun !== undefined && begun.runId === undefined)
    return `There is no run to ${until === "answered" ? "answer" : "attach to"}: ${safeLine(begun.what)} did not start.`;
  const { openRuns, expanded } = session;
  const fits = ({ view }: OpenRun): boolean => until === "ended" || questionsOf(view.state).length > 0;
  const isMeant = ({ view }: OpenRun): boolean => view.state.runId === (begun?.runId ?? expanded);
  const first =
    openRuns.find((run) => isMeant(run) && (begun !== undefined || fits(run))) ??
    (begun === undefined ? openRuns.find(fits) : undefined);
  const runId = name === undefined ? first?.view.state.runId : await runs.find(name);
  if (runId === undefined) {
    if (begun?.runId !== undefined) return `${begun.runId} is no longer open.`;
    return until === "answered" ? "No run has a question for you." : "There is no open run.";
  }
  const before = await runs.engine.state(runId);
  const hasQuestions = questionsOf(before).length > 0;
  session.expand(runId);
  const attending = session.lend(async () => {
    // What was typed before a question can be read is not its answer, nor a task.
    session.forgetTyped();
    const { stderr } = context;
    const dim = (text: string): string => painter(stderr.colour)("dim", `${truncate(text, stderr.columns ?? 80)}\n`);
    // Nothing else says whose questions they are.
    if (until === "answered" && hasQuestions) stderr.write(dim(`${safeLine(before.name ?? "run")} ${runId}`));
    if (until === "ended" && !hasEnded(before.status)) stderr.write(dim("Ctrl-C detaches; the run continues."));
    const left = await attendRun(context, runs, runId, until);
    // Letters of an answer that no question waits for any more are not the beginning of a task.
    context.stdin.forget?.();
    return left;
  });
  if (until === "ended")
    session.attends(
      runId,
      attending.then(hasEnded, () => false),
    );
  const { kind } = await attending;
  const isLeft = kind === "pending" || (kind === "interrupted" && hasQuestions);
  if (isLeft && questionsOf(await runs.engine.state(runId)).length === 0) return continueRun(session, [runId]);
  if (until === "ended" || hasQuestions) return undefined;
  return `${runId} has no question for you${begun === undefined ? "" : " yet"}.`;
}
