// Reads all that the page of one run shows.
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { NodeDetail } from "./draw/messages.ts";
import { pathOf } from "./draw/rows.ts";
import { RunModel } from "./draw/run-model.ts";
import { readNode } from "./node-detail.ts";
import { nowOf } from "./run-feed.ts";
import { runHtml } from "./run-html.ts";

export async function runPage(engine: LocalEngine, runId: string, now: number): Promise<string> {
  const model = new RunModel(runId);
  for await (const entry of engine.journal(runId)) model.take(entry);
  const state = await engine.state(runId);
  model.now = nowOf(state, now);
  model.version += 1;
  const notes = await engine.notes(runId)();
  for (const note of notes) model.note(note);
  const details: NodeDetail[] = [];
  const paths = new Set(model.rows.flatMap((row) => (row.kind === "call" ? pathOf(row.key) : [])));
  for (const path of paths) {
    const detail = await readNode(engine, state, path, notes);
    if (detail.output !== undefined || detail.transcript.length > 0) details.push({ ...detail, key: path });
  }
  return runHtml(model, details, now);
}
