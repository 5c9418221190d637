import type { ServerResponse } from "node:http";
import type { ReplyOutcome } from "./recording.ts";
import type { ReplyTurn, TurnEnd } from "./turn.ts";
import type { ReplyIdentity, Wire } from "./wire.ts";

/** Puts a turn on the line, and says how it ended. `gone` fires when the client closes the connection. */
export async function play(
  response: ServerResponse,
  wire: Wire,
  reply: ReplyIdentity,
  turn: ReplyTurn,
  gone: AbortSignal,
): Promise<ReplyOutcome> {
  if (turn.ending.kind === "status") {
    sendError(response, wire, turn.ending.status, turn.ending.message, retryHeaders(turn.ending));
    return "failed";
  }
  const streams = reply.body.stream === true;
  await (streams ? streamParts(response, wire, reply, turn, gone) : passGates(turn, gone));
  if (gone.aborted) return "aborted";
  switch (turn.ending.kind) {
    case "hang":
      await new Promise<void>((resolve) => gone.addEventListener("abort", () => resolve()));
      return "aborted";
    case "drop":
      // Cutting the socket right after a write would lose what was written.
      if (response.headersSent) await new Promise<void>((resolve) => response.write("\n", () => resolve()));
      response.socket?.destroy();
      return "dropped";
    case "finish":
      if (!streams) sendJson(response, 200, wire.whole(reply, turn));
      return "answered";
  }
}

async function streamParts(
  response: ServerResponse,
  wire: Wire,
  reply: ReplyIdentity,
  turn: ReplyTurn,
  gone: AbortSignal,
): Promise<void> {
  const encoder = wire.stream(reply);
  const send = (frames: string[]) => response.write(frames.join(""));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  send(encoder.start(turn.usage));
  for (const part of turn.parts) {
    if (part.kind === "gate") await part.gate.pass(gone);
    else send(encoder.part(part));
    if (gone.aborted) return;
  }
  if (turn.ending.kind === "finish") response.end(encoder.finish(turn).join(""));
}

async function passGates(turn: ReplyTurn, gone: AbortSignal): Promise<void> {
  for (const part of turn.parts) if (part.kind === "gate") await part.gate.pass(gone);
}

function retryHeaders(ending: Extract<TurnEnd, { kind: "status" }>): Record<string, string> {
  if (ending.retryAfter === undefined) return {};
  return {
    "retry-after": String(Math.ceil(ending.retryAfter)),
    "retry-after-ms": String(Math.round(ending.retryAfter * 1000)),
  };
}

export function sendError(
  response: ServerResponse,
  wire: Wire,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, wire.error(status, message), headers);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
