// What the prompt line remembers: the lines of each project, and the host and models chosen there.
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import { typedText } from "@atomic/terminal/keys";
import { commandLine } from "./state.ts";

export type MemoryRecord =
  | { readonly project: string; readonly line: string }
  | { readonly project: string; readonly host: string }
  /** `model` is empty if the host is to choose. */
  | { readonly project: string; readonly model: string; readonly of: string };

export interface PromptMemory {
  /** Newest first, each once. */
  readonly history: readonly string[];
  /** How often each name was used. */
  readonly uses: ReadonlyMap<string, number>;
  readonly host: string | undefined;
  /** By host. */
  readonly models: ReadonlyMap<string, string>;
}

/** Older ones are forgotten. */
const mostRecords = 1000;
const mostCharacters = 1_000_000;
/** A longer one is not kept: it would push out the others. */
const longestLine = 100_000;

/** @param records Oldest first. */
export function memoryOf(records: readonly MemoryRecord[], project: string): PromptMemory {
  const history: string[] = [];
  const seen = new Set<string>();
  const uses = new Map<string, number>();
  const models = new Map<string, string>();
  let host: string | undefined;
  for (const record of records) {
    if (record.project !== project) continue;
    if ("host" in record) host = record.host;
    else if ("model" in record) models.set(record.of, record.model);
    else {
      const name = commandLine(record.line)?.name.toLowerCase();
      if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1);
    }
  }
  for (const record of records.toReversed()) {
    if (record.project !== project || !("line" in record) || seen.has(record.line)) continue;
    seen.add(record.line);
    history.push(record.line);
  }
  for (const [of, model] of models) if (model === "") models.delete(of);
  return { history, uses, host, models };
}

/** The newest lines, and the last choice of each kind, however long ago it was made. */
export function writeMemory(records: readonly MemoryRecord[]): string {
  const choices = new Set<string>();
  let [left, room] = [mostRecords, mostCharacters];
  const kept = records.toReversed().flatMap((record) => {
    const json = `${JSON.stringify(record)}\n`;
    if (!("line" in record)) {
      const choice = JSON.stringify([record.project, "of" in record ? record.of : ""]);
      if (choices.has(choice) || choices.size === mostRecords) return [];
      choices.add(choice);
      return [json];
    }
    if (left === 0 || record.line.length > longestLine || json.length > room) return [];
    left -= 1;
    room -= json.length;
    return [json];
  });
  return kept.toReversed().join("");
}

/** The records, and how many lines could not be read: the file may have been edited by hand. */
export function readMemory(text: string): { readonly records: readonly MemoryRecord[]; readonly unreadable: number } {
  const records: MemoryRecord[] = [];
  let unreadable = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const record = recordOf(line);
    if (record === undefined) unreadable += 1;
    else records.push(record);
  }
  return { records, unreadable };
}

function recordOf(json: string): MemoryRecord | undefined {
  const { project, line, host, model, of } = objectIn(json) ?? {};
  if (typeof project !== "string") return undefined;
  // It is shown and sent as it is, so it must be what can be typed.
  if (typeof line === "string" && line !== "") return { project, line: typedText(line) };
  if (typeof host === "string") return { project, host: typedText(host) };
  if (typeof model === "string" && typeof of === "string") return { project, model: typedText(model), of };
  return undefined;
}
