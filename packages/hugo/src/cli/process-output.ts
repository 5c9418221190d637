// Streams take longer to make than a short command takes for all the rest, so that nobody makes them without a need.
import { fstatSync, type Stats, statSync, writeSync } from "node:fs";
import type { Console, Output } from "./console.ts";

export interface OutputSource {
  readonly fd: 1 | 2;
  readonly env: Console["env"];
  /** Made when it is needed. */
  stream(): NodeJS.WriteStream;
}

/** Some terminals say that they have no columns at all. */
const usualColumns = 80;

export function outputTo(source: OutputSource): Output {
  const stream = once(() => source.stream().on("error", endQuietly));
  const plain = isPlain(source.fd);
  const write = plain ? plainWriter(source.fd, stream) : (text: string) => void stream().write(text);
  const isTTY = !plain && stream().isTTY === true;
  return {
    isTTY,
    colour: isTTY && !source.env.NO_COLOR && source.env.TERM !== "dumb",
    ...(isTTY && { columns: stream().columns || usualColumns }),
    write: (text) => {
      if (text !== "") write(text);
    },
  };
}

/** `hugo list | head -1`: the reader has what it wanted. Or the window is closed, and nobody reads any more. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
}

/** A file, a pipe or nothing: whatever takes bytes without having columns. */
function isPlain(fd: number): boolean {
  if (process.platform === "win32") return false;
  const stats = statsOf(() => fstatSync(fd));
  if (stats === undefined) return false;
  if (!stats.isCharacterDevice() || stats.rdev === statsOf(() => statSync("/dev/null"))?.rdev) return true;
  return !process.getBuiltinModule("node:tty").isatty(fd);
}

/** Nothing if there is no such thing, as after `>&-`. */
function statsOf(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

function plainWriter(fd: number, stream: () => NodeJS.WriteStream): (text: string) => void {
  let write = (text: string): void => {
    const bytes = Buffer.from(text);
    const written = writeAll(fd, bytes);
    if (written === bytes.length) return;
    // Whoever started us has made the pipe one that does not wait; a stream knows how to.
    write = (more) => void stream().write(more);
    stream().write(bytes.subarray(written));
  };
  return (text) => write(text);
}

/** How many bytes it could write; all of them, unless the reader is slow. */
function writeAll(fd: number, bytes: Uint8Array): number {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code === "EAGAIN") return written;
    endQuietly(error as NodeJS.ErrnoException);
    return bytes.length;
  }
  return written;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
