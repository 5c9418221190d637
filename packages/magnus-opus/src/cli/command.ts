import type { Page } from "@atomic/terminal/page";
import type { Context } from "./context.ts";
import type { Project } from "./project.ts";

interface Option {
  /** With a value, as it is called in the help: `--to <phase>`. */
  readonly value?: string;
  readonly summary: string;
}

export interface Given {
  /** Words that belong to no option. */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** What a command found or did, in both languages. */
export interface Report {
  /** For people; ends its line. */
  readonly text: (page: Page) => string;
  /** For programs. */
  readonly json: object;
}

export interface Command {
  readonly name: string;
  /** What is typed behind its name. */
  readonly usage: string;
  readonly summary: string;
  /** Paragraphs. */
  readonly remarks: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly { readonly command: string; readonly shows: string }[];
  /** How many words it takes, with the run. */
  readonly words: { readonly least: number; readonly most: number };
  run(project: Project, given: Given, context: Context): Promise<Report>;
}
