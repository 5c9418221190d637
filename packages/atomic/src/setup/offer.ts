// `atomic setup` in a project: shows what can be done, asks, and does what was chosen.
import { isExplained } from "@atomic/durable-files/explained-error";
import { Interrupted } from "@atomic/terminal/console";
import type { Interrupt } from "@atomic/terminal/exit-codes";
import { type AnswerReading, ask, canAsk, readYesNo } from "@atomic/terminal/questions";
import { Refusal } from "@atomic/terminal/refusal";
import type { AtomicContext } from "../context.ts";
import { refuseOddPaths, refuseUnwritable, stateFolder } from "../project/write-files.ts";
import type { Where } from "../report/path.ts";
import { forgetRecord, readRecord, recordPath, type SetupRecord, type StepName, writeRecord } from "./record.ts";
import { failedStep, projectText, type ReportedStep } from "./reported-steps.ts";
import type { FoundAgent, SetupStep } from "./steps.ts";

interface Offer {
  readonly steps: readonly SetupStep[];
  readonly agents: readonly FoundAgent[];
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly isForProject: boolean;
}

type PlannedStep = ReportedStep & { readonly step: SetupStep };

export async function offer(context: AtomicContext, where: Where, given: Offer): Promise<readonly ReportedStep[]> {
  const { agents, yes, dryRun, isForProject } = given;
  const { project } = where;
  // Throws now if it cannot be read.
  readRecord(project);
  const plans = await plan(given.steps, context);
  const offered = plans.filter(({ did }) => did === "would");
  // What is done is recorded there.
  if (offered.length > 0) {
    refuseOddPaths(project, [recordPath]);
    refuseUnwritable(project, [stateFolder]);
  }
  // With `--yes` you want everything; otherwise you do not miss a part that you did not choose.
  const reported = (each: PlannedStep): ReportedStep =>
    yes || dryRun ? withoutStep(each) : optional(withoutStep(each));
  if (dryRun || offered.length === 0) return plans.map(reported);
  let chosen: readonly PlannedStep[] = offered;
  if (!yes) {
    context.quiet?.();
    const canAnswer = canAsk(context);
    const steps = canAnswer ? plans.map(optional) : plans;
    const shown = { where, agents, steps, dryRun: true, undo: false, wasShown: false };
    context.stderr.write(`${projectText(shown, context.stderr, canAnswer ? offered : [])}\n`);
    if (!canAnswer) {
      throw new Refusal("not-approved", {
        exitCode: 4,
        message: "setup needs your approval, but this is not an interactive terminal",
        hint: "`atomic setup --yes` does all of this. Nothing was changed.",
      });
    }
    const answer = await choose(context, offered.length);
    chosen = offered.filter((_, at) => answer.includes(at + 1));
  }
  const results = new Map<StepName, ReportedStep>();
  let isChanged = false;
  for (const { step, name, title, affects } of chosen) {
    if (context.interrupted?.aborted) throw stopped("SIGINT", isChanged);
    const before: SetupRecord = readRecord(project) ?? { steps: [], files: [], isForProject };
    const isFirst = !before.steps.includes(name);
    const record = {
      ...before,
      steps: isFirst ? [...before.steps, name] : before.steps,
      // Where its undo looks.
      ...(isFirst && name === "opencode" && { isForProject }),
    };
    // First, so that what a crash interrupts can be taken back, too. This one writes it with its files.
    if (name !== "workflow") await writeRecord(project, record);
    const result = await step.apply(record, yes).catch((error: unknown) => {
      if (error instanceof Interrupted) return error;
      return failedStep(error);
    });
    const isInterrupted = result instanceof Interrupted;
    const mayStay = isInterrupted || result.did === "failed" ? await mayBeDone(step) : result.did === "done";
    isChanged ||= mayStay;
    if (!mayStay) await withdraw(project, name === "workflow" || !isFirst ? undefined : name);
    if (isInterrupted) throw stopped(result.interrupt, isChanged);
    const { did, detail, exitCode } = result;
    results.set(name, { name, title, affects, did, detail, exitCode });
  }
  return plans.map(
    (each) =>
      results.get(each.name) ?? (each.did === "would" ? { ...withoutStep(each), did: "not-chosen" } : reported(each)),
  );
}

/** What was done before, or by another setup at the same time, stays on record. */
async function withdraw(project: string, name: StepName | undefined): Promise<void> {
  const record = readRecord(project);
  const steps = record?.steps.filter((each) => each !== name) ?? [];
  if (record === undefined || steps.length === 0) await forgetRecord(project);
  else if (name !== undefined) await writeRecord(project, { ...record, steps });
}

/** The program that was interrupted, or failed, is asked. If it does not answer, undo will ask it again. */
async function mayBeDone({ isDone }: SetupStep): Promise<boolean> {
  try {
    return (await isDone?.()) ?? false;
  } catch (error) {
    if (!isExplained(error)) throw error;
    return true;
  }
}

/** A part that cannot be set up is reported with the others. */
async function plan(steps: readonly SetupStep[], context: AtomicContext): Promise<readonly PlannedStep[]> {
  const plans: PlannedStep[] = [];
  for (const step of steps) {
    const { name, title, affects } = step;
    const planned = await step.plan().catch((error: unknown) => {
      if (error instanceof Interrupted) throw new Interrupted(error.interrupt, unchanged);
      return failedStep(error);
    });
    if (context.interrupted?.aborted) throw new Interrupted("SIGINT", unchanged);
    const did = "did" in planned ? planned.did : planned.kind === "offered" ? "would" : planned.kind;
    plans.push({ ...planned, step, name, title, affects, did });
  }
  return plans;
}

const unchanged = "Nothing was changed.";

/** The numbers of what was chosen. */
async function choose(context: AtomicContext, last: number): Promise<readonly number[]> {
  const answer = await ask(
    context,
    last === 1 ? "Set this up? [y/N] " : "Set up all of this? [y/N, or numbers such as 1 2] ",
    context.interrupted ?? new AbortController().signal,
    (words) => readSelection(words, last),
    undefined,
    { value: [] },
  );
  // Enter moves the cursor to the next line; Ctrl-D and Ctrl-C do not.
  if (answer === undefined) context.stderr.write("\n");
  if (context.interrupted?.aborted) throw new Interrupted("SIGINT", unchanged);
  return answer ?? [];
}

/** `y`, `n`, or `1 3`. */
function readSelection(words: string, last: number): AnswerReading<readonly number[]> {
  const all = Array.from({ length: last }, (_, at) => at + 1);
  const answer = readYesNo(words);
  if (answer !== undefined) return { value: answer ? all : [] };
  const word = words.trim().toLowerCase();
  if (word === "all" || word === "none") return { value: word === "all" ? all : [] };
  const numbers = word.split(/[\s,]+/);
  const isEach = numbers.every((each) => /^\d+$/.test(each) && Number(each) >= 1 && Number(each) <= last);
  if (isEach) return { value: numbers.map(Number) };
  return { problem: last === 1 ? "Type yes or no." : `Type yes, no, or numbers from 1 to ${last}.` };
}

/** What was done is in the record, so both commands know about it. */
function stopped(interrupt: Interrupt, isChanged: boolean): Interrupted {
  const hint = "Run `atomic setup` again to continue, or `atomic setup --undo` to undo what was done.";
  return new Interrupted(interrupt, isChanged ? hint : unchanged);
}

function optional(step: ReportedStep): ReportedStep {
  return step.did === "failed" ? { ...step, did: "not-possible", exitCode: undefined } : step;
}

function withoutStep({ name, title, affects, did, detail, exitCode }: PlannedStep): ReportedStep {
  return { name, title, affects, did, detail, exitCode };
}
