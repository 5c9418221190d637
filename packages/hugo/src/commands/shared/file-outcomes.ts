// What happened to copied files, for the reports of `install` and `update`.
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { FileOutcome } from "../../delivery/decision.ts";
import type { StoppedFile, TranslationNote } from "../../delivery/translate/package-translation.ts";
import { besideOf } from "../../workspace/copied-files.ts";
import type { WorkspacePlace } from "../../workspace/place.ts";
import { commandFor } from "../../workspace/request.ts";
import { warning } from "./notes.ts";
import { formatPairs, type Pair } from "./pairs.ts";
import { typedPath } from "./short-paths.ts";

type Verdict = FileOutcome["verdict"];

const labels: Readonly<Record<Verdict, readonly [label: string, colour: Colour]>> = {
  updated: ["Updated", "green"],
  merged: ["Merged", "green"],
  conflict: ["Conflict", "red"],
  skipped: ["Skipped", "yellow"],
  added: ["Added", "green"],
  removed: ["Removed", "red"],
  "kept-deleted": ["Kept deleted", "yellow"],
  adopted: ["Adopted", "green"],
  left: ["Left", "yellow"],
  unchanged: ["Unchanged", "dim"],
  parked: ["Parked", "dim"],
  restored: ["Restored", "green"],
};

const order = Object.keys(labels) as Verdict[];
const width = Math.max(...Object.values(labels).map(([label]) => label.length)) + 1;

/** One line per file, by what happened; unchanged files are not mentioned. */
export function formatOutcomes(files: readonly FileOutcome[], page: Page): string {
  const paint = painter(page.colour);
  return files
    .filter(({ verdict }) => verdict !== "unchanged")
    .toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
    .map((file) => {
      const [label, colour] = labels[file.verdict];
      const why =
        file.because !== undefined ? reasons[file.because] : file.verdict === "merged" ? "with your edits" : "";
      const lead = `  ${paint(colour, `${label}:`)}${" ".repeat(width - label.length)}`;
      const text = `${safeLine(file.destination)}${why === "" ? "" : ` (${why})`}`;
      return paragraph(text, page, { lead, indent: "    " });
    })
    .join("");
}

const reasons = {
  modified: "locally modified",
  unmanaged: "already there and not managed by Hugo",
  shared: "also belongs to another workflow",
  adopted: "it already existed",
} as const;

/** Where the files are, for sentences and for commands. */
export interface ReportFolders {
  readonly folder: string;
  /** As a shell in the current folder finds it. */
  readonly typedFolder: string;
  readonly place: WorkspacePlace;
}

/** What to do about files that need you. */
export function outcomeWarnings(
  files: readonly FileOutcome[],
  { folder, typedFolder, place, dryRun, source }: ReportFolders & { readonly dryRun: boolean; readonly source: string },
  page: Page,
): string {
  const skipping = dryRun
    ? "It would be skipped. To use the package's file, move yours out of the way first."
    : `Skipping. To use the package's file: move yours out of the way, then run ${commandFor(place, "install --force", source)}.`;
  const skipped = files.filter(({ verdict, because }) => verdict === "skipped" && because === "unmanaged");
  return [
    ...files
      .filter(({ verdict }) => verdict === "conflict")
      .map(({ destination }) => {
        const file = `${folder}/${destination}`;
        const what = `Your edits to ${file} conflict with the new version.`;
        if (dryRun) {
          const beside = `Your file would be kept, and the new version would be written next to it as ${besideOf(file)}.`;
          return warning(`${what} ${beside}`, page);
        }
        const [yours, theirs] = [typedPath(typedFolder, destination), typedPath(typedFolder, besideOf(destination))];
        return [
          warning(`${what} Your file was kept; the new version is next to it.`, page),
          safe`  compare:       diff -u ${yours} ${theirs}\n`,
          safe`  keep yours:    rm ${theirs}\n`,
          safe`  use theirs:    mv ${theirs} ${yours}\n`,
        ].join("");
      }),
    ...skipped.map(({ destination }) =>
      warning(`File \`${folder}/${destination}\` already exists and is not managed by Hugo. ${skipping}`, page),
    ),
  ].join("");
}

/** A large plugin has hundreds, all of the same kind. */
const MOST_TRANSLATIONS = 20;
const MOST_ALIKE = 5;

/** What is left out and why, and what is different in the rest. */
export function translationWarnings(
  {
    stopped,
    translated,
  }: { readonly stopped: readonly StoppedFile[]; readonly translated: readonly TranslationNote[] },
  page: Page,
): string {
  const entities = new Map(stopped.map((file) => [`${file.entity} ${file.at}`, file]));
  // Messages that differ only in the names they quote, such as a hundred references to renamed parts.
  const alike = new Map<string, TranslationNote[]>();
  for (const note of translated) {
    const pattern = note.message.replace(/"[^"]*"/g, '""');
    alike.set(pattern, [...(alike.get(pattern) ?? []), note]);
  }
  const groups = [...alike.values()].flatMap((notes): (readonly [where: string, message: string])[] => {
    const filesOf = (same: readonly TranslationNote[]): string => {
      const files = new Set(same.map(({ source }) => source)).size;
      return files === 1 ? (same[0]?.at ?? "") : count(files, "file");
    };
    const messages = [...new Set(notes.map(({ message }) => message))];
    if (messages.length > MOST_ALIKE)
      return [[filesOf(notes), `${messages[0]} (and ${messages.length - 1} more like this; see --json)`]];
    return messages.map((message) => [filesOf(notes.filter((note) => note.message === message)), message]);
  });
  const shown = groups.slice(0, MOST_TRANSLATIONS);
  const more = groups.length - shown.length;
  return [
    ...[...entities.values()].map(({ entity, at, because, hint }) =>
      warning(`${entity} is left out (${at}): ${because}. ${hint}`, page),
    ),
    shown.length > 0 ? "Different in OpenCode:\n" : "",
    formatPairs(
      shown.map(([where, message]): Pair => ({ lead: "  ", subject: safeLine(where), text: safeLine(message) })),
      page,
    ),
    more > 0 ? `  and ${more} more (see --json)\n` : "",
  ].join("");
}
