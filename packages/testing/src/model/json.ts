/** Reading JSON that a client sent: a missing or wrongly typed field reads as absent, so that wires parse without casts. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json | undefined };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function asObjects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

export function asString(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Parsed JSON, or the text itself when it is not JSON: a model may send broken tool arguments on purpose. */
export function parseLoosely(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
