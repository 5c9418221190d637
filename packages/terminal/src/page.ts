/** What report functions need to know about where their text is shown. */
export interface Page {
  /** How many columns a line has; absent if lines are not cut, as in a pipe or a file. */
  readonly columns?: number;
  readonly colour: boolean;
  /** What goes before the program's name in commands to copy, such as `npx`, where a shell would not find it by its name. */
  readonly runner?: string | undefined;
  /** The program's name in texts, and the one by which a shell finds it here, if that is another: `hugo` and `hugo-pm`. */
  readonly named?: { readonly inTexts: string; readonly here: string } | undefined;
}

/** A sentence with commands of the program, each as a shell finds it here. */
export function withRunner(text: string, program: string, { runner, named }: Pick<Page, "runner" | "named">): string {
  const typed = [...(runner === undefined ? [] : [runner]), named?.here ?? program].join(" ");
  if (typed === program) return text;
  // A command is quoted, or follows a colon or an alternative, or begins a line; in quotes, it may follow another command.
  const before = "`|\\(|: +|, or |^ *|(?<=^|[\\s(])`[^`\\n]*&& ";
  return text.replaceAll(new RegExp(`(?<=${before})${program} (?=[a-z<-])`, "gm"), `${typed} `);
}

/** The same page for the words of others: their commands stay as they are. */
export function verbatim({ columns, colour }: Page): Page {
  return { colour, ...(columns !== undefined && { columns }) };
}
