// The prompt line on a terminal that can only print: line after line, without a list, a hint or a picture.
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { AtomicContext } from "../context.ts";
import { runHeadline } from "../view/progress.ts";
import { headline, questionsOf } from "../view/questions.ts";
import { enterLine } from "./enter-line.ts";
import { reduce, type Step } from "./line/reducer.ts";
import { emptyState } from "./line/state.ts";
import { explain, Session } from "./session.ts";

export async function plainPrompt(context: AtomicContext): Promise<ExitCode> {
  const session = new PlainPrompt(context);
  await session.load();
  while (!session.isOver) {
    session.showRuns();
    const line = await context.stdin.ask("> ", context.stderr, new AbortController().signal);
    if (line === undefined) {
      context.stderr.write("\n");
      break;
    }
    await session.enter(line.replace(/\r$/, ""));
  }
  session.runs?.stop();
  return 0;
}

class PlainPrompt extends Session {
  isOver = false;
  #shown = "";
  #announced = "";

  async enter(line: string): Promise<void> {
    const state = { ...emptyState, text: line, cursor: line.length };
    const enter = (): Step => reduce(state, { kind: "press", key: "enter" }, this.world);
    const [first] = enter().effects;
    if (first?.kind === "unknown") await this.finds(first.name);
    const { state: next, effects } = enter();
    if (next.notice !== undefined) this.notify(next.notice);
    for (const effect of effects) {
      if (effect.kind !== "run" && effect.kind !== "send") continue;
      try {
        await this.remember({ line });
        const notice = await enterLine(this, effect);
        if (notice !== undefined) this.notify(notice);
      } catch (error) {
        this.notify(explain(error));
      }
    }
  }

  /** The open runs, if they are not as they were shown last. */
  showRuns(): void {
    this.print(this.#announced);
    this.#announced = "";
    // As time goes by, nothing else changes: that alone is not worth printing.
    const text = this.#runsAt((createdAt) => createdAt);
    if (text !== this.#shown) this.print(this.#runsAt(() => this.context.now()));
    this.#shown = text;
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

  notify(message: string): void {
    const { columns = 80 } = this.context.stderr;
    this.print(
      paragraph(safeLine(message), { columns, colour: false }, { lead: "  ", indent: "  ", breakWords: true }),
    );
  }

  offer(text: string, values: readonly string[]): void {
    this.print(values.map((value) => `  ${text.trim()} ${safeLine(value)}\n`).join(""));
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
