import type { Prompt } from "./conversation.ts";
import type { ReplyTurn, TurnPart, TurnUsage } from "./turn.ts";

export type WireName = "chat-completions" | "responses" | "messages";

/** A wire format: how a client's request reads, and how a scripted turn is put on the line. */
export interface Wire {
  readonly name: WireName;
  /** The path it is served on. */
  readonly path: string;
  parse(body: WireObject): Prompt;
  /** A fresh encoder for one streamed reply; every returned string is one server-sent event. */
  stream(reply: ReplyIdentity): Encoder;
  /** The same reply as one JSON document. */
  whole(reply: ReplyIdentity, turn: ReplyTurn): unknown;
  error(status: number, message: string): unknown;
}

export interface ReplyIdentity {
  /** Number of the request, unique per server: ids are made from it. */
  readonly number: number;
  readonly model: string;
  /** The request body, for the few switches that change the reply's framing. */
  readonly body: WireObject;
}

export type SpokenPart = Exclude<TurnPart, { kind: "gate" }>;

export interface Encoder {
  start(usage: TurnUsage): string[];
  part(part: SpokenPart): string[];
  finish(turn: ReplyTurn): string[];
}

/** One server-sent event; `event` names it where the wire uses names. */
export function frame(data: unknown, event?: string): string {
  const payload = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${payload}\n\n`;
}

export function spokenParts(turn: ReplyTurn): SpokenPart[] {
  return turn.parts.filter((part): part is SpokenPart => part.kind !== "gate");
}

export function callsTools(turn: ReplyTurn): boolean {
  return turn.parts.some((part) => part.kind === "tool");
}

/** All text of one kind in a turn, joined as the client will see it. */
export function joined(turn: ReplyTurn, kind: "text" | "reasoning"): string {
  return turn.parts.flatMap((part) => (part.kind === kind ? [part.text] : [])).join("");
}

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

/** The text of a message's content: a string, or parts of which some have text. */
export function textOf(content: WireJson | undefined, isText: (part: WireObject) => boolean = () => true): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .filter(isText)
    .map((part) => asString(part.text))
    .join("\n");
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
