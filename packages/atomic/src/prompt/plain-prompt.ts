// The prompt line on a terminal that can only print: line after line, without a list, a hint or a picture.
import { Interrupted } from "@atomic/terminal/console";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { safeLine } from "@atomic/terminal/safe-text";
import type { AtomicContext } from "../context.ts";
import { runHeadline } from "../view/progress.ts";
import { headline, questionsOf } from "../view/questions.ts";
import { enterLine } from "./enter-line.ts";
import { reduce, type Step } from "./line/reducer.ts";
import { emptyState } from "./line/state.ts";
import { explain, noticeAbove, Session } from "./session.ts";

export async function plainPrompt(context: AtomicContext): Promise<ExitCode> {
  const { stderr, signals } = context;
  const session = new PlainPrompt(context);
  const unlisten = signals.listen((interrupt) => {
    // The terminal shows the keys of a signal where the cursor is.
    if (interrupt !== "SIGHUP") stderr.write(`\n${session.stillRunning}`);
    context.exit(signalCodes[interrupt]);
  });
  try {
    await session.load();
    while (!session.isOver) {
      const line = await session.read();
      if (line === undefined) {
        stderr.write("\n");
        break;
      }
      await session.enter(line.replace(/\r$/, ""));
    }
    await session.look();
    session.showAnnounced();
    stderr.write(session.stillRunning);
    return session.exitCode;
  } finally {
    session.stopRuns();
    unlisten();
  }
}

class PlainPrompt extends Session {
  isOver = false;
  exitCode: ExitCode = 0;
  #shown = "";
  #announced = "";
  /** The lines so far of a text that continues. */
  #begun = "";

  async read(): Promise<string | undefined> {
    const { stdin, stderr } = this.context;
    if (this.#begun === "") {
      await this.look();
      this.showRuns();
    }
    const prompt = this.#begun === "" ? "> " : "  ";
    // After Ctrl-Z, the terminal has forgotten what was typed, and the shell has written below the prompt.
    const repeat = (): void => stderr.write(prompt);
    process.on("SIGCONT", repeat);
    try {
      return await stdin.line?.(prompt, stderr);
    } finally {
      process.off("SIGCONT", repeat);
    }
  }

  async enter(line: string): Promise<void> {
    const text = this.#begun + line;
    const state = { ...emptyState, text, cursor: text.length };
    const enter = (): Step => reduce(state, { kind: "press", key: "enter" }, this.world);
    const [first] = enter().effects;
    if (first?.kind === "unknown") await this.finds(first.name);
    const { state: next, effects } = enter();
    this.#begun = effects.length === 0 && next.text.endsWith("\n") ? next.text : "";
    if (next.notice !== undefined) this.notify(next.notice);
    for (const effect of effects) {
      if (effect.kind !== "run" && effect.kind !== "send") continue;
      try {
        await this.remember({ line: effect.line });
        const notice = await enterLine(this, effect);
        if (notice !== undefined) this.notify(notice);
      } catch (error) {
        if (error instanceof Interrupted) {
          this.exitCode = signalCodes[error.interrupt];
          this.exit();
          return;
        }
        this.notify(explain(error));
      }
    }
  }

  /** The open runs, if they are not as they were shown last. */
  showRuns(): void {
    this.showAnnounced();
    // As time goes by, nothing else changes: that alone is not worth printing.
    const text = this.#runsAt((createdAt) => createdAt);
    if (text !== this.#shown) this.print(this.#runsAt(() => this.context.now()));
    this.#shown = text;
  }

  showAnnounced(): void {
    this.print(this.#announced);
    this.#announced = "";
  }

  #runsAt(nowFor: (createdAt: number) => number): string {
    const { columns = 80 } = this.context.stderr;
    const lines = this.openRuns.flatMap(({ view }) => {
      const { runId, createdAt } = view.state;
      const canvas = { columns, rows: 24, colour: false, now: nowFor(createdAt), isStill: true };
      const [asked] = questionsOf(view.state);
      return [
        `${runHeadline(view, canvas).trimEnd()}\n`,
        ...(asked === undefined ? [] : [`  ? ${headline(asked)}  /answer ${runId}\n`]),
      ];
    });
    return lines.join("");
  }

  print(text: string): void {
    this.context.stderr.write(text);
  }

  protected announce(text: string): void {
    this.#announced += text;
  }

  async lend<Result>(act: () => Promise<Result>): Promise<Result> {
    return await act();
  }

  notify(message: string): void {
    this.print(noticeAbove(message, this.context.stderr));
  }

  showWaiting(message: string): () => void {
    this.notify(message);
    return () => undefined;
  }

  offer(text: string, values: readonly string[]): void {
    this.print(values.map((value) => `  ${text.trim()} ${safeLine(value)}\n`).join(""));
  }

  forgetTyped(): void {
    // Each question forgets it by itself.
  }

  clear(): void {
    // Nothing can be cleared here.
  }

  exit(): void {
    this.isOver = true;
  }

  protected renewed(): void {
    // Nothing is on the screen that would change.
  }

  protected runsChanged(): void {
    // They are shown before the next line.
  }
}
