// Streams take longer to make than a short command takes for all the rest, so they are made only when they are needed.
import { type BigIntStats, fstatSync, statSync, writeSync } from "node:fs";
import type { Page } from "./page.ts";

export interface Output extends Page {
  readonly isTTY: boolean;
  /** How many lines a terminal shows. */
  readonly rows?: number;
  write(text: string): void;
  /** Calls back when a terminal changes its size, until the returned function is called. */
  onResize?(listener: () => void): () => void;
}

interface OutputSource {
  readonly fd: 1 | 2;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Made when it is needed. */
  stream(): NodeJS.WriteStream;
  /** Called when the terminal is gone. */
  hangUp(): void;
}

/** Some terminals report that they have no columns at all. */
const usualColumns = 80;
const usualRows = 24;

export function outputTo(source: OutputSource): Output {
  const failed = (error: NodeJS.ErrnoException): void => {
    // `hugo list | head -1`: the reader has what it wanted.
    if (error.code === "EPIPE") return;
    if (error.code !== "EIO") throw error;
    source.hangUp();
  };
  const stream = once(() => source.stream().on("error", failed));
  // A file, a pipe or nothing takes bytes without having columns. As bigints, because Node 20 keeps the other numbers of its
  // last stat: after that of a pipe it stops resolving links in the paths of modules, and loads them twice.
  const stats = process.platform === "win32" ? undefined : statsOf(() => fstatSync(source.fd, { bigint: true }));
  const plain =
    stats !== undefined &&
    (!stats.isCharacterDevice() ||
      stats.rdev === statsOf(() => statSync("/dev/null", { bigint: true }))?.rdev ||
      !process.getBuiltinModule("node:tty").isatty(source.fd));
  // What a workflow prints may be redirected later, by another `write` of the stream. A terminal's is kept from the beginning: on
  // Bun it has one of its own that is done before the process ends. A pipe's stream is only made when it is needed, so it is the
  // method of its class.
  const terminalWrite = plain ? undefined : stream().write.bind(stream());
  const streamWrite = once(
    () => terminalWrite ?? (Object.getPrototypeOf(stream()) as NodeJS.WriteStream).write.bind(stream()),
  );
  let needsStream = !plain;
  const isTTY = !plain && stream().isTTY === true;
  // FORCE_COLOR beats NO_COLOR, as in Node; without either, terminals have colours unless they say that they are dumb.
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: kind } = source.env;
  const output: Output = {
    isTTY,
    colour: forced ? forced !== "0" && forced !== "false" : isTTY && !none && kind !== "dumb",
    write: (text) => {
      if (text === "") return;
      if (needsStream) {
        streamWrite()(text);
        return;
      }
      const bytes = Buffer.from(text);
      let written = 0;
      try {
        while (written < bytes.length) written += writeSync(source.fd, bytes, written);
      } catch (error) {
        if (!(error instanceof Error && "code" in error)) throw error;
        if (error.code !== "EAGAIN") {
          failed(error as NodeJS.ErrnoException);
          return;
        }
        // The pipe does not wait for its reader; a stream knows how to.
        needsStream = true;
        streamWrite()(bytes.subarray(written));
      }
    },
  };
  if (!isTTY) return output;
  return {
    ...output,
    get columns() {
      return stream().columns || usualColumns;
    },
    get rows() {
      return stream().rows || usualRows;
    },
    onResize: (listener) => {
      stream().on("resize", listener);
      return () => void stream().off("resize", listener);
    },
  };
}

/** Undefined if the stream is closed, as after `>&-`. */
function statsOf(look: () => BigIntStats): BigIntStats | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
