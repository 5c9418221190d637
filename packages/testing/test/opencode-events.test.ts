import { expect, test } from "bun:test";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EventLog } from "@atomic/testing/opencode/events";

/** A server whose event stream the test writes byte by byte: the real one cannot be made to split a frame. */
async function eventSource(): Promise<{ url: string; write: (text: string) => void } & AsyncDisposable> {
  const streams: ServerResponse[] = [];
  const server = createServer((_, response) => {
    streams.push(response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frame({ type: "server.connected", properties: {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    write: (text) => streams.forEach((stream) => void stream.write(text)),
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function frame(payload: object, directory = "/project"): string {
  return `data: ${JSON.stringify({ directory, payload })}\n\n`;
}

const idle = (sessionID: string) => ({ type: "session.idle", properties: { sessionID } });

test("events are whole even when the line delivers them in pieces", async () => {
  await using source = await eventSource();
  const log = new EventLog();
  await log.listenTo(source.url);
  const text = frame(idle("ses_é"));
  const wait = log.waitFor("session.idle");
  for (const piece of [text.slice(0, 9), text.slice(9, -1), text.slice(-1)]) source.write(piece);
  expect(await wait).toEqual({
    directory: "/project",
    type: "session.idle",
    sessionID: "ses_é",
    properties: { sessionID: "ses_é" },
  });
  log.close();
});

test("several events of one piece are all recorded, heartbeats and copies are not", async () => {
  await using source = await eventSource();
  const log = new EventLog();
  await log.listenTo(source.url);
  const noise = [
    { type: "server.heartbeat", properties: {} },
    { type: "sync", name: "session.idle" },
  ];
  source.write([...noise, idle("ses_1"), ...noise, idle("ses_2")].map((payload) => frame(payload)).join(""));
  source.write(": a comment\n\n");
  await log.waitFor("session.idle", { sessionID: "ses_2" });
  expect(log.events.map(({ type, sessionID }) => [type, sessionID])).toEqual([
    ["server.connected", undefined],
    ["session.idle", "ses_1"],
    ["session.idle", "ses_2"],
  ]);
  log.close();
});

test("waits can be limited by session, kind, predicate and position", async () => {
  await using source = await eventSource();
  const log = new EventLog();
  await log.listenTo(source.url);
  const second = log.waitFor("session.idle", { sessionID: "ses_2" });
  const elsewhere = log.waitFor((event) => event.directory === "/other");
  source.write(frame(idle("ses_1")) + frame(idle("ses_2")) + frame(idle("ses_3"), "/other"));
  expect((await second).sessionID).toBe("ses_2");
  expect((await elsewhere).sessionID).toBe("ses_3");
  const after = log.events.length;
  const again = log.waitFor("session.idle", { sessionID: "ses_1", after });
  source.write(frame({ type: "session.idle", properties: { sessionID: "ses_1", again: true } }));
  expect((await again).properties).toMatchObject({ again: true });
  log.close();
});

test("a stream that breaks off keeps what was recorded and rejects pending waits at once, with the reason", async () => {
  const source = await eventSource();
  const log = new EventLog(async () => "The server has burnt down.");
  await log.listenTo(source.url);
  source.write(frame(idle("ses_1")));
  await log.waitFor("session.idle");
  const waiting = log.waitFor("session.error", { deadline: 600_000 });
  await source[Symbol.asyncDispose]();
  await expect(waiting).rejects.toThrow("No session.error: The server has burnt down. The newest events:");
  expect(log.events).toHaveLength(2);
  await expect(log.waitFor("session.error", { deadline: 600_000 })).rejects.toThrow("The server has burnt down.");
  expect(await log.waitFor("session.idle")).toMatchObject({ sessionID: "ses_1" });
});

test("closing a log rejects pending waits", async () => {
  await using source = await eventSource();
  const log = new EventLog();
  await log.listenTo(source.url);
  const waiting = log.waitFor("session.idle", { deadline: 600_000 });
  log.close();
  await expect(waiting).rejects.toThrow("No session.idle: The server was stopped.");
});

test("a server that does not exist is an immediate error", async () => {
  const source = await eventSource();
  await source[Symbol.asyncDispose]();
  await expect(new EventLog().listenTo(source.url)).rejects.toThrow();
});
