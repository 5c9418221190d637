import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { promptContent, takePrompt } from "../../src/view/prompt-content.ts";
import type { Editor, TerminalApi } from "../../src/view/terminal-api.ts";

/** Puts pastes in as OpenCode's prompt does it. */
class Prompt implements Editor {
  plainText = "";
  isDestroyed = false;
  readonly editBuffer = new EventEmitter();
  #parts: { readonly value: string; readonly text: string | undefined }[] = [];
  readonly extmarks = {
    getAll: (): readonly unknown[] => this.#parts,
    clear: (): void => {
      this.#parts = [];
    },
  };

  paste(value: string, text?: string): void {
    this.#parts.push({ value, text });
    this.plainText += `${value} `;
  }

  getClipboardText(text: string): string {
    return this.#parts.reduce(
      (all, part) => (part.text === undefined ? all : all.replace(part.value, part.text)),
      text,
    );
  }

  setText(text: string): void {
    this.plainText = text;
  }

  clear(): void {
    this.plainText = "";
  }

  gotoBufferEnd = (): void => undefined;
}

function opencode(prompt: Editor | null) {
  const renderer = Object.assign(new EventEmitter(), { currentFocusedEditor: prompt });
  const dialog = { open: false };
  const route = { current: { name: "session", params: { sessionID: "ses_1" } } };
  const api = { renderer, route, ui: { dialog } } as unknown as TerminalApi;
  const input = { read: () => promptContent(api), take: () => takePrompt(api) };
  return { renderer, dialog, route, input };
}

test("in a dialog, nothing is typed into the prompt", () => {
  const prompt = new Prompt();
  const { input, dialog } = opencode(prompt);
  prompt.plainText = "/ship 1";
  expect(input.read().text).toBe("/ship 1");
  dialog.open = true;
  expect(input.read().text).toBe("");
});

test.each([
  ["its line breaks", "fix\nthis\nplease", '/ship "fix\nthis\nplease" '],
  ["quotes in it", 'say "hi" \\o/\n\n.', '/ship "say \\"hi\\" \\\\o/\n\n." '],
  ["what looks like a replacement", "cost: $& $' $$ $1\n\n.", '/ship "cost: $& $\' $$ $1\n\n." '],
])("a paste is one word with %s", (_what, paste, line) => {
  const prompt = new Prompt();
  const { input } = opencode(prompt);
  prompt.plainText = "/ship ";
  prompt.paste("[Pasted ~3 lines]", paste);
  expect(input.read()).toEqual({ text: `/ship ${paste} `, line, attachments: [] });
});

test("a paste is a value behind =, two pastes keep their order, and one inside a word is as it was typed", () => {
  const prompt = new Prompt();
  const { input } = opencode(prompt);
  prompt.plainText = "/ship --note=";
  prompt.paste("[Pasted ~3 lines]", "a b");
  prompt.paste("[Pasted ~3 lines]", "c d");
  prompt.plainText += "x";
  prompt.paste("[SVG: a.svg]", "e f");
  expect(input.read().line).toBe('/ship --note="a b" "c d" xe f ');
});

test("what has no text is an attachment; a file's name is text, and so is what you typed yourself", () => {
  const prompt = new Prompt();
  const { input } = opencode(prompt);
  prompt.plainText = "/ship [Image 1] ";
  expect(input.read().attachments).toEqual([]);
  prompt.paste("@src/a.ts");
  prompt.paste("[PDF 1]");
  expect(input.read()).toMatchObject({
    text: "/ship [Image 1] @src/a.ts [PDF 1] ",
    attachments: ["[Image 1]", "[PDF 1]"],
  });
  // An OpenCode that does not say what was pasted.
  const old = new Prompt();
  Object.assign(old, { getClipboardText: undefined });
  old.paste("[Pasted ~3 lines]", "a");
  expect(opencode(old).input.read().attachments).toEqual(["[Pasted ~3 lines]"]);
});

test("what was taken comes back with its pastes, also while a dialog is open", () => {
  const prompt = new Prompt();
  const { input, dialog, renderer } = opencode(prompt);
  prompt.plainText = "/ship ";
  prompt.paste("[Pasted ~3 lines]", "a b c");
  const putBack = input.take();
  expect({ text: prompt.plainText, parts: prompt.extmarks.getAll() }).toEqual({ text: "", parts: [] });
  dialog.open = true;
  const field = new Prompt();
  renderer.currentFocusedEditor = field;
  expect(putBack()).toBe(true);
  expect([prompt.plainText, field.plainText]).toEqual(["/ship a b c ", ""]);
});

test.each<[string, (prompt: Prompt, parts: ReturnType<typeof opencode>) => void]>([
  ["something new is typed", (prompt) => prompt.setText("hello")],
  ["the prompt is gone", (prompt) => Object.assign(prompt, { isDestroyed: true })],
  [
    "the prompt is another session's",
    (_prompt, { route }) => Object.assign(route.current.params, { sessionID: "ses_2" }),
  ],
])("what was taken does not come back if %s", (_what, change) => {
  const prompt = new Prompt();
  const parts = opencode(prompt);
  prompt.plainText = "/ship 1";
  const putBack = parts.input.take();
  change(prompt, parts);
  const now = prompt.plainText;
  expect(putBack()).toBe(false);
  expect(prompt.plainText).toBe(now);
});
