import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { looksRestricting } from "@atomic/workflows/internal/entities/lint/known-keys";
import type { DeliverOptions } from "./delivery.ts";
import { AUTHOR, KeyEdits } from "./key-edits.ts";
import { lostHooks } from "./lost-hooks.ts";
import type { MarkdownFile, Remark, Translation } from "./markdown-file.ts";
import { placeInBody } from "./place-in-body.ts";
import { unwantedShell } from "./shell-in-body.ts";
import { opencodeAgent } from "./tool-pattern.ts";
import { translateArguments } from "./translate-arguments.ts";
import { translateModel } from "./translate-model.ts";
import { translateName } from "./translate-name.ts";

/** A command of Claude Code as one of OpenCode, which ignores all keys that it does not know. */
export function translateCommand(file: MarkdownFile, matter: Frontmatter, { models }: DeliverOptions): Translation {
  const edits = new KeyEdits(file, matter);
  const body = file.text.slice(matter.bodyStart);
  const lost = lostRestriction(edits) ?? lostHooks(edits) ?? lostShellLimit(file, edits, matter.bodyStart);
  if (lost !== undefined) return { kind: "stopped", reason: lost };
  translateName(edits, file);
  translateModel(edits, models);
  translateFork(edits);
  if (edits.values["allowed-tools"] !== undefined) {
    edits.note(
      "allowed-tools",
      '"allowed-tools" lets Claude Code ask less; in OpenCode, your own settings say when it asks',
    );
  }
  const translated = translateArguments(body, edits.values.arguments);
  for (const { offset, message } of translated.notes.slice(0, MOST_NOTES)) {
    edits.noteAt(placeInBody(file, matter.bodyStart + offset), message);
  }
  // With the names it would be translated once more by whoever reads the result.
  if (edits.values.arguments !== undefined) edits.remove("arguments");
  return edits.apply(translated.body === body ? undefined : translated.body);
}

/** Enough to see what is meant. */
const MOST_NOTES = 10;

/** A command of OpenCode is run by the agent of the session, with all that this may do. */
export function lostRestriction(edits: KeyEdits): Remark | undefined {
  const key = Object.keys(edits.values).find((each) => looksRestricting(each) && !GRANTS.test(each));
  if (key === undefined) return undefined;
  return edits.remark(key, `"${key}" restricts it, and OpenCode restricts agents only`, AUTHOR);
}

/** Claude Code can use other tools all the same; it asks first. */
const GRANTS = /^allowed[-_]?tools$/i;

export function lostShellLimit(file: MarkdownFile, edits: KeyEdits, bodyStart: number): Remark | undefined {
  const lost = unwantedShell(file.text.slice(bodyStart), edits.values["allowed-tools"]);
  if (lost === undefined) return undefined;
  return { at: placeInBody(file, bodyStart + lost.offset), message: lost.because, hint: AUTHOR };
}

/** `context: fork` runs it in an agent of its own; without that, Claude Code does not look at `agent`. */
function translateFork(edits: KeyEdits): void {
  const { agent, context, subtask } = edits.values;
  const name = typeof agent === "string" ? opencodeAgent(agent) : "general";
  if (context !== "fork") {
    if (agent !== undefined && subtask === undefined) edits.remove("agent");
    return;
  }
  edits.replace("context", { key: "subtask", lines: ["subtask: true"], value: true });
  if (agent === undefined) edits.add(KeyEdits.text("agent", name));
  else if (agent !== name) edits.replace("agent", KeyEdits.text("agent", name));
}
