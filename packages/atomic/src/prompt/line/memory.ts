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

/** One line of the file. */
export interface MemoryLine {
  readonly json: string;
  /** Undefined if this version cannot read it: then it stays as it is. */
  readonly record: MemoryRecord | undefined;
}

export function lineOf(record: MemoryRecord): MemoryLine {
  return { json: JSON.stringify(record), record };
}

export function readLine(json: string): MemoryLine {
  return { json, record: recordOf(json) };
}

/** The newest lines, the last choice of each kind, however long ago it was made, and all that cannot be read. */
export function keptLines<Line extends MemoryLine>(lines: readonly Line[]): readonly Line[] {
  const choices = new Set<string>();
  let [left, room] = [mostRecords, mostCharacters];
  const kept = lines.toReversed().filter(({ json, record }) => {
    if (record === undefined) return true;
    if (!("line" in record)) {
      const choice = JSON.stringify([record.project, "of" in record ? record.of : ""]);
      if (choices.has(choice) || choices.size === mostRecords) return false;
      choices.add(choice);
      return true;
    }
    if (left === 0 || record.line.length > longestLine || json.length >= room) return false;
    left -= 1;
    room -= json.length + 1;
    return true;
  });
  return kept.toReversed();
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
