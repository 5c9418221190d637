import { StyledText } from "@opentui/core";
import type { ThemeColor, ThemeColors } from "./terminal-api.ts";

interface TextChunk {
  readonly __isChunk: true;
  readonly text: string;
  readonly fg: ThemeColor;
  readonly attributes: number;
}

const bold = 1;

/** Text with the colours of `painter()` as OpenCode draws it, in the colours of its theme. */
export function paintedText(text: string, theme: ThemeColors): object {
  const colours: Readonly<Record<string, ThemeColor>> = {
    31: theme.error,
    32: theme.success,
    33: theme.warning,
    36: theme.info,
  };
  const chunks: TextChunk[] = [];
  let colour: ThemeColor | undefined;
  let isDim = false;
  let attributes = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
  for (const [, code, words = ""] of text.matchAll(/\x1b\[(\d+)m|([^\x1b]+)/g)) {
    if (code === undefined) {
      chunks.push({ __isChunk: true, text: words, fg: colour ?? (isDim ? theme.textMuted : theme.text), attributes });
    } else if (code === "22") {
      isDim = false;
      attributes = 0;
    } else if (code === "1") attributes = bold;
    else if (code === "2") isDim = true;
    else colour = colours[code];
  }
  return new StyledText(chunks);
}
