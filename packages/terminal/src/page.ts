/** What report functions need to know about the thing that they write for. */
export interface Page {
  /** How many columns a line has; absent if nobody cuts lines, as in a pipe or a file. */
  readonly columns?: number;
  readonly colour: boolean;
}
