import type { Editor, TerminalApi } from "./terminal-api.ts";

/** What is in a prompt at one moment. */
export interface PromptContent {
  /** As you would have typed it: what you pasted is in place of its placeholder. */
  readonly text: string;
  /** The same, with each paste quoted as one word of a shell. */
  readonly line: string;
  /** Placeholders of what has no text, such as `[Image 1]`. */
  readonly attachments: readonly string[];
}

const placeholders = /\[(?:Image|PDF) \d+\]|\[Pasted ~\d+ lines?\]|\[SVG: [^\]\n]*\]/g;

type PromptApi = Pick<TerminalApi, "renderer" | "route"> & {
  readonly ui: { readonly dialog: { readonly open: boolean } };
};

/** Read from the prompt itself: what it reports is a moment behind the keys. */
export function promptContent({ renderer, ui }: PromptApi): PromptContent {
  const editor = ui.dialog.open ? null : renderer.currentFocusedEditor;
  const typed = editor?.plainText ?? "";
  // The same words are not a placeholder if you typed them.
  if (editor === null || (editor.extmarks?.getAll() ?? []).length === 0)
    return { text: typed, line: typed, attachments: [] };
  const attachments = (typed.match(placeholders) ?? []).filter((each) => withPastes(editor, each, asIs) === each);
  return { text: withPastes(editor, typed, asIs), line: withPastes(editor, typed, asWord), attachments };
}

export function fillPrompt(editor: Editor | null, words: string): void {
  if (words === "") {
    editor?.extmarks?.clear();
    editor?.clear();
  } else editor?.setText(words);
  editor?.gotoBufferEnd();
}

/** Empties the prompt. Returns how to put the content back, which reports whether it could: not over what was typed since. */
export function takePrompt(api: PromptApi): () => boolean {
  const editor = api.renderer.currentFocusedEditor;
  const page = pageOf(api);
  const { text } = promptContent(api);
  fillPrompt(editor, "");
  return () => {
    // One prompt can move from session to session.
    if (editor === null || editor.isDestroyed || editor.plainText !== "" || pageOf(api) !== page) return false;
    fillPrompt(editor, text);
    return true;
  };
}

function pageOf({ route: { current } }: PromptApi): string {
  return JSON.stringify([current.name, current.params?.sessionID]);
}

type Inserted = (paste: string, before: string) => string;

const asIs: Inserted = (paste) => paste;

/** Quotes group where a word begins, or a value. */
const asWord: Inserted = (paste, before) => (/[\s=]$/.test(before) ? `"${paste.replaceAll(/["\\]/g, "\\$&")}"` : paste);

function withPastes(editor: Editor, text: string, inserted: Inserted): string {
  // OpenCode calls `replace` with each placeholder and its text, for which `$&` in that text would have a meaning.
  class Expanding extends String {
    override replace(placeholder: unknown, paste: unknown): string {
      const insert = (found: string, at: number, all: string): string =>
        typeof paste === "string" ? inserted(paste, all.slice(0, at)) : found;
      return new Expanding(super.replace(String(placeholder), insert)) as unknown as string;
    }
  }
  return String(editor.getClipboardText?.(new Expanding(text) as unknown as string) ?? text);
}
