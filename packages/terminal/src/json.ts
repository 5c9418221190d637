import type { CommandReport } from "./command.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";

/**
 * One JSON document for programs that is also safe on a terminal: `JSON.stringify` leaves the characters that change
 * the direction of text, or that old terminals take for commands, as they are.
 */
export function formatJson(document: object): string {
  return safeJson(JSON.stringify(document, null, 2));
}

/** The same on one line, for documents that follow each other. */
export function jsonLine(document: object): string {
  return safeJson(JSON.stringify(document));
}

/** A whole answer as one document. `ok` says the same as the exit code 0; without it there is an `error`. */
export function formatAnswer<Result>(result: Result, report: CommandReport<Result>): string {
  const no = report.exitCode(result) === 0 ? undefined : report.error?.(result);
  return formatJson({ ok: no === undefined, ...(no !== undefined && { error: no }), ...report.json(result) });
}

function safeJson(text: string): string {
  let safe = "";
  let done = 0;
  for (const { offset, codePoint } of findHiddenCharacters(text)) {
    const character = String.fromCodePoint(codePoint);
    safe += text.slice(done, offset);
    for (let at = 0; at < character.length; at += 1) {
      safe += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }
    done = offset + character.length;
  }
  return `${safe}${text.slice(done)}\n`;
}
