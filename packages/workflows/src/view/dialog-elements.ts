// What a dialog is answered with: a list of choices, or a field to type in.
import { element } from "./elements.ts";
import type { TerminalApi, TerminalElement } from "./terminal-api.ts";

export function choiceRow(
  api: TerminalApi,
  row: {
    readonly line: () => string;
    readonly isSelected: () => boolean;
    /** It cannot be chosen yet. */
    readonly isLocked: () => boolean;
    readonly onClick: () => void;
  },
): TerminalElement {
  return element("text", {
    wrapMode: "none",
    fg: () => {
      const { primary, text, textMuted } = api.theme.current;
      return row.isSelected() ? primary : row.isLocked() ? textMuted : text;
    },
    content: row.line,
    onMouseUp: row.onClick,
  });
}

export function answerField(
  api: TerminalApi,
  now: {
    readonly rows: number;
    readonly placeholder: string;
    /** In the field from the beginning. */
    readonly words: string;
    readonly onChange: () => void;
  },
): TerminalElement {
  const { rows, placeholder, words, onChange } = now;
  const { text, textMuted, backgroundElement } = api.theme.current;
  const colours = { textColor: text, focusedTextColor: text, cursorColor: text, placeholderColor: textMuted };
  const backgrounds = { backgroundColor: backgroundElement, focusedBackgroundColor: backgroundElement };
  const field = element("textarea", {
    ...{ height: rows, placeholder, onContentChange: onChange },
    ...colours,
    ...backgrounds,
  });
  if (words !== "") {
    field.setText?.(words);
    field.gotoBufferEnd?.();
  }
  // At once, so no key gets lost; and again, because OpenCode may take the focus away once more while it draws the dialog.
  const take = (): void => {
    if (field.isDestroyed !== true && field.focused !== true) field.focus?.();
  };
  queueMicrotask(take);
  setTimeout(take, 1);
  return field;
}
