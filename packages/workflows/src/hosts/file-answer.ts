// What the file of an agent says about something that the agent wants to do. Pure.

import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Restrictions, ToolRule } from "../entities/entity.ts";
import { pathTools } from "../entities/normalize/tool-names.ts";
import { type Action, expandHome, narrowest } from "../permission/rules.ts";
import { isAboutOtherName, otherToolNames, plainToolName } from "../permission/server-tools.ts";
import { isWildcard, matchesWildcard } from "../permission/wildcard.ts";
import { readShell } from "./shell-commands.ts";

/** What an agent wants to do with a tool. */
export interface ToolRequest {
  readonly tool: string;
  /** A command, a path. */
  readonly detail: string;
  /** The one that the agent works in: paths of files count from here. */
  readonly folder: string;
  /** `opencodeRoot` of it: paths in rules for OpenCode count from there. */
  readonly root: string;
}

/** What the rules say about the tool by its name; those about another name that it may have can only narrow that. */
export function fileAnswer(file: Restrictions = {}, request: ToolRequest): Action {
  const others = otherToolNames(request.tool).map((other) => {
    // The rules that are about a tool only under this other name, and the allow list only where that name is in it.
    const about = (rules: readonly ToolRule[] = []): ToolRule[] =>
      rules
        .filter((rule) => isAboutOtherName(rule.tool, other, request.tool))
        .map((rule) => ({ ...rule, tool: plainToolName(rule.tool) }));
    const [allow, ask, deny] = [about(file.allow), about(file.ask), about(file.deny)];
    const isNamed = [...allow, ...ask].some((rule) => rule.tool === other);
    return answer({ ...(file.allow && isNamed && { allow }), ask, deny }, { ...request, tool: other });
  });
  return narrowest([answer(file, request), ...others]);
}

/**
 * Denials first; of the others the most specific rule, and if both are alike, ask. What cannot be read is asked about, if it
 * is not closed: a doubt only narrows.
 */
function answer(file: Restrictions, request: ToolRequest): Action {
  const { deny = [] } = file;
  const { allow, ask } = rulesFor(file, request.tool);
  const denials = deny.filter(({ tool }) => matchesWildcard(tool, request.tool)).map((rule) => touches(rule, request));
  if (denials.includes("yes")) return "deny";
  const asking = weightOf(ask, request, (rule) => touches(rule, request) !== "no");
  const allowing = allow === undefined ? 0 : weightOf(allow, request, (rule) => contains(rule, request));
  if (allowing === undefined && (asking === undefined || !isOpen([...(allow ?? []), ...ask], request))) return "deny";
  return denials.includes("perhaps") || (asking ?? -1) >= (allowing ?? -1) ? "ask" : "allow";
}

/**
 * The rules that count for a tool. Where one names it, no wildcard is about it: `*` and `bash(git *)` allow every tool, but of
 * `bash` only that.
 */
export function rulesFor(
  { allow, ask = [] }: Restrictions,
  tool: string,
): Required<Pick<Restrictions, "ask">> & Pick<Restrictions, "allow"> {
  const isNamed = [...(allow ?? []), ...ask].some((rule) => rule.tool === tool);
  if (allow === undefined || !isNamed) return { ...(allow && { allow }), ask };
  return { allow: allow.filter((rule) => rule.tool === tool), ask: ask.filter((rule) => rule.tool === tool) };
}

/** Of the most specific rule. To be allowed, all of it must be; a part is enough to be asked about. */
function weightOf(
  rules: readonly ToolRule[],
  request: ToolRequest,
  counts: (rule: ToolRule) => boolean,
): number | undefined {
  const weights = rules
    .filter((rule) => matchesWildcard(rule.tool, request.tool) && counts(rule))
    .map(({ tool, pattern }) => (pattern !== undefined ? 3 : isWildcard(tool) ? 1 : 2));
  return weights.length === 0 ? undefined : Math.max(...weights);
}

function contains(rule: ToolRule, request: ToolRequest): boolean {
  const { tool, detail } = request;
  const { pattern } = rule;
  if (pattern === undefined) return true;
  if (pathTools.has(tool)) return pathsIn(tool, detail).every((path) => containsPath(rule, path, request));
  if (pattern === detail && !/[*?]/.test(pattern)) return true;
  if (tool !== "bash") return matchesWildcard(pattern, detail);
  const { commands, isClear } = readShell(detail);
  return isClear && commands.every(({ text, hasEffects }) => !hasEffects && matchesWildcard(asWildcard(pattern), text));
}

function containsPath({ pattern = "*", from }: ToolRule, path: string, { folder, root }: ToolRequest): boolean {
  if (from === "opencode") {
    // OpenCode compares the whole path from the root, so `./src/*` and `/src/*` are about nothing.
    const fromRoot = insideOf(root, resolve(folder, path));
    if (insideOf(folder, path) === undefined || fromRoot === undefined) return false;
    return matchesWildcard(expandHome(pattern), fromRoot);
  }
  return (pattern === path && !/[*?]/.test(pattern)) || allowsPath(pattern, path, folder);
}

/** Whether each part of it is meant by one of the rules, so that it may be asked about. */
function isOpen(rules: readonly ToolRule[], request: ToolRequest): boolean {
  const { tool, detail } = request;
  const own = rules.filter((rule) => matchesWildcard(rule.tool, tool));
  if (own.some((rule) => contains(rule, request))) return true;
  if (pathTools.has(tool)) {
    return pathsIn(tool, detail).every((path) => own.some((rule) => containsPath(rule, path, request)));
  }
  if (tool !== "bash") return false;
  const { commands, isClear } = readShell(detail);
  const wildcards = own.map(({ pattern = "*" }) => asWildcard(pattern));
  return isClear && commands.every(({ text }) => wildcards.some((wildcard) => matchesWildcard(wildcard, text)));
}

/** How many words may stand before a command that another one runs: `sudo -n nice rm …`. */
const mostBefore = 8;

function touches({ pattern }: ToolRule, { tool, detail, folder }: ToolRequest): "yes" | "perhaps" | "no" {
  if (pattern === undefined) return "yes";
  if (tool !== "bash") {
    if (!pathTools.has(tool)) return matchesWildcard(pattern, detail) ? "yes" : "no";
    // As `allowsPath`, but a doubt counts: a folder of this name may be anywhere.
    const local = pattern.replace(/^\.?\//, "");
    const candidates = [...absolutePatterns(pattern, folder), pattern, local, `*/${local}`];
    const isDenied = [detail, ...pathsIn(tool, detail)].some((path) => {
      const absolute = slashed(resolve(folder, path));
      const isMeant = candidates.some((each) => matchesWildcard(each, absolute) || matchesWildcard(each, path));
      return isMeant || allowsPath(pattern, path, folder);
    });
    return isDenied ? "yes" : "no";
  }
  const { commands, isClear } = readShell(detail);
  // A `~` in the pattern is the home folder to OpenCode; a command may have either.
  const wildcards = [asWildcard(pattern), asWildcard(expandHome(pattern))];
  const isMeant = commands.some(({ text, plain, isClear: isKnown }) => {
    const forms = [text, plain, plain.replace(/^[^ ]*\//, "")];
    for (let rest = plain, words = 0; !isKnown && words < mostBefore; words += 1) {
      const space = rest.indexOf(" ");
      if (space === -1) break;
      rest = rest.slice(space + 1);
      forms.push(rest, rest.replace(/^[^ ]*\//, ""));
    }
    return forms.some((form) => wildcards.some((wildcard) => matchesWildcard(wildcard, form)));
  });
  if (isMeant || matchesWildcard(asWildcard(pattern), detail)) return "yes";
  // Whatever its words come to, a command whose known program is not the one that is meant is another one.
  const [meant, ...programs] = [pattern.replace(/:\*$/, ""), ...commands.map(({ plain }) => plain)].map(
    (text) => /^\S*/.exec(text)?.[0] ?? "",
  );
  const name = /[*?]/.test(meant ?? "") ? undefined : meant?.replace(/^.*\//, "");
  const isNone = commands.every((command, at) => {
    const isOther = name !== undefined && programs[at]?.replace(/^.*\//, "") !== name;
    return command.isClear || (command.hasKnownProgram && isOther);
  });
  return isClear && isNone ? "no" : "perhaps";
}

/** A patch can be for several files. */
function pathsIn(tool: string, detail: string): string[] {
  return tool === "patch" ? detail.split(", ") : [detail];
}

/** Claude's `git:*` is what `git *` is to everybody else. */
function asWildcard(pattern: string): string {
  return pattern.replace(/:\*$/, " *");
}

/**
 * Whether a pattern is meant to have this path: `src/**` begins in the project, `*.md` is any file below it, `~/notes/*` and
 * `//etc/hosts` are elsewhere. Links are not followed.
 */
function allowsPath(pattern: string, path: string, folder: string): boolean {
  const absolute = slashed(resolve(folder, path));
  const [elsewhere] = absolutePatterns(pattern, folder);
  if (elsewhere !== undefined) return matchesWildcard(elsewhere, absolute);
  const inside = insideOf(folder, path);
  if (inside === undefined) return false;
  const local = pattern.replace(/^\.?\//, "");
  const name = inside.slice(inside.lastIndexOf("/") + 1);
  return matchesWildcard(local, inside) || (!pattern.includes("/") && matchesWildcard(pattern, name));
}

function absolutePatterns(pattern: string, folder: string): string[] {
  if (pattern.startsWith("//")) return [pattern.slice(1)];
  const expanded = expandHome(pattern);
  if (expanded !== pattern) return [slashed(expanded)];
  return pattern === folder || pattern.startsWith(`${slashed(folder)}/`) ? [pattern] : [];
}

function insideOf(folder: string, path: string): string | undefined {
  const inside = slashed(relative(folder, resolve(folder, path)));
  return isAbsolute(inside) || inside === ".." || inside.startsWith("../") ? undefined : inside;
}

function slashed(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
