import type { Reader } from "../entities/readers.ts";
import type { Fact } from "./facts.ts";

/** What one tool makes of a file. */
export function readerFact(reader: Reader): Fact {
  const { tool, loads, kind, as, because, fatal } = reader;
  if (fatal === true) return [tool, `does not start because of this file: ${because}`, "red"];
  if (!loads) return [tool, `does not read it: ${because}`, "dim"];
  const remark = because === undefined ? "" : ` (${because})`;
  const but = butOf(reader);
  return [tool, `${but === "" ? "loads" : "would load"} it as ${kind} ${as}${remark}${but}`];
}

function butOf({ shadowedBy, byChance, broken }: Reader): string {
  if (broken !== undefined) return `, but does not start because of ${broken}`;
  if (shadowedBy === undefined) return byChance === true ? ", or by chance a namesake" : "";
  return byChance === true ? `, or by chance ${shadowedBy}` : `, but takes ${shadowedBy} instead`;
}
