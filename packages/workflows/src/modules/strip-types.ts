// Removes the types from TypeScript and leaves everything else in place, so the line and column of errors stay correct.
import * as nodeModule from "node:module";

/** The parser's message, and its position, counted from 1. */
export class TypeScriptSyntaxError extends SyntaxError {
  override readonly name = "TypeScriptSyntaxError";
  /** `UnsupportedSyntax` is valid TypeScript that would need compiling: enums, namespaces, parameter properties. */
  readonly code: string;
  readonly position: { readonly file: string; readonly line: number; readonly column: number };

  constructor(file: string, { code, message, startLine, startColumn }: SwcError) {
    super(message);
    this.code = code;
    this.position = { file, line: startLine, column: startColumn + 1 };
  }
}

/** What the package throws; it is not an `Error`. */
interface SwcError {
  readonly code: string;
  readonly message: string;
  readonly startLine: number;
  readonly startColumn: number;
}

/** Exists since Node 22.13; Node 20's types lack it. */
const { stripTypeScriptTypes } = nodeModule as { stripTypeScriptTypes?: (text: string) => string };

export function stripTypes(text: string, file: string): string {
  if (stripTypeScriptTypes !== undefined) {
    const { emitWarning } = process;
    // Node warns that this is experimental, which does not help the user of a workflow.
    process.emitWarning = () => undefined;
    try {
      return stripTypeScriptTypes(text);
    } catch (error) {
      // Node reports the position only in its error's text; the package that Node's stripper is built on has numbers.
      if (!(error instanceof SyntaxError)) throw error;
    } finally {
      process.emitWarning = emitWarning;
    }
  }
  // Loaded only when needed: it takes 3.6 MB.
  const require = nodeModule.createRequire(import.meta.url);
  const { transformSync } = require("@swc/wasm-typescript") as typeof import("@swc/wasm-typescript");
  try {
    return transformSync(text, { mode: "strip-only", module: true, filename: file }).code;
  } catch (error) {
    if (error instanceof Object && "startLine" in error) throw new TypeScriptSyntaxError(file, error as SwcError);
    throw error;
  }
}
