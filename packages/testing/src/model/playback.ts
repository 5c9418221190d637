import type { ServerResponse } from "node:http";
import type { ReplyOutcome } from "./recording.ts";
import type { ReplyTurn } from "./turn.ts";
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
    const { status, message, retryAfter } = turn.ending;
    const retry =
      retryAfter === undefined
        ? {}
        : {
            "retry-after": String(Math.ceil(retryAfter)),
            "retry-after-ms": String(Math.round(retryAfter * 1000)),
          };
    sendJson(response, status, wire.error(status, message), retry);
    return "failed";
  }
  const streams = reply.body.stream === true;
  const encoder = wire.stream(reply);
  if (streams) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.write(encoder.start(turn.usage).join(""));
  }
  for (const part of turn.parts) {
    if (part.kind === "gate") await part.gate.pass(gone);
    else if (streams) response.write(encoder.part(part).join(""));
    if (gone.aborted) break;
  }
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
      if (streams) response.end(encoder.finish(turn).join(""));
      else sendJson(response, 200, wire.whole(reply, turn));
      return "answered";
  }
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
