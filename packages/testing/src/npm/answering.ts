// Puts an answer on the wire, with the faults it has to show.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RegistryFault, MetFault } from "./faults.ts";
import type { RegistryAnswer } from "./routes.ts";

/** What the client got to see: a status, or a connection that broke. */
export type RegistryOutcome = number | "reset";

/** Waits for gates and lets a `status` fault take the answer's place. */
export async function faultyAnswer(faults: readonly MetFault[], answer: () => RegistryAnswer): Promise<RegistryAnswer> {
  for (const { fault, released } of faults) if (fault.kind === "slow") await released;
  const status = has(faults, "status")?.status;
  return status === undefined ? answer() : { status, content: { error: `a fault answers with ${status}` } };
}

export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RegistryAnswer,
  faults: readonly MetFault[],
): Promise<RegistryOutcome> {
  const reset = has(faults, "reset");
  if (reset?.at === "headers") return breakConnection(request);

  const whole = bytesOf(answer);
  const cut = has(faults, "truncated") ?? has(faults, "corrupt-json");
  const body = cut ? half(whole) : whole;
  const etag = `"${createHash("sha1").update(body).digest("hex")}"`;
  if (answer.status === 200 && faults.length === 0 && request.headers["if-none-match"] === etag) {
    response.writeHead(304, { etag }).end();
    return 304;
  }
  response.writeHead(answer.status, {
    "content-type": Buffer.isBuffer(answer.content) ? "application/octet-stream" : "application/json",
    "content-length": body.length,
    // Clients may keep what they got, but must ask again: a test publishes and installs in the same second.
    "cache-control": "no-cache",
    ...(answer.status === 200 ? { etag } : {}),
  });
  if (reset) {
    await new Promise<void>((written) => response.write(half(body), () => written()));
    return breakConnection(request);
  }
  response.end(request.method === "HEAD" ? undefined : body);
  return answer.status;
}

function has<Kind extends RegistryFault["kind"]>(
  faults: readonly MetFault[],
  kind: Kind,
): Extract<RegistryFault, { kind: Kind }> | undefined {
  return faults.map((it) => it.fault).find((it): it is Extract<RegistryFault, { kind: Kind }> => it.kind === kind);
}

function bytesOf({ content }: RegistryAnswer): Buffer {
  return Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

function breakConnection(request: IncomingMessage): "reset" {
  request.socket.destroy();
  return "reset";
}
