// What an agent's file says about something that the agent wants to do. Pure.

import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Restrictions, ToolRule } from "../entities/entity.ts";
import { pathTools } from "../entities/normalize/tool-names.ts";
import { expandHome } from "../permission/decide.ts";
import { type Action, narrowest } from "../permission/rules.ts";
import { isAboutOtherName, otherToolNames, plainToolName } from "../permission/server-tools.ts";
import { isWildcard, matchesWildcard } from "../permission/wildcard.ts";
import { ShellLine } from "./shell-commands.ts";

/** What an agent wants to do with a tool. */
export interface ToolRequest {
  readonly tool: string;
  /** A command or a path. */
  readonly detail: string;
  /** The folder that the agent works in; file paths are relative to it. */
  readonly folder: string;
  /** The folder's `opencodeRoot`; paths in OpenCode's rules are relative to it. */
  readonly root: string;
}

/** What the rules say about the tool. Rules for another name that it may have can only narrow that. */
export function fileAnswer(file: Restrictions = {}, request: ToolRequest): Action {
  const others = otherToolNames(request.tool).map((other) => {
    // The rules that mean the tool only under its other name; an allow list counts only if it has that name.
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
 * Denials come first, and then the most specific rule; at a tie, ask. What cannot be read is asked about unless it is
 * denied: a doubt only narrows.
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
 * The rules that count for a tool. If one names it, wildcards do not: `*` and `bash(git *)` allow every tool, but only that
 * use of `bash`.
 */
export function rulesFor(
  { allow, ask = [] }: Restrictions,
  tool: string,
): Required<Pick<Restrictions, "ask">> & Pick<Restrictions, "allow"> {
  const isNamed = [...(allow ?? []), ...ask].some((rule) => rule.tool === tool);
  if (allow === undefined || !isNamed) return { ...(allow && { allow }), ask };
  return { allow: allow.filter((rule) => rule.tool === tool), ask: ask.filter((rule) => rule.tool === tool) };
}

/** The weight of the most specific rule. Allowing needs all of the request; asking needs only a part of it. */
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

/** Whether a rule means all of the request. */
export function contains(rule: ToolRule, request: ToolRequest): boolean {
  const { tool, detail } = request;
  const { pattern } = rule;
  if (pattern === undefined) return true;
  if (pathTools.has(tool)) return pathsIn(tool, detail).every((path) => containsPath(rule, path, request));
  if (pattern === detail && !/[*?]/.test(pattern)) return true;
  if (tool !== "bash") return matchesWildcard(pattern, detail);
  const { commands, isClear } = new ShellLine(detail);
  return isClear && commands.every(({ text, hasEffects }) => !hasEffects && matchesWildcard(asWildcard(pattern), text));
}

function containsPath({ pattern = "*", from }: ToolRule, path: string, { folder, root }: ToolRequest): boolean {
  if (from === "opencode") {
    // OpenCode compares the whole path from the root, so `./src/*` and `/src/*` match nothing.
    const fromRoot = insideOf(root, resolve(folder, path));
    if (insideOf(folder, path) === undefined || fromRoot === undefined) return false;
    return matchesWildcard(expandHome(pattern), fromRoot);
  }
  return (pattern === path && !/[*?]/.test(pattern)) || allowsPath(pattern, path, folder);
}

/** Whether one of the rules means each part of the request, so it may be asked about. */
function isOpen(rules: readonly ToolRule[], request: ToolRequest): boolean {
  const { tool, detail } = request;
  const own = rules.filter((rule) => matchesWildcard(rule.tool, tool));
  if (own.some((rule) => contains(rule, request))) return true;
  if (pathTools.has(tool)) {
    return pathsIn(tool, detail).every((path) => own.some((rule) => containsPath(rule, path, request)));
  }
  if (tool !== "bash") return false;
  const { commands, isClear } = new ShellLine(detail);
  const wildcards = own.map(({ pattern = "*" }) => asWildcard(pattern));
  return isClear && commands.every(({ text }) => wildcards.some((wildcard) => matchesWildcard(wildcard, text)));
}

/** How many words may come before a command that another one runs: `sudo -n nice rm …`. */
const mostBefore = 8;

function touches({ pattern }: ToolRule, { tool, detail, folder }: ToolRequest): "yes" | "perhaps" | "no" {
  if (pattern === undefined) return "yes";
  if (tool !== "bash") {
    if (!pathTools.has(tool)) return matchesWildcard(pattern, detail) ? "yes" : "no";
    // Like `allowsPath`, but a doubt counts: a folder with this name may be anywhere.
    const local = pattern.replace(/^\.?\//, "");
    const candidates = [...absolutePatterns(pattern, folder), pattern, local, `*/${local}`];
    const isDenied = [detail, ...pathsIn(tool, detail)].some((path) => {
      const absolute = slashed(resolve(folder, path));
      const isMeant = candidates.some((each) => matchesWildcard(each, absolute) || matchesWildcard(each, path));
      return isMeant || allowsPath(pattern, path, folder);
    });
    return isDenied ? "yes" : "no";
  }
  const { commands, isClear } = new ShellLine(detail);
  // To OpenCode, a `~` in the pattern is the home folder; a command may have either.
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
  // A command whose known program is not the one in the pattern is another command, whatever its words are.
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

/** The paths in a request; a patch can have several. */
function pathsIn(tool: string, detail: string): string[] {
  return tool === "patch" ? detail.split(", ") : [detail];
}

/** Claude writes `git:*` for what the others write as `git *`. */
function asWildcard(pattern: string): string {
  return pattern.replace(/:\*$/, " *");
}

/**
 * Whether a pattern means this path: `src/**` starts in the project, `*.md` is any file below it, `~/notes/*` and
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
