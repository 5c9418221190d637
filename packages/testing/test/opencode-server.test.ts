import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import type { ServerEvent } from "@atomic/testing/opencode/events";
import type { OpencodeServer } from "@atomic/testing/opencode/server";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

// One server for the whole file: it starts once, and each test has its own sessions.
let model: ModelServer;
let project: Project;
let server: OpencodeServer;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  model = stack.use(await modelServer());
  project = stack.use(await tmpProject());
  server = stack.use(await opencodeServe(project, { model }));
});
afterEach(() => model.verify());
afterAll(() => stack.disposeAsync());

test("one server serves several projects", async () => {
  await using other = await tmpProject({ files: { "AGENTS.md": "Speak of other things." } });
  model
    .expect({ user: "where", system: /other things/ })
    .tool("bash", { command: "pwd", description: "Where" })
    .then.reply((r) => `in ${r.toolResults}`);
  const answer = await server.ask("where", { directory: other.dir });
  expect(answer.text.trim()).toBe(`in ${other.dir}`);
  expect(server.events.filter((event) => event.sessionID === answer.sessionID).map((e) => e.directory)).toContain(
    other.dir,
  );
});

test("a request that the script does not know ends the turn at once and fails the test", async () => {
  const answer = await server.ask("a surprise");
  expect(answer.error).toMatchObject({ name: "APIError", data: { statusCode: 400, isRetryable: false } });
  expect(model.prompts).toHaveLength(1);
  expect(() => model.verify()).toThrow(/\+ {3}user {4}"a surprise"\n\+ {3}tools {3}bash, edit/);
});

test("titles need no script", async () => {
  model.expect("anything").reply("something");
  const { sessionID } = await server.ask("anything");
  const isTitled = ({ type, properties }: ServerEvent) =>
    type === "session.updated" && (properties.info as { title: string }).title === "Scripted title";
  await server.waitForEvent(isTitled, { sessionID });
  expect(errandsOf(sessionID)).toEqual(["title", undefined]);
});

test("a session with its own title does not ask for one", async () => {
  model.expect("anything").reply("something");
  const { sessionID } = await server.ask("anything", { title: "Mine" });
  expect(errandsOf(sessionID)).toEqual([undefined]);
});

test("a wait for an event that does not come lists the newest ones", async () => {
  model.expect("hello").reply("hi");
  const { sessionID } = await server.ask("hello");
  const wait = server.waitForEvent("session.deleted", { sessionID, deadline: 1 });
  await expect(wait).rejects.toThrow(new RegExp(`No session.deleted of ${sessionID} within 1 ms[\\s\\S]*session.idle`));
});

test("a mark separates old events from new ones", async () => {
  model.expect("one").reply("1");
  model.expect("two").reply("2");
  const session = await server.session();
  await session.prompt("one");
  const after = server.events.length;
  await session.prompt("two");
  const idle = await server.waitForEvent("session.idle", { sessionID: session.id, after });
  expect(server.events.indexOf(idle)).toBeGreaterThanOrEqual(after);
});

function errandsOf(sessionID: string): (string | undefined)[] {
  return model.requests.flatMap(({ session, side }) => (session === sessionID ? [side] : [])).sort();
}
