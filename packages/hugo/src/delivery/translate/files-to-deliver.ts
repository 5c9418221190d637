import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { readOpencodeFrontmatter } from "@atomic/workflows/internal/entities/tools/opencode-frontmatter";
import { HugoError } from "../../errors.ts";
import type { Manifest } from "../../packages/manifest.ts";
import { type PackageTree, textOf } from "../../packages/tree.ts";
import { type CopiedFile, filesToCopy } from "../copied-files.ts";
import { type DeliveredMarkdown, deliverMarkdown } from "./deliver-markdown.ts";
import type { DeliverOptions, FilesToDeliver, StoppedFile, TranslationNote } from "./delivery.ts";
import type { MarkdownFile, Remark } from "./markdown-file.ts";

/**
 * What would be copied, by destination: what is written for Claude Code is translated, and what OpenCode would die of or
 * misread is refused, all of it at once. The same package under the same limit gives the same bytes, so that updates merge.
 *
 * @param selection Such as `agents/reviewer`; everything without it.
 *
 * @example
 * const { files, notes, stopped } = filesToDeliver(readManifest(tree), tree);
 */
export function filesToDeliver(
  manifest: Manifest,
  tree: PackageTree,
  selection?: ReadonlySet<string>,
  options: DeliverOptions = {},
): FilesToDeliver {
  const { problems, ...delivered } = translateFiles(manifest, tree, selection, options);
  if (problems.length > 0) throw refusal(problems);
  return delivered;
}

/** For the same bytes as at their delivery, whatever the user's permissions are by now. */
export function deliveredUnder(limit: DeliverOptions["limit"]): DeliverOptions {
  return limit === undefined ? {} : { limit };
}

/** The same for whoever only looks: files that are refused stay as they are. */
export function translateFiles(
  manifest: Manifest,
  tree: PackageTree,
  selection?: ReadonlySet<string>,
  options: DeliverOptions = {},
): FilesToDeliver & { readonly problems: readonly Remark[] } {
  const files = filesToCopy(manifest, tree, selection);
  const notes: TranslationNote[] = [];
  const stopped: StoppedFile[] = [];
  const problems: Remark[] = [];
  for (const [destination, copied] of [...files]) {
    const place = placeOf(destination);
    // A skill that was stopped has taken its files along.
    if (place === undefined || !files.has(destination)) continue;
    const delivered = deliverFile(manifest, tree, copied, place, options);
    if (delivered.kind === "refused") problems.push(delivered.problem);
    if (delivered.kind === "stopped") {
      const lost = place.isInner ? [destination] : belongingTo(place.entity, destination, files);
      stopped.push(...lost.map((each) => stoppedFile(each, files, place.entity, delivered.reason)));
      for (const each of lost) files.delete(each);
    }
    if (delivered.kind === "translated") {
      files.set(destination, { ...copied, bytes: bytesOf(delivered.text, copied) });
      notes.push(...delivered.notes.map(({ at, message }) => ({ source: copied.source, at, message: safe(message) })));
    }
  }
  return { files, notes, stopped, problems };
}

interface Place {
  readonly type: MarkdownFile["type"];
  readonly name: string;
  /** Such as `skills/review`. */
  readonly entity: string;
  /** A SKILL.md further down in a skill. */
  readonly isInner: boolean;
}

/** What OpenCode would load a file as; undefined if it lies somewhere that OpenCode does not look at. */
function placeOf(destination: string): Place | undefined {
  const [, folder, name] = /^(agents|commands)\/(.+)\.md$/.exec(destination) ?? [];
  if (folder !== undefined && name !== undefined) {
    return { type: folder === "agents" ? "agent" : "command", name, entity: `${folder}/${name}`, isInner: false };
  }
  const [, skill, inner] = /^skills\/([^/]+)\/(.*\/)?SKILL\.md$/.exec(destination) ?? [];
  if (skill === undefined || /(?:^|\/)\./.test(inner ?? "")) return undefined;
  return { type: "skill", name: skill, entity: `skills/${skill}`, isInner: inner !== undefined };
}

function deliverFile(
  manifest: Manifest,
  tree: PackageTree,
  { source }: CopiedFile,
  { type, name, isInner }: Place,
  options: DeliverOptions,
): DeliveredMarkdown {
  const text = textOf(tree, source);
  if (text === undefined) {
    const hint = "Only the author of the package can mend it.";
    return { kind: "refused", problem: { at: `${source}:1:1`, message: "It is no text in UTF-8", hint } };
  }
  if (isInner) return innerSkill(source, text);
  const isClaudes = manifest.from === "claude-plugin" || source.startsWith(".claude/");
  return deliverMarkdown({ type, name, source, text, isClaudes }, options);
}

/** OpenCode loads whatever is called SKILL.md, and by its own name, which may be that of any other skill. */
function innerSkill(source: string, text: string): DeliveredMarkdown {
  const reading = readOpencodeFrontmatter(text);
  const name = reading.kind === "values" ? reading.values.name : undefined;
  if (reading.kind === "values" && typeof name !== "string") return { kind: "translated", text, notes: [] };
  const message =
    reading.kind === "values"
      ? `OpenCode would load it as a skill of its own, called ${JSON.stringify(name)}`
      : `It lies inside of a skill, and OpenCode would read it all the same: ${reading.because}`;
  const hint = "Its author can put the two skills side by side, or call this file something else.";
  return { kind: "stopped", reason: { at: `${source}:1:1`, message, hint } };
}

/** A skill goes with all that it consists of. */
function belongingTo(entity: string, destination: string, files: ReadonlyMap<string, CopiedFile>): string[] {
  if (!entity.startsWith("skills/")) return [destination];
  return [...files.keys()].filter((each) => each.startsWith(`${entity}/`));
}

function stoppedFile(
  destination: string,
  files: ReadonlyMap<string, CopiedFile>,
  entity: string,
  { at, message, hint }: Remark,
): StoppedFile {
  const source = files.get(destination)?.source ?? destination;
  return { source, destination, entity, at, because: safe(message), hint };
}

/** Those of the package where nothing has changed. */
function bytesOf(text: string, { bytes }: CopiedFile): Uint8Array {
  const translated = Buffer.from(text);
  return translated.equals(bytes) ? bytes : translated;
}

function refusal(problems: readonly Remark[]): HugoError {
  const [first] = problems;
  const parts = problems.map(({ at, message }) => ({ at, message: safe(message) }));
  const message = parts.map((part) => `${part.at}: ${part.message}`).join("; ");
  const hint = first?.hint ?? "";
  return new HugoError("content-invalid", { message, ...(first !== undefined && { at: first.at }), hint, parts });
}

function safe(text: string): string {
  return escapeForTerminal(text, { singleLine: true });
}
