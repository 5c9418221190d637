/** What report functions need to know about where their text is shown. */
export interface Page {
  /** How many columns a line has; absent if lines are not cut, as in a pipe or a file. */
  readonly columns?: number;
  readonly colour: boolean;
  /** What goes before the program's name in commands to copy, such as `npx`, where a shell would not find it by its name. */
  readonly runner?: string | undefined;
}

/** A sentence with commands of the program, each as a shell finds it here. */
export function withRunner(text: string, program: string, { runner }: Pick<Page, "runner">): string {
  if (runner === undefined) return text;
  // A command is quoted, or follows a colon, or begins a line.
  return text.replaceAll(new RegExp(`(?<=\`|: |^ *)${program} (?=[a-z])`, "gm"), `${runner} ${program} `);
}
