// What a tool returned, shortened to the context that is left.

export interface TokenUse {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache: { readonly read: number; readonly write: number };
}

export interface ModelLimit {
  readonly context: number;
  /** What the model may answer. It needs room in the same context. */
  readonly output: number;
}

/** Cached tokens are cheaper, but take as much room as others. */
export function tokensOf({ input, output, reasoning, cache }: TokenUse): number {
  return input + output + reasoning + cache.read + cache.write;
}

/** An estimate: about four bytes each. By bytes, because a Chinese character is about a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

const defaultMost = 50_000;
/** Web pages are long, and mostly not what was looked for. */
const mostByTool: Readonly<Record<string, number>> = { webfetch: 10_000 };
/** The tools whose results are long and can be asked for again. */
const shortenedTools: ReadonlySet<string> = new Set(["grep", "glob", "webfetch", "websearch", "skill_mcp"]);
/** However full the context is, this much is kept. */
const leastTokens = 300;
/** OpenCode reserves no more than this for an answer. */
const mostReserved = 32_000;

export interface OutputRules {
  readonly truncateAllToolOutputs?: boolean | undefined;
  readonly toolOutputLimits?: Readonly<Record<string, number>> | undefined;
}

/** How many tokens a tool's output may have; undefined if it is not shortened. */
export function outputLimit(
  tool: string,
  { truncateAllToolOutputs, toolOutputLimits = {} }: OutputRules,
  { used, limit }: { readonly used: number | undefined; readonly limit: ModelLimit | undefined },
): number | undefined {
  const own = Object.hasOwn(toolOutputLimits, tool) ? toolOutputLimits[tool] : undefined;
  if (own === undefined && truncateAllToolOutputs !== true && !shortenedTools.has(tool)) return undefined;
  const most = own ?? (Object.hasOwn(mostByTool, tool) ? mostByTool[tool]! : defaultMost);
  if (used === undefined || limit === undefined || limit.context <= 0) return most;
  const left = limit.context - Math.min(limit.output, mostReserved) - used;
  // Half of what is left: more is to come.
  return Math.max(Math.min(leastTokens, most), Math.min(most, Math.floor(left / 2)));
}

export interface Shortened {
  readonly head: string;
  readonly tail: string;
  readonly leftOut: number;
}

/** The beginning and the end, by whole lines where they fit; undefined if it is short enough. */
export function shorten(text: string, mostTokens: number): Shortened | undefined {
  if (estimateTokens(text) <= mostTokens) return undefined;
  const head = beginning(text, Math.floor(mostTokens * 4 * 0.6));
  const rest = text.slice(head.length);
  const tail = ending(rest, Math.floor(mostTokens * 4 * 0.4));
  const leftOut = rest.slice(0, rest.length - tail.length).replace(/^\n|\n$/g, "");
  return { head: head.replace(/\n$/, ""), tail, leftOut: leftOut.split("\n").length };
}

function beginning(text: string, bytes: number): string {
  const fits = cut(text, bytes);
  const line = fits.lastIndexOf("\n");
  // A line that is as long as all that is allowed is cut.
  return line < fits.length / 2 ? fits : fits.slice(0, line + 1);
}

function ending(text: string, bytes: number): string {
  const all = Buffer.from(text);
  // The first characters may be the rest of one that was cut.
  const fits = all
    .subarray(Math.max(0, all.length - bytes))
    .toString()
    .replace(/^\ufffd+/, "");
  const line = fits.indexOf("\n");
  return line === -1 || line > fits.length / 2 ? fits : fits.slice(line + 1);
}

/** At most so many bytes, and no half characters. */
function cut(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
