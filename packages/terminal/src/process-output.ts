// Streams take longer to make than a short command takes for all the rest, so they are made only when they are needed.
import { type BigIntStats, fstatSync, statSync, writeSync } from "node:fs";
import type { Page } from "./page.ts";

export interface Output extends Page {
  readonly isTTY: boolean;
  /** How many lines a terminal shows. */
  readonly rows?: number;
  /** A file or a pipe has all of it when this returns, however slow its reader is. */
  write(text: string): void;
  /** Whether the reader has gone, as in `atomic runs | head -1`: nothing more has to be written. */
  hasNoReader?(): boolean;
  /** Resolves when a terminal has what was written; a file or a pipe has it already. */
  written?(): Promise<void>;
  /** Calls back when a terminal has changed its size, also if it is the same again, until the returned function is called. */
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
  let hasNoReader = false;
  const failed = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    hasNoReader = true;
    // `hugo list | head -1`: the reader has what it wanted.
    if (error.code === "EIO") source.hangUp();
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
  // Kept from the beginning: what a workflow prints is redirected later, by another `write` of the stream.
  const streamWrite = plain ? undefined : stream().write.bind(stream());
  const isTTY = !plain && stream().isTTY === true;
  // FORCE_COLOR beats NO_COLOR, as in Node; without either, terminals have colours unless they say that they are dumb.
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: kind } = source.env;
  const output: Output = {
    isTTY,
    colour: forced ? forced !== "0" && forced !== "false" : isTTY && !none && kind !== "dumb",
    hasNoReader: () => hasNoReader,
    write: (text) => {
      if (text === "" || hasNoReader) return;
      if (streamWrite !== undefined) {
        streamWrite(text);
        return;
      }
      try {
        writeWhole(source.fd, Buffer.from(text));
      } catch (error) {
        if (!(error instanceof Error && "code" in error)) throw error;
        failed(error as NodeJS.ErrnoException);
      }
    },
    ...(streamWrite !== undefined && {
      written: () => new Promise<void>((resolve) => streamWrite("", () => resolve())),
    }),
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
      // The stream's own event is left out if the size is the same again, but lines may have scrolled away in between. The stream
      // hears this signal first.
      stream();
      process.on("SIGWINCH", listener);
      return () => void process.off("SIGWINCH", listener);
    },
  };
}

/** How long a reader that is ready again waits for more, at most. */
const longestPauseMs = 10;

/**
 * A pipe may not wait for its reader: a process that opens a stream on it decides that for all who share it, and a workflow's
 * code may. A stream would keep what the reader has not taken in memory, and lose it when the process ends.
 */
function writeWhole(fd: number, bytes: Buffer): void {
  let pauseMs = 0.05;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
      pauseMs = 0.05;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }
}

/**
 * Writes a long text. Its next piece is made when the one before is written, so one of them is in memory at a time; none is
 * made for a reader that has gone. Signals are heard in between.
 */
export async function writePieces(output: Output, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    output.write(piece);
    if (output.hasNoReader?.() === true) return;
    await (output.written?.() ?? new Promise((resolve) => setImmediate(resolve)));
  }
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
