import type { Json } from "../json.ts";
import { cut, type Piece, sizeOf } from "../large-value.ts";
import { PermanentError, recordError } from "../step-errors.ts";

export interface ResultLimits {
  /** Longer results are kept outside of the journal. Default 16 KiB. */
  readonly inlineBytes: number;
  /** Longer results of a step are refused. Default 48 MiB. */
  readonly maxBytes: number;
  /** How much of what is kept outside of the journal also stays in memory. Default 64 MiB. */
  readonly recentBytes: number;
}

export const defaultLimits: ResultLimits = {
  inlineBytes: 16 * 1024,
  maxBytes: 48 * 1024 * 1024,
  recentBytes: 64 * 1024 * 1024,
};

/** The value as it will be after a crash, so no program depends on what the journal cannot keep. */
export type Encoded = { readonly value: Json; readonly piece: Piece | undefined };

/** Sets `piece` only if the value is too long for a record. Throws if it is not JSON, or too long to keep. */
export function encode(value: unknown, limits: Omit<ResultLimits, "recentBytes">, what = "result"): Encoded {
  if (value === undefined || value === null) return { value: null, piece: undefined };
  // JSON has no -0: added to 0 it is 0.
  if (typeof value === "number" && Number.isFinite(value)) return { value: value + 0, piece: undefined };
  if (typeof value === "boolean") return { value, piece: undefined };
  const copied = plainCopy(value, limits.inlineBytes);
  if (copied !== undefined) return { value: copied, piece: undefined };
  let piece: Piece | undefined;
  try {
    piece = cut(value, limits.inlineBytes);
  } catch (cause) {
    // A circle, a BigInt, or a toJSON that throws.
    const { message } = recordError(cause);
    throw new PermanentError(`the ${what} cannot be stored: ${message}`, { code: "not-json", cause });
  }
  if (piece === undefined) {
    throw new PermanentError(`the ${what} cannot be stored: a ${typeof value} is not JSON`, { code: "not-json" });
  }
  if (piece.parts.length === 0 && piece.bytes <= limits.inlineBytes) return { value: piece.value, piece: undefined };
  const bytes = sizeOf(piece);
  if (bytes <= limits.maxBytes) return { value: piece.value, piece };
  const message = `the ${what} has ${binarySize(bytes)}, but a journal can hold at most ${binarySize(limits.maxBytes)}`;
  throw new PermanentError(message, { code: "result-too-large" });
}

/** Up, so what is too large does not look like what is not. */
function binarySize(bytes: number): string {
  if (bytes < 1024 * 1024) return `${bytes} bytes`;
  return `${Math.ceil((bytes / 1024 / 1024) * 10) / 10} MiB`;
}

/** Deeper values are left to JSON itself. */
const deepest = 20;

/**
 * A copy of plain data: the same as through JSON and back, but faster. Undefined for what JSON would change, for objects
 * with a `toJSON`, and for what may have more bytes than given.
 */
export function plainCopy(value: unknown, bytes: number): Json | undefined {
  const room = { bytes };
  const copied = copy(value, room, 0);
  return room.bytes < 0 ? undefined : copied;
}

function copy(value: unknown, room: { bytes: number }, depth: number): Json | undefined {
  if (typeof value === "string") {
    // A control character takes six bytes, and no other one takes more.
    room.bytes -= value.length * 6 + 2;
    return value;
  }
  if (typeof value === "number") {
    room.bytes -= 25;
    return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined;
  }
  if (typeof value === "boolean") {
    room.bytes -= 5;
    return value;
  }
  if (typeof value !== "object") return undefined;
  room.bytes -= 4;
  if (value === null) return null;
  if (depth === deepest || room.bytes < 0) return undefined;
  const isList = Array.isArray(value);
  const prototype = isList ? Array.prototype : Object.prototype;
  if (Object.getPrototypeOf(value) !== prototype || "toJSON" in value) return undefined;
  if (isList) {
    const list: Json[] = [];
    for (let at = 0; at < value.length; at++) {
      const item = copy(value[at], room, depth + 1);
      if (item === undefined || room.bytes < 0) return undefined;
      room.bytes -= 1;
      list.push(item);
    }
    return list;
  }
  const object: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return undefined;
    room.bytes -= key.length * 6 + 4;
    const inner = copy((value as Record<string, unknown>)[key], room, depth + 1);
    if (inner === undefined) return undefined;
    object[key] = inner;
  }
  return object;
}
