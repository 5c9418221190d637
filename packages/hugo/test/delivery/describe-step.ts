import type { FileStep } from "../../src/workspace/copied-files.ts";

/** One line a step: what is said, what is done, what is written down. */
export function describeStep({ verdict, because, changes, record }: FileStep): string {
  const done = changes.map(
    (change) =>
      `${change.kind} ${change.path}${change.kind === "write" ? `=${JSON.stringify(Buffer.from(change.bytes).toString())}` : ""}`,
  );
  const base =
    record?.kind === "installed" ? (record.pending === undefined ? "base" : "pending") : (record?.kind ?? "forgotten");
  const mark = record?.kind === "installed" && record.adopted ? " of yours" : "";
  const away = record?.kind === "installed" && record.deleted ? ", away" : "";
  return [because === undefined ? verdict : `${verdict} (${because})`, ...done, `${base}${mark}${away}`].join("; ");
}
