// The plugin's whole life in a process of its own, which ends by itself if nothing is left to do.
import plugin from "../../src/plugin.ts";
import { opencodeClient } from "../plugin/live/opencode-client.ts";

const listeners = (): object =>
  Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
const before = listeners();
const hooks = await plugin.server(opencodeClient(process.cwd()));
await hooks.config?.({});
const message = { id: "msg_1", agent: "build", model: { providerID: "p", modelID: "m" } };
const parts = [{ id: "prt_1", type: "text", text: "ultrawork, please" }];
type Hook = (input: object, output?: object) => Promise<void>;
const { "chat.message": onMessage, event, dispose } = hooks as Record<string, Hook>;
await onMessage!({ sessionID: "ses_1", agent: "build" }, { message, parts });
await event!({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
await event!({ event: { type: "session.deleted", properties: { info: { id: "ses_1" } } } });
await dispose!({});
console.log(JSON.stringify({ before, after: listeners(), said: parts.length }));
