import type { AnswerError, ArgumentSpec, ChoiceSpec, Command, CommandLineInput } from "@atomic/terminal/command";
import { safe } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";
import { paragraph } from "@atomic/terminal/wrap";
import type { Diagnostic } from "@atomic/workflows/internal/entities/diagnostic";
import {
  type EntityType,
  entityTypes,
  type Restrictions,
  type ToolRule,
} from "@atomic/workflows/internal/entities/entity";
import type { AtomicContext } from "../context.ts";
import { type EntityRecord, recordOf } from "../entities/entity-record.ts";
import { loadEntities } from "../entities/load-entities.ts";
import { findNamesakes, type Standing } from "../entities/namesakes.ts";
import { type Reader, readerFact, readersIn } from "../entities/readers.ts";
import { typeOption } from "../options.ts";
import { formatDiagnostic, inOrder } from "../report/diagnostics.ts";
import { type Fact, factSheet } from "../report/facts.ts";
import { documentOf, shortPath, type Where } from "../report/path.ts";

type Arguments = { readonly name: ArgumentSpec & { readonly count: "one" } };
type Options = { readonly type: ChoiceSpec<EntityType> & { readonly many: true } };

interface WhichResult {
  readonly where: Where;
  readonly asked: CommandLineInput<Arguments, Options>;
  /** By type; of each type the one that answers first. */
  readonly matches: readonly NameMatch[];
  /** Similar names, if there is no match. */
  readonly suggestions: readonly string[];
  /** Unreadable files that may contain the name, if there is no match. */
  readonly unread: readonly Diagnostic[];
  /** The folders that were searched, if there is no match: the project and those above it, then the user's. */
  readonly lookedIn: readonly string[];
}

export interface NameMatch extends EntityRecord {
  readonly standing: Standing;
  readonly readers: readonly Reader[];
  readonly diagnostics: readonly Diagnostic[];
}

export const which: Command<AtomicContext, Arguments, Options, WhichResult> = {
  name: "which",
  summary: "Show what a name resolves to, why, and how each tool reads it",
  arguments: {
    name: { count: "one", summary: "A name or an alias, or a qualified name such as claude:project/commit" },
  },
  options: { type: typeOption },
  examples: [
    { command: "atomic which commit", shows: "Show everything named commit, the winner first." },
    { command: "atomic which commit --type skill", shows: "Show only skills with that name." },
    { command: "atomic which claude:user/commit", shows: "Show a command that is shadowed by another one." },
  ],
  run: async (context, asked) => {
    const [{ registry, where }, { lookupKey }, { unreadSources }] = await Promise.all([
      loadEntities(context),
      import("@atomic/workflows/internal/entities/qualified-name"),
      import("@atomic/workflows/internal/entities/entity-not-found"),
    ]);
    const types = asked.type.length === 0 ? entityTypes : asked.type;
    // People write commands as `/commit` and mention agents as `@reviewer`.
    const plain = asked.name.replace(/^[/@](?=.)/, "");
    const found = [...new Set([asked.name, plain])]
      .map((name) => findNamesakes(registry, { name, types, keyOf: lookupKey }))
      .find((namesakes) => namesakes.length > 0);
    if (found === undefined) {
      const isQualified = asked.name.includes("/") && asked.name.includes(":");
      const known = registry
        .entries()
        .filter(({ type }) => types.includes(type))
        .flatMap((entity) => (isQualified ? registry.qualifiedName(entity) : [entity.displayName, ...entity.aliases]));
      const suggestions = didYouMean(plain, known);
      const { foldersToLoad } = await import("@atomic/workflows/internal/entities/initialize");
      const folders = foldersToLoad({ projectPath: where.project, userPath: where.home, env: context.env });
      const lookedIn = [
        ...folders.flatMap(({ location, path }) => (location === "project" ? path : [])),
        ...folders.flatMap(({ location, path, moved = [] }) => (location === "user" ? [path, ...moved] : [])),
      ];
      return { where, asked, matches: [], suggestions, unread: unreadSources(registry.diagnostics()), lookedIn };
    }
    const [readersOf, { getCommandHint }] = await Promise.all([
      readersIn(registry),
      import("@atomic/workflows/internal/entities/hints"),
    ]);
    const matches = found.map(({ entity, standing }) => {
      const takesArguments = entity.type !== "agent";
      // A disabled entity's body may be unreadable.
      const isUsable = entity.disabledBecause === undefined;
      const argumentHint = takesArguments && isUsable ? getCommandHint(entity) : undefined;
      return {
        ...recordOf(entity, registry),
        ...(argumentHint !== undefined && { argumentHint }),
        standing,
        readers: readersOf(entity),
        diagnostics: entity.diagnostics,
      };
    });
    return { where, asked, matches, suggestions: [], unread: [], lookedIn: [] };
  },
  report: {
    text: ({ matches, where, asked }, page) =>
      matches
        .map((match) => {
          const { type, path, folder, pointer, disabledBecause, restrictions } = match;
          // A folder above the project is shown from here, like the project itself.
          const file = path === undefined ? "" : shortPath(path, { ...where, project: folder ?? where.project });
          // Unknown for a disabled entity; workflows have none.
          const hasTools = type !== "workflow" && disabledBecause === undefined;
          const facts: Fact[] = [
            ["file", file === "" || pointer === undefined ? file : `${file} ${pointer}`],
            ["workflow", match.workflow ?? ""],
            standingFact(match, asked.name),
            ["disabled", disabledBecause ?? "", "red"],
            ["about", match.description],
            ["aliases", match.aliases.join(", ")],
            ["arguments", match.argumentHint ?? ""],
            ["tools", hasTools ? describeRestrictions(restrictions) : ""],
            ["model", match.modelId ?? match.model ?? ""],
            ...match.readers.map(readerFact),
          ];
          return factSheet(type, match.qualifiedName, facts, page);
        })
        .join("\n"),
    notes: (result, page) => {
      const diagnostics = inOrder([...result.unread, ...result.matches.flatMap((match) => match.diagnostics)]);
      const problems = diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, result.where, page)).join("");
      if (result.matches.length > 0) return problems;
      const { message, hint } = notFound(result);
      return [message, hint].map((text) => paragraph(text, page, { indent: "  " })).join("") + problems;
    },
    json: ({ where, asked, matches, suggestions, unread }) =>
      documentOf(where, { name: asked.name, matches, suggestions, unread: unread.length > 0 ? unread : undefined }),
    exitCode: ({ matches }) => (matches.length === 0 ? 1 : 0),
    error: notFound,
  },
};

function standingFact({ type, name, standing }: NameMatch, asked: string): Fact {
  switch (standing.kind) {
    case "only":
      return ["wins", `the only ${type} with this name`, "green"];
    case "winner":
      return ["wins", `over ${standing.over}: ${standing.because}`, "green"];
    case "answers-alias":
      return ["wins", `"${asked}" is an alias for ${name}`, "green"];
    case "shadowed":
      return ["loses", `to ${standing.by}: ${standing.because}`, "yellow"];
    case "beaten-alias":
      return ["loses", `to ${standing.by}: "${asked}" is only an alias here; ${standing.because}`, "yellow"];
  }
}

/**
 * @example
 * describeRestrictions({ allow: [{ tool: "bash", pattern: "git:*" }] }); // "only bash(git:*)"
 */
export function describeRestrictions({ allow, deny = [], ask = [] }: Restrictions): string {
  const list = (rules: readonly ToolRule[]): string =>
    rules.map(({ tool, pattern }) => (pattern === undefined ? tool : `${tool}(${pattern})`)).join(", ");
  const parts = [
    ...(allow === undefined ? [] : [allow.length === 0 ? "none" : `only ${list(allow)}`]),
    ...(ask.length === 0 ? [] : [`after asking ${list(ask)}`]),
    ...(deny.length === 0 ? [] : [`never ${list(deny)}`]),
  ];
  return parts.length === 0 ? "all" : parts.join("; ");
}

function notFound({
  asked,
  suggestions,
  lookedIn,
  unread: [file],
}: WhichResult): AnswerError & { readonly hint: string } {
  const subject = asked.type.length === 0 ? "Nothing" : `No ${asked.type.join(" or ")}`;
  const meant = suggestions.map((name) => safe`"${name}"`).join(" or ");
  const suggestion = meant === "" ? "" : ` (did you mean ${meant}?)`;
  return {
    code: "entity-not-found",
    message: `${safe`${subject} is called "${asked.name}"`}${suggestion}`,
    // A file that may hold the name, but cannot be read.
    at: file?.path && [file.path, file.line, file.column].filter((part) => part !== undefined).join(":"),
    hint: safe`Looked in ${listOf([...new Set(lookedIn)])}; \`atomic entities\` lists everything.`,
  };
}

/**
 * @example
 * listOf(["/a", "/b", "/c"]); // "/a, in /b and in /c"
 */
function listOf(folders: readonly string[]): string {
  return [folders.slice(0, -1).join(", in "), ...folders.slice(-1)].filter((part) => part !== "").join(" and in ");
}
