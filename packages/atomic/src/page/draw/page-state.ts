import type { OnEvent } from "@atomic/workflows/internal/view/page-element";
import type { AskedQuestion, NodeDetail, RunLine } from "./messages.ts";
import type { RunModel } from "./run-model.ts";
import type { Route } from "./words.ts";

/** Everything that a picture of the page depends on. */
export interface PageState {
  readonly project: string;
  readonly now: number;
  /** `gone`: it was lost, and could not be made again. */
  readonly connection: "loading" | "live" | "lost" | "gone";
  readonly route: Route;
  readonly runs: readonly RunLine[];
  /** All of them have been read once. */
  readonly isListed: boolean;
  /** Why runs cannot be read at the moment. */
  readonly outage: string | undefined;
  readonly run: RunModel | undefined;
  /** Why the chosen run cannot be shown. */
  readonly problem: string | undefined;
  /** Undefined while it is loaded. */
  readonly detail: NodeDetail | undefined;
  /** What the user has opened or closed, by path. */
  readonly toggled: ReadonlyMap<string, boolean>;
  /** Long lists and texts that the user wants to see whole. */
  readonly whole: ReadonlySet<string>;
  readonly filter: string;
  readonly isOnlyProblems: boolean;
  /** The rows of a long list that are on the screen. */
  readonly range: { readonly from: number; readonly to: number };
  /** Browsers that were let in since this page was opened, and that the user has not been told of. */
  readonly newBrowsers: number;
  /** What came of the last thing that the user did. */
  readonly notice: { readonly text: string; readonly isProblem: boolean } | undefined;
  /** What the user has copied last. */
  readonly copied: string | undefined;
  /** A request is under way. */
  readonly isBusy: boolean;
  /** The user has asked to cancel, and has to say so once more. */
  readonly isCancelling: boolean;
}

/** What the user can do. A page in a file has none of it. */
export interface PageActions {
  /** For a form: its fields and the button that was pressed are the answer. */
  answer(question: AskedQuestion): OnEvent;
  /** For a text field, by its own name in the run: what was typed there before, and what keeps it while it is not on the screen. */
  typed(field: string): { readonly value: string | undefined; readonly oninput: OnEvent };
  readonly cancel: OnEvent;
  /** The second time it cancels. */
  askCancel(isAsked: boolean): OnEvent;
  readonly resume: OnEvent;
  readonly raise: OnEvent;
  toggle(path: string, isOpen: boolean): OnEvent;
  showWhole(path: string): OnEvent;
  readonly filter: OnEvent;
  readonly onlyProblems: OnEvent;
  copy(text: string): OnEvent;
  readonly dismiss: OnEvent;
  readonly dismissBrowsers: OnEvent;
}
