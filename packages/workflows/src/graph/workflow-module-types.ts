// Takes the types out of TypeScript and leaves everything else where it was, so that places in errors stay right.
import * as nodeModule from "node:module";

/** The parser's own words, and where, from 1. */
export class TypeScriptSyntaxError extends SyntaxError {
  override readonly name = "TypeScriptSyntaxError";
  readonly position: { readonly file: string; readonly line: number; readonly column: number } | undefined;

  constructor(message: string, position: TypeScriptSyntaxError["position"], cause: unknown) {
    super(message, { cause });
    this.position = position;
  }
}

export type StripTypes = (text: string, file: string) => string;

/** From Node 22.13 on a part of Node; the types of Node 20 do not know it. */
const { stripTypeScriptTypes } = nodeModule as { stripTypeScriptTypes?: (text: string) => string };

/** Loads what is needed, and only here: it takes a while. Rejects if this runtime needs a package that is missing. */
export async function typeStripper(): Promise<StripTypes> {
  return stripTypeScriptTypes === undefined ? await packageStripper() : nativeStripper(stripTypeScriptTypes);
}

function nativeStripper(strip: (text: string) => string): StripTypes {
  return (text, file) => {
    try {
      return withoutWarning(() => strip(text));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const place = placeByCaret(error.stack ?? "");
      throw new TypeScriptSyntaxError(error.message, place && { file, ...place }, error);
    }
  };
}

/** The file and `:2`, some lines with a caret below the last one, then the message: so Node shows where. */
export function placeByCaret(text: string): { readonly line: number; readonly column: number } | undefined {
  const [, line, space] = /^[^\n]*:(\d+)\n(?:[^\n]*\n)*?( *)\^/.exec(text) ?? [];
  return line === undefined || space === undefined ? undefined : { line: Number(line), column: space.length + 1 };
}

/** Node says once a process that its stripper is experimental, which is of no use to who runs a workflow. */
function withoutWarning<T>(run: () => T): T {
  const emitWarning = process.emitWarning as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    if (!String(args[0]).startsWith("stripTypeScriptTypes ")) emitWarning.apply(process, args);
  };
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** What the stripper of Node itself is made of, for those that have none. */
async function packageStripper(): Promise<StripTypes> {
  const { transformSync } = (await import("@swc/wasm-typescript")).default;
  return (text, file) => {
    try {
      return transformSync(text, { mode: "strip-only", module: true, filename: file }).code;
    } catch (error) {
      const { message, startLine, startColumn } = error as Record<string, unknown>;
      if (typeof message !== "string" || typeof startLine !== "number") throw error;
      const column = typeof startColumn === "number" ? startColumn + 1 : 1;
      throw new TypeScriptSyntaxError(message, { file, line: startLine, column }, error);
    }
  };
}
