import { type Loose, object, text } from "./loose.ts";

/** Something that happened in a session. */
export interface OpencodeEvent {
  readonly type: string;
  readonly session: string;
  readonly properties: Loose;
}

/** `undefined` for what is no event, or not about a session. */
export function readEvent(data: string): OpencodeEvent | undefined {
  const { type, properties } = object(object(parse(data)).payload);
  const details = object(properties);
  const session = text(details.sessionID) ?? text(object(details.info).id);
  return typeof type === "string" && session !== undefined ? { type, session, properties: details } : undefined;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
