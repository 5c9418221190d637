/** What report functions need to know about where their text is shown. */
export interface Page {
  /** How many columns a line has; absent if lines are not cut, as in a pipe or a file. */
  readonly columns?: number;
  readonly colour: boolean;
}
