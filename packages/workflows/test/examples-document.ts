// The fenced blocks of a document: files to have, programs to run, and what both print.

export interface Block {
  /** Of its first line, from 1. */
  readonly line: number;
  /** `ts`, `md`, `console`, … or nothing. */
  readonly language: string;
  /** What follows the language: for a file, its path in the project, or `~/…` in the home folder. */
  readonly rest: string;
  readonly text: string;
  /** The block that follows with nothing in between. */
  readonly next?: Block;
}

export interface Document {
  readonly text: string;
  readonly blocks: readonly Block[];
}

export function parseDocument(text: string): Document {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  // From the end, so that a block knows the next one.
  let end: number | undefined;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const fence = /^```(\S*) ?(.*)$/.exec(lines[at] ?? "");
    if (fence === null) continue;
    if (end === undefined) {
      end = at;
      continue;
    }
    const [next] = blocks;
    const isNext = next !== undefined && lines.slice(end + 1, next.line - 2).every((line) => line.trim() === "");
    const [, language = "", rest = ""] = fence;
    const content = lines.slice(at + 1, end).map((line) => `${line}\n`);
    blocks.unshift({ line: at + 2, language, rest, text: content.join(""), ...(isNext && { next }) });
    end = undefined;
  }
  if (end !== undefined) throw new Error(`A fence is never closed, or never opened, near line ${end + 1}.`);
  return { text, blocks };
}

/** The files that a reader has when they come to a block: those that are shown before it. */
export function filesBefore(block: Block, { blocks }: Document): Readonly<Record<string, string>> {
  const shown = blocks.filter((other) => other.line < block.line && isFile(other));
  return Object.fromEntries(shown.map(({ rest, text }) => [rest, text]));
}

function isFile({ language, rest }: Block): boolean {
  return rest !== "" && language !== "ts" && language !== "console";
}

const ANSWER = /^(?!\s|const |let |import |\/\/)(.+); \/\/ → (.+)$/;

/** `expression; // → value` becomes a comparison that fails with its line. */
export function withAnswersChecked({ text, line }: Block): string {
  const lines = text.split("\n").map((statement, index) => {
    const [, expression, value] = ANSWER.exec(statement) ?? [];
    if (expression !== undefined) return `answers(${line + index}, ${expression}, ${value});`;
    if (statement.includes("// →")) throw new Error(`Line ${line + index} has an answer that cannot be checked.`);
    return statement;
  });
  return `import { deepEqual as answered } from "node:assert/strict";
const answers = (line: number, is: unknown, said: unknown) => answered(is, said, \`line \${line} says \${JSON.stringify(said)}, it is \${JSON.stringify(is)}\`);
${lines.join("\n")}`;
}

/** A session at a prompt: each command with what it printed. */
export function parseSession(text: string): { readonly argv: readonly string[]; readonly output: string }[] {
  return text
    .split(/^\$ /m)
    .filter((part) => part !== "")
    .map((part) => {
      const [command = "", ...output] = part.split("\n");
      return { argv: command.split(" "), output: output.join("\n").trimEnd() };
    });
}

/** What stands between two comments of that name, which a test compares with the code. */
export function marked({ text }: Document, name: string): string {
  const [, between, ...rest] = text.split(`<!-- ${name} -->`);
  if (between === undefined || rest.length !== 1) throw new Error(`There are not two comments <!-- ${name} -->.`);
  return between.trim();
}

/** The cells of a table, without its head. A `|` in a cell is written `\|`. */
export function tableRows(table: string): string[][] {
  const [, , ...rows] = table.split("\n");
  return rows
    .map((row) => row.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll("\\|", "|")));
}
