// What a tool does with a body before a model sees it. All of it is legitimate; people should know that it happens.

import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { findShellAndFileReferences, type Reference } from "../../arguments/references.ts";
import type { ToolName } from "../../tools/places.ts";
import { titleOf } from "../known-keys.ts";
import type { Rule, RuleProblem } from "../rule.ts";
import type { Subject } from "../subject.ts";

/** People mention others and packages with an `@`, too. */
const PATH =
  /^(?:~|\.{1,2})\/.|^\/\w.*\/|\.(?:mdx?|txt|jsonc?|ya?ml|toml|[cm]?[jt]sx?|py|rb|rs|go|java|kt|sh|css|html|sql|csv|xml)$/i;
const SUBSTITUTION = /\{(env|file):[^}\n]+\}/g;

export const expansionRules: readonly Rule[] = [
  {
    code: "runs-shell",
    severity: "info",
    summary: "A command in the body that a tool runs in a shell as soon as you use the file.",
    *check(subject) {
      const { body, bodyStart, entity } = subject;
      for (const reference of referencesIn(subject, "shell")) {
        const isApart = startsWord(body, reference.start);
        const tools = expandersOf(subject).filter((tool) => tool !== "claude" || isApart);
        if (tools.length === 0) continue;
        const where = tools.map(titleOf).join(" and ");
        const message = `Using this ${entity.type} in ${where} runs \`${shown(reference)}\` in a shell.`;
        const hint = isApart
          ? "Read it before you use someone else's file."
          : "If it is not meant to run, separate ! and `.";
        yield { message, at: bodyStart + reference.start, hint };
      }
    },
  },
  {
    code: "reads-file",
    severity: "info",
    summary: "A file that the tool puts into the prompt.",
    *check(subject) {
      const { body, bodyStart, entity } = subject;
      if (expandersOf(subject).length === 0) return;
      for (const reference of referencesIn(subject, "file")) {
        if (!startsWord(body, reference.start) || !PATH.test(reference.text)) continue;
        const message = `Using this ${entity.type} puts the file ${shown(reference)} into the prompt.`;
        yield { message, at: bodyStart + reference.start };
      }
    },
  },
  {
    code: "opencode-substitution",
    severity: "info",
    summary: "`{env:…}` or `{file:…}` in opencode.json: OpenCode inserts the variable or the file.",
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
    *check({ entity, text, values }) {
      if (entity.source.provider !== "opencode" || text === undefined || entity.type === "workflow") return;
      const inValues = substitutionsIn(values).map(({ key, text: what }): RuleProblem => dead(what, [key]));
      const inBody = Array.from(entity.prompt.matchAll(SUBSTITUTION), ({ 0: what }) => what);
      yield* inValues;
      for (const what of new Set(inBody)) yield dead(what, text.indexOf(what));
    },
  },
];

function dead(what: string, at: NonNullable<RuleProblem["at"]>): RuleProblem {
  const message = `The model sees ${what} literally: OpenCode replaces such placeholders only in opencode.json.`;
  return { message, at, hint: "Write the text itself, or move the entry to opencode.json." };
}

function substitutionsIn(values: Subject["values"]): { readonly key: string; readonly text: string }[] {
  return Object.entries(values).flatMap(([key, value]) =>
    typeof value === "string" ? Array.from(value.matchAll(SUBSTITUTION), ({ 0: text }) => ({ key, text })) : [],
  );
}

/** Claude Code and OpenCode expand what they load as a command or a skill; agents and Copilot's files stay as they are. */
function expandersOf({ verdicts }: Subject): ToolName[] {
  return verdicts.flatMap(({ tool, loads, kind }) => (loads && kind !== "agent" && tool !== "copilot" ? [tool] : []));
}

function referencesIn({ body, entity }: Subject, kind: Reference["kind"]): Reference[] {
  if (entity.type === "workflow") return [];
  return findShellAndFileReferences(body).filter((reference) => reference.kind === kind);
}

/** Claude Code wants white space in front; OpenCode runs even what stands between the end of one `word!` and the next. */
function startsWord(body: string, at: number): boolean {
  return at === 0 || /\s/.test(body.charAt(at - 1));
}

function shown({ text }: Reference): string {
  const line = escapeForTerminal(text, { singleLine: true });
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}
