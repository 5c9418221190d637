/** Reading JSON that a client sent: a missing or wrongly typed field reads as absent, so that wires parse without casts. */
export type WireJson = null | boolean | number | string | WireJson[] | WireObject;
export type WireObject = { [key: string]: WireJson | undefined };

export function isObject(value: WireJson | undefined): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asObject(value: WireJson | undefined): WireObject {
  return isObject(value) ? value : {};
}

export function asObjects(value: WireJson | undefined): WireObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

export function asString(value: WireJson | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Parsed JSON, or the text itself when it is not JSON: a model may send broken tool arguments on purpose. */
export function parseLoosely(text: string): WireJson {
  try {
    return JSON.parse(text) as WireJson;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
