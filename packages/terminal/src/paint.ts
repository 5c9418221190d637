const codes = {
  bold: [1, 22],
  dim: [2, 22],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Colour = keyof typeof codes;
export type Paint = (colour: Colour, text: string) => string;

/** Colours text, or leaves it as it is. Escape foreign text first: afterwards the two cannot be distinguished. */
export function painter(colour: boolean): Paint {
  return (name, text) => {
    if (!colour || text === "") return text;
    const [on, off] = codes[name];
    return `\x1b[${on}m${text}\x1b[${off}m`;
  };
}

export function withoutColour(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
  return text.replace(/\x1b\[\d+m/g, "");
}
