// What steps report while they run, as it is kept: bounded, since an agent may read and print anything.
import type { StepNote } from "./events.ts";
import type { Json } from "./json.ts";

/** Of a longer text, the beginning and the end are kept. */
const longestText = 64 * 1024;

/** How much is kept of one note. */
const longestNote = 256 * 1024;

/** How much is kept of one run. */
export const longestTranscript: number = 64 * 1024 * 1024;

/** The note as it is kept. */
export function boundedNote({ type, key, note, at }: StepNote): StepNote {
  const short = JSON.parse(
    JSON.stringify(note ?? null, (_key, value: unknown) => (typeof value === "string" ? boundedText(value) : value)),
  ) as Json;
  if (JSON.stringify(short).length <= longestNote) return { type, key, note: short, at };
  const {
    type: kind,
    id,
    tool,
  } = (typeof short === "object" && short !== null ? short : {}) as {
    readonly [name: string]: Json;
  };
  const named = [kind, id, tool].every((each) => each === undefined || typeof each === "string");
  return { type, key, note: { ...(named && { type: kind, id, tool }), isTooLong: true }, at };
}

function boundedText(text: string): string {
  if (text.length <= longestText) return text;
  const half = longestText / 2;
  const left = text.length - longestText;
  return `${text.slice(0, half)}\n… (${left} characters are not recorded) …\n${text.slice(-half)}`;
}
