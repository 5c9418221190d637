import { readArgumentNames } from "../arguments.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { EntityType, Provider } from "../entity.ts";
import { type EntityFacts, lazyBody, makeEntity } from "../file-entity.ts";
import { lenientNames } from "../frontmatter/lenient-names.ts";
import { type Frontmatter, parseFrontmatter } from "../frontmatter/parse.ts";
import type { Recovery } from "../frontmatter/recover.ts";
import { normalizeModel } from "../normalize/model.ts";
import type { NormalizedTools } from "../normalize/restrictions.ts";
import { firstLine } from "./first-line.ts";
import { type Reading, type SourceFile, sourceOf } from "./format.ts";
import { rememberTools } from "./remember-tools.ts";

type Values = Readonly<Record<string, unknown>>;

/** What the formats that write Markdown with frontmatter differ in. */
export interface MarkdownRules {
  readonly provider: Provider;
  readonly type: EntityType;
  /** The names under which the tool knows the file; the first is the one it shows. */
  readonly names: (file: SourceFile, values: Values) => readonly [string, ...string[]];
  readonly tools: (values: Values) => NormalizedTools;
  /** How the tool itself reads frontmatter that is not valid YAML. */
  readonly recover?: Recovery;
  /** Claude shows the first line of a body that has no description. */
  readonly firstLineDescribes?: boolean;
}

export function readMarkdown(given: MarkdownRules): (file: SourceFile) => Reading {
  const rules = { ...given, tools: rememberTools(given.tools) };
  return (file) => ({ entities: [entityOf(file, rules)], diagnostics: NO_DIAGNOSTICS });
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([]);

function entityOf(file: SourceFile, rules: MarkdownRules): Reading["entities"][number] {
  const matter = parseFrontmatter(file.text, { path: file.path, recover: rules.recover });
  const { values } = matter;
  const unsure = isNameUnsure(matter) ? possibleNames(file, matter, rules) : undefined;
  const names = unsure ?? rules.names(file, values);
  const tools = rules.tools(values);
  const model = normalizeModel(values.model);
  // One shape for all, with `undefined` for what a file does not say: this is the hot path of a load.
  const facts: EntityFacts = {
    type: rules.type,
    name: names[0].toLowerCase(),
    displayName: names[0],
    description: descriptionOf(file, matter, rules),
    aliases: unsure === undefined ? aliasesOf(names, values) : NO_NAMES,
    possibleNames: unsure?.slice(1),
    tools: tools.kind === "restricted" ? tools.tools : undefined,
    restrictions: tools.kind === "restricted" ? tools.restrictions : NO_RESTRICTIONS,
    model: model.model,
    modelId: model.modelId,
    argumentHint: hintOf(matter),
    argumentNames: values.arguments === undefined ? NO_NAMES : readArgumentNames(values.arguments),
    source: sourceOf(rules.provider, file),
    frontmatter: values,
    diagnostics: diagnosticsOf(file, matter, [...unsureName(matter, unsure), ...tools.diagnostics], model.diagnostics),
    disabledBecause: whyDisabled(matter, tools) ?? unsureName(matter, unsure)[0]?.message,
  };
  return makeEntity(facts, lazyBody(file.path, matter.head, matter.bodyStart));
}

/** Tools disagree about a name that is not valid YAML, and about which of two counts. */
function isNameUnsure({ values, complete, recoveredKeys }: Frontmatter): boolean {
  if (!complete) return values.name === undefined;
  if (!recoveredKeys.includes("name")) return false;
  // Another key was the invalid one if the name is the same without help.
  return parseFrontmatter(`---\nname: ${String(values.name)}\n---\n`).values.name !== values.name;
}

/** The name that the file has by its path, and others that somebody may read in it; undefined if there are none. */
function possibleNames(
  file: SourceFile,
  matter: Frontmatter,
  { names }: MarkdownRules,
): readonly [string, ...string[]] | undefined {
  const { name: _, ...others } = matter.values;
  const [own, ...rest] = names(file, others);
  const written = lenientNames(matter.bodyStart > 1 ? matter.head : file.text);
  const read = written.flatMap((name) => names(file, { ...others, name }));
  const more = [...new Set([...rest, ...read])].filter((name) => name !== own);
  return more.length === 0 ? undefined : [own, ...more];
}

function unsureName({ complete }: Frontmatter, names: readonly string[] | undefined): readonly Diagnostic[] {
  // What makes the rest unreadable is told already.
  if (names === undefined || !complete) return NO_DIAGNOSTICS;
  const message = `"name" cannot be read: it may be ${names.map((name) => JSON.stringify(name)).join(" or ")}`;
  return [
    { severity: "error", code: "name-unreadable", message, hint: "Put the name in quotes, or use letters only." },
  ];
}

const NO_RESTRICTIONS = Object.freeze({});
const NO_NAMES: readonly string[] = Object.freeze([]);

function diagnosticsOf(
  file: SourceFile,
  matter: Frontmatter,
  ofTools: readonly Diagnostic[],
  ofModel: readonly Diagnostic[],
): readonly Diagnostic[] {
  if (ofTools.length === 0 && ofModel.length === 0) return matter.diagnostics;
  return [...matter.diagnostics, ...placed([...ofTools, ...ofModel], file, matter)];
}

/** What cannot be read may be a restriction: running without it would be wider than its author wanted. */
function whyDisabled(matter: Frontmatter, tools: NormalizedTools): string | undefined {
  if (!matter.complete) return "its frontmatter cannot be read, so its restrictions are unknown";
  if (tools.kind === "unreadable") return tools.diagnostics[0]?.message ?? "its tools cannot be read";
  return undefined;
}

function descriptionOf(file: SourceFile, { values, bodyStart }: Frontmatter, rules: MarkdownRules): string {
  const { description } = values;
  if (typeof description === "string" && description !== "") return description.trim();
  if (typeof description === "number" || typeof description === "boolean") return String(description);
  return rules.firstLineDescribes === true ? firstLine(file.text.slice(bodyStart)) : "";
}

/** `argument-hint: [message]` is a list to YAML and a hint to everybody else, so the text counts, not the value. */
function hintOf(matter: Frontmatter): string | undefined {
  const value = matter.values["argument-hint"];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  return isPlainList ? `[${value.map(String).join(", ")}]` : matter.textOf(["argument-hint"]);
}

function aliasesOf(names: readonly string[], { aliases }: Values): readonly string[] {
  const list: unknown = typeof aliases === "string" ? aliases.split(/[\s,]+/) : aliases;
  const given: readonly unknown[] = Array.isArray(list) ? list : NO_NAMES;
  if (names.length === 1 && given.every(isAlias)) return given;
  return [...names.slice(1), ...given.filter(isAlias)];
}

function isAlias(alias: unknown): alias is string {
  return typeof alias === "string" && alias !== "";
}

/** Normalizers know the key, not the file: their diagnostics get the place of the key they quote first. */
function placed(diagnostics: readonly Diagnostic[], file: SourceFile, matter: Frontmatter): Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const key = /^"([^"]+)"/.exec(diagnostic.message)?.[1];
    const position = key === undefined ? undefined : matter.positionOf([key]);
    return { ...diagnostic, path: file.path, ...position };
  });
}

/** `a/b/review.md` is `review`; a skill's file is named after its folder. */
export function stemOf(relative: string, ending = ".md"): string {
  const name = relative.slice(relative.lastIndexOf("/") + 1);
  return name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/** `review/SKILL.md` and `group/review/SKILL.md` are `review`. */
export function skillFolderOf(relative: string): string {
  const end = relative.lastIndexOf("/");
  return end === -1 ? "skills" : relative.slice(relative.lastIndexOf("/", end - 1) + 1, end);
}

/** The frontmatter's `name` if there is a usable one. */
export function givenName(values: Values): string | undefined {
  const { name } = values;
  return typeof name === "string" && name.trim() !== "" ? name.trim() : undefined;
}
