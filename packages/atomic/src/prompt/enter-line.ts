// What a line does once it is entered: workflows run in the background, commands of `atomic` run here, and everything
// else is handed to the host.
import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { splitWords } from "@atomic/terminal/shell-words";
import { didYouMean } from "@atomic/terminal/suggest";
import type { AtomicContext } from "../context.ts";
import { attendRun } from "../live/attend-run.ts";
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
import { handOver, runAtomic, runInBackground } from "./processes.ts";

/** What an entered line may use of the prompt line. */
export interface PromptSession {
  readonly context: AtomicContext;
  readonly catalog: Catalog;
  readonly host: PromptHost;
  readonly model: string | undefined;
  readonly openRuns: readonly OpenRun[];
  /** The run that is shown as a tree. */
  readonly expanded: string | undefined;
  projectRuns(): Promise<ProjectRuns>;
  loaded(): Promise<LoadedCatalog>;
  /** Above the prompt line, where it stays. */
  print(text: string): void;
  /** Below the prompt line, until the next key. */
  notify(message: string): void;
  remember(
    record: MemoryRecord extends infer Each ? (Each extends unknown ? Omit<Each, "project"> : never) : never,
  ): Promise<void>;
  /** Types this line and offers values for its last word. */
  offer(text: string, values: readonly string[]): void;
  expand(runId: string): void;
  /** What has been watched to its end is not shown again. */
  attended(runId: string): void;
  clear(): void;
  exit(): void;
}

export type Entered = Extract<Effect, { readonly kind: "run" | "send" }>;

/** Returns what to say about it, in a sentence or two; undefined if there is nothing to say. */
export async function enterLine(session: PromptSession, entered: Entered): Promise<string | undefined> {
  const { context, host, model } = session;
  if (entered.kind === "send") return await handOver(context, host, { text: entered.text, model });
  const { entry, args } = entered;
  if (isEntityEntry(entry)) {
    if (entry.kind === "workflow") return startWorkflow(session, [entry.name, ...splitWords(args)]);
    const { registry } = await session.loaded();
    return await handEntity(session, entry.entity, args, registry);
  }
  const words = splitWords(args);
  if (isOwnName(entry.name)) {
    const extra = words[mostWords[entry.name] ?? words.length];
    if (extra === undefined) return await own[entry.name](session, words, args);
    return `Unexpected argument "${safeLine(extra)}". Usage: /${`${entry.name} ${entry.hint ?? ""}`.trim()}`;
  }
  await runAtomic(context, [entry.name, ...words]);
  return undefined;
}

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
      session.print(helpText(session.catalog, stderr));
      return undefined;
    }
    const entry = session.catalog.find(name.replace(/^\//, ""));
    if (entry === undefined) {
      const [best] = didYouMean(
        name,
        session.catalog.entries.map((each) => each.name),
      );
      return `There is no /${safeLine(name)}.${best === undefined ? "" : ` Did you mean /${safeLine(best)}?`}`;
    }
    if (entry.kind === "own" && (!isOwnName(entry.name) || entry.name === "run"))
      await runAtomic(session.context, ["help", entry.name]);
    else session.print(describeEntry(entry, stderr));
    return undefined;
  },
  clear: (session) => void session.clear(),
  exit: (session) => void session.exit(),
  host: async (session, [name]) => {
    const { host } = session;
    const others = promptHosts.filter((each) => each !== host).join(" or ");
    if (name === undefined)
      return `Your tasks go to ${hostTitle(host)}. /host ${others.replace(" or ", " or /host ")} changes that.`;
    if (!isPromptHost(name)) return `"${safeLine(name)}" is not one of ${promptHosts.join(", ")}.`;
    await session.remember({ host: name });
    return `Your tasks go to ${hostTitle(name)} now.`;
  },
  model: async (session, words) => await enterModel(session, words),
  compact: async ({ context, host, model }, _words, args) =>
    // OpenCode drops a prompt that comes with a session to continue.
    host === "opencode"
      ? "OpenCode compacts a session only from its own prompt: open it with `opencode --continue`, and type /compact there."
      : await handOver(context, host, { text: `/compact ${args}`.trim(), session: "last", model }),
  run: (session, words) => (words.length === 0 ? "Name a workflow: /run <workflow>." : startWorkflow(session, words)),
  resume: async (session, [name, ...more]) => {
    const { context, host, model } = session;
    if (name === undefined) {
      const idle = session.openRuns.find(({ status }) => ["pending", "interrupted", "stopped"].includes(status.kind));
      if (idle === undefined)
        return `There is no run to continue. /resume <session> continues a session of ${hostTitle(host)}.`;
      return continueRun(session, [idle.view.state.runId]);
    }
    // Sessions of OpenCode begin like this; those of Claude and Copilot are UUIDs.
    if (/^ses_|^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(name)) return await handOver(context, host, { session: name, model });
    const { find } = await session.projectRuns();
    return continueRun(session, [await find(name), ...more]);
  },
  answer: async (session, [name]) => await attend(session, name, "answered"),
  attach: async (session, [name]) => await attend(session, name, "ended"),
};

function startWorkflow(session: PromptSession, words: readonly string[]): undefined {
  const { context, host, model } = session;
  // Behind a `--` everything is the workflow's.
  const [end = words.length] = [words.indexOf("--")].filter((at) => at >= 0);
  const isChosen = words.slice(0, end).some((word) => /^--(?:host|model|script|resume)(?:=|$)/.test(word));
  const chosen = model === undefined || isChosen ? [] : ["--model", model];
  // A host that only runs workflows, such as the scripted one, stays.
  const env = {
    ...context.env,
    ATOMIC_HOST: context.env.ATOMIC_HOST && !isPromptHost(context.env.ATOMIC_HOST) ? context.env.ATOMIC_HOST : host,
  };
  runInBackground({ cwd: context.cwd, env }, ["run", ...chosen, ...words], {
    started: (runId) => session.expand(runId),
    refused: (message) => session.notify(message),
  });
}

function continueRun(session: PromptSession, words: readonly string[]): undefined {
  runInBackground(session.context, ["resume", ...words], {
    started: (runId) => session.expand(runId),
    refused: (message) => session.notify(message),
  });
}

/** A run whose questions are answered while no process works on it is continued. */
async function attend(
  session: PromptSession,
  name: string | undefined,
  until: "ended" | "answered",
): Promise<string | undefined> {
  const { context, openRuns, expanded } = session;
  refuseAgent(context.caller, `/${until === "answered" ? "answer" : "attach"}`);
  const runs = await session.projectRuns();
  const asks = ({ view }: OpenRun): boolean => questionsOf(view.state).length > 0;
  const first =
    until === "answered"
      ? (openRuns.find((run) => asks(run) && run.view.state.runId === expanded) ?? openRuns.find(asks))
      : (openRuns.find(({ view }) => view.state.runId === expanded) ?? openRuns[0]);
  const runId = name === undefined ? first?.view.state.runId : await runs.find(name);
  if (runId === undefined) return until === "answered" ? "No run has a question for you." : "There is no open run.";
  session.expand(runId);
  if (until === "ended")
    context.stderr.write(painter(context.stderr.colour)("dim", "Ctrl-C detaches; the run continues.\n"));
  const status = await attendRun(context, runs, runId, until);
  if (until === "ended" && hasEnded(status)) session.attended(runId);
  if (status.kind === "pending" && questionsOf(await runs.engine.state(runId)).length === 0)
    continueRun(session, [runId]);
  return undefined;
}
