/** How a transaction ended, as far as there is something to tell. */
export type Ending = {
  outcome: "finished" | "undone" | "put-back" | "incomplete";
  /** Files that somebody else edited; the edits are kept. */
  edited: string[];
  /** Files that could not be changed because somebody removed what had been staged for them. */
  unstaged: string[];
  /** Files that could not be put back because somebody removed their old content. */
  lost: string[];
  keptFolders: string[];
};

const nothing = { edited: [], unstaged: [], lost: [], keptFolders: [] };

export function ending(outcome: Ending["outcome"], details: Partial<Ending> = {}): Ending {
  return { ...nothing, ...details, outcome };
}
