// Shows a list on the whole terminal until something is chosen. The terminal is as before afterwards, however it ends.
import type { ConsoleTimers } from "./console.ts";
import type { Keyboard } from "./keyboard.ts";
import { drawPicker, type Picker, type PickerItem, pressKey, readKeys } from "./picker.ts";
import type { Output } from "./process-output.ts";

interface PickerTerminal {
  readonly stdin: Keyboard;
  readonly stderr: Output;
  readonly clock: ConsoleTimers;
}

const OPEN = "\x1b[?1049h\x1b[?25l";
const CLOSE = "\x1b[?25h\x1b[?1049l";
/** Arrow keys start like Esc, and the rest of them may arrive a little later. */
const REST_OF_KEY = 50;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are made of them
const UNFINISHED = /\x1b(?:\[[0-9;]*|O)?$/;

/** The chosen values; undefined if the list was cancelled, or the terminal cannot show one. */
export async function pick(
  { stdin, stderr, clock }: PickerTerminal,
  list: { readonly title: string; readonly items: readonly PickerItem[] },
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (stdin.listen === undefined || signal.aborted) return undefined;
  let picker: Picker = { ...list, filter: "", at: 0, chosen: new Set() };
  let typed = "";
  let cancelTimer: (() => void) | undefined;
  const draw = (): void => {
    const { columns = 80, rows = 24, colour } = stderr;
    const lines = drawPicker(picker, { columns, rows, colour });
    stderr.write(`\x1b[H${lines.map((line) => `${line}\x1b[K`).join("\r\n")}\x1b[J`);
  };
  let end: (chosen: readonly string[] | undefined) => void = () => undefined;
  const ended = new Promise<readonly string[] | undefined>((resolve) => {
    end = resolve;
  });
  const take = (keys: string): void => {
    for (const key of readKeys(keys)) {
      const result = pressKey(picker, key);
      if ("end" in result) {
        end(result.end);
        return;
      }
      picker = result.next;
    }
    draw();
  };
  const stop = stdin.listen((keys) => {
    cancelTimer?.();
    if (keys === undefined) {
      end(undefined);
      return;
    }
    typed += keys;
    const [rest = ""] = UNFINISHED.exec(typed) ?? [];
    take(typed.slice(0, typed.length - rest.length));
    typed = rest;
    if (rest !== "")
      cancelTimer = clock.after(REST_OF_KEY, () => {
        typed = "";
        take(rest);
      });
  });
  const aborted = (): void => end(undefined);
  signal.addEventListener("abort", aborted);
  stderr.write(OPEN);
  const stopResizing = stderr.onResize?.(draw);
  try {
    draw();
    return await ended;
  } finally {
    cancelTimer?.();
    stopResizing?.();
    signal.removeEventListener("abort", aborted);
    stop();
    stderr.write(CLOSE);
  }
}
