/** How a dialog shares the rows that there are between its text and its choices, so neither runs off the screen. */
export interface DialogLayout {
  readonly textRows: number;
  readonly choiceRows: number;
  /** The first choice that is shown. */
  readonly firstChoice: number;
}

/** The title, three gaps, the line of keys, and a margin above and below. */
const frameRows = 7;

export function dialogLayout(now: {
  readonly screenRows: number;
  readonly lines: number;
  readonly choices: number;
  readonly selected: number;
}): DialogLayout {
  const { screenRows, lines, choices, selected } = now;
  // OpenCode draws dialogs from a quarter of the screen on.
  const room = Math.max(2, Math.floor((screenRows * 3) / 4) - frameRows);
  // Both are seen; the text comes first, because it is what the choices are about.
  const fewestChoices = Math.min(choices, Math.max(1, Math.floor(room / 2)));
  const textRows = Math.min(lines, Math.max(1, room - fewestChoices));
  const choiceRows = Math.min(choices, Math.max(1, room - textRows));
  const firstChoice = Math.max(0, Math.min(selected - Math.floor(choiceRows / 2), choices - choiceRows));
  return { textRows, choiceRows, firstChoice };
}
