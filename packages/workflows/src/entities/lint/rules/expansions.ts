// What a tool does with a body before a model sees it. It is all legitimate, but people should know that it happens.

import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { findShellAndFileReferences, type Reference } from "../../arguments/references.ts";
import type { ToolName } from "../../entity.ts";
import { providerTitles } from "../../entity.ts";
import type { Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

/** People also write `@` before the names of people and packages. */
const PATH =
  /^(?:~|\.{1,2})\/.|^\/\w.*\/|\.(?:mdx?|txt|jsonc?|ya?ml|toml|[cm]?[jt]sx?|py|rb|rs|go|java|kt|sh|css|html|sql|csv|xml)$/i;
const SUBSTITUTION = /\{(env|file):[^}\n]+\}/g;

export const expansionRules: readonly Rule[] = [
  {
    code: "runs-shell",
    severity: "info",
    summary: "A command in the body that a tool runs in a shell as soon as you use the file.",
    *check(subject) {
      for (const { at, shown, isApart } of referencesIn(subject, "shell")) {
        // Claude Code needs white space in front; OpenCode also runs what is between one `word!` and the next.
        const tools = expandersOf(subject).filter((tool) => tool !== "claude" || isApart);
        if (tools.length === 0) continue;
        // OpenCode never asks. Claude Code refuses the whole command or skill if it would have to.
        const titles = tools.map(
          (tool) => `${providerTitles[tool]}${tool === "claude" ? ", if its permissions allow it," : ""}`,
        );
        const where = titles.reverse().join(" and in ");
        const message = `Using this ${subject.entity.type} in ${where} runs \`${shown}\` in a shell.`;
        const hint = isApart
          ? "Review the command before you use someone else's file."
          : "If it is not meant to run, put a space between ! and `.";
        yield { message, at, hint };
      }
    },
  },
  {
    code: "reads-file",
    severity: "info",
    summary: "A file that the tool includes in the prompt.",
    *check(subject) {
      if (expandersOf(subject).length === 0) return;
      for (const { at, text, shown, isApart } of referencesIn(subject, "file")) {
        if (!isApart || !PATH.test(text)) continue;
        yield { message: `Using this ${subject.entity.type} includes the file ${shown} in the prompt.`, at };
      }
    },
  },
  {
    code: "opencode-substitution",
    severity: "info",
    summary: "`{env:…}` or `{file:…}` in opencode.json: OpenCode inserts the variable's value or the file's contents.",
    *check({ entity, values }) {
      if (entity.source.pointer === undefined) return;
      for (const { key, text } of substitutionsIn(values)) {
        yield { message: `OpenCode replaces ${text} with its value.`, at: [key] };
      }
    },
  },
  {
    code: "opencode-substitution-dead",
    severity: "warning",
    summary: "`{env:…}` or `{file:…}` in Markdown: OpenCode replaces them only in opencode.json.",
    *check({ entity, text, body, values }) {
      if (entity.source.provider !== "opencode" || text === undefined || entity.type === "workflow") return;
      const inBody = new Set(Array.from(body.matchAll(SUBSTITUTION), ({ 0: what }) => what));
      const found = [
        ...substitutionsIn(values).map(({ key, text: what }) => ({ what, at: [key] })),
        ...[...inBody].map((what) => ({ what, at: text.indexOf(what) })),
      ];
      for (const { what, at } of found) {
        const message = `The model sees ${what} literally: OpenCode replaces such placeholders only in opencode.json.`;
        yield { message, at, hint: "Write the actual text, or move the entry to opencode.json." };
      }
    },
  },
];

function substitutionsIn(values: Subject["values"]): { readonly key: string; readonly text: string }[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === "string" ? Array.from(value.matchAll(SUBSTITUTION), ({ 0: text }) => ({ key, text })) : [],
  );
}

/** Claude Code and OpenCode expand what they load as a command or a skill; agents and Copilot's files are not expanded. */
function expandersOf({ verdicts }: Subject): ToolName[] {
  return verdicts.flatMap(({ tool, loads, kind }) => (loads && kind !== "agent" && tool !== "copilot" ? [tool] : []));
}

interface PlacedReference {
  readonly at: number;
  readonly text: string;
  /** Escaped and shortened for a message. */
  readonly shown: string;
  /** It is at the start of the body or after white space. */
  readonly isApart: boolean;
}

function referencesIn({ body, bodyStart, entity }: Subject, wanted: Reference["kind"]): PlacedReference[] {
  if (entity.type === "workflow" || !body.includes(wanted === "shell" ? "!" : "@")) return [];
  return findShellAndFileReferences(body).flatMap(({ kind, text, start }) => {
    if (kind !== wanted) return [];
    const line = escapeForTerminal(text, { singleLine: true });
    const shown = line.length > 80 ? `${line.slice(0, 77)}...` : line;
    return { at: bodyStart + start, text, shown, isApart: start === 0 || /\s/.test(body.charAt(start - 1)) };
  });
}
