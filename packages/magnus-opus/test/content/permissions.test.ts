// The table of permissions, tried call by call on the real OpenCode with the agents as they are published.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type Call, permissionTable, reportCall, type Verdict } from "./permission-table.ts";
import { publishedFiles } from "./published-files.ts";

type Server = Awaited<ReturnType<typeof opencodeServe>>;

const published = await publishedFiles();
const namesIn = (folder: string): string[] =>
  Object.keys(published).flatMap((path) => new RegExp(`/${folder}/([\\w-]+)`).exec(path)?.[1] ?? []);

let model: ModelServer;
let project: Project;
let server: Server;

beforeAll(async () => {
  model = await modelServer();
  project = await tmpProject({ files: { ...published, "src/app.html": "<html></html>\n" } });
  server = await opencodeServe(project, { model });
}, 180_000);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

test("OpenCode has every agent, command and skill", async () => {
  const { data: agents = [] } = await server.client.app.agents();
  const { data: commands = [] } = await server.client.command.list();
  const { data: skills = [] } = await server.client.app.skills();
  expect(agents.map(({ name }) => name)).toEqual(expect.arrayContaining(namesIn("agents")));
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(namesIn("commands")));
  expect(skills.map(({ name }) => name)).toEqual(expect.arrayContaining(namesIn("skills")));
  const ours = agents.filter(({ name }) => namesIn("agents").includes(name));
  expect(ours.filter(({ options }) => Object.keys(options).length > 0)).toEqual([]);
});

test("every agent has its row in the table", () => {
  expect(Object.keys(permissionTable).toSorted()).toEqual(namesIn("agents").toSorted());
});

test("an agent gets the workflow's tools that it needs", async () => {
  const { data: agents = [] } = await server.client.app.agents();
  const tools = ["magnus_start", "magnus_next", "magnus_status", "magnus_sessions", "run_tests", "submit_review"];
  const given = agents
    .filter(({ name }) => namesIn("agents").includes(name))
    .map(({ name, permission }) => [name, tools.filter((tool) => permission.some((rule) => rule.permission === tool))]);
  expect(Object.fromEntries(given)).toEqual({
    orchestrator: ["magnus_start", "magnus_next", "magnus_status", "magnus_sessions", "run_tests"],
    architect: [],
    developer: ["run_tests"],
    backend: ["run_tests"],
    designer: ["submit_review"],
    "ui-developer": ["run_tests"],
    reviewer: ["submit_review"],
    "plan-reviewer": ["submit_review"],
    tester: ["run_tests"],
    explorer: [],
    cleaner: ["magnus_sessions"],
  });
});

describe("OpenCode grants what the table says", () => {
  test.each(Object.entries(permissionTable))("to the %s", async (agent, rows) => {
    const expected = rows.map(({ what, verdict }) => [what, verdict]);
    const found = await verdictsOn(
      agent,
      rows.map(({ call }) => call),
    );
    expect(rows.map(({ what }, index) => [what, found[index]])).toEqual(expected);
    expect(await project.tree()).not.toContain("made.txt");
  });
});

describe("reports can be written wherever the project is", () => {
  const calls = [reportCall, { ...reportCall, args: { ...reportCall.args, filePath: "src/lib/made.md" } }];

  test("in a subfolder of a larger repository", async () => {
    await project.write("apps/web/package.json", {});
    expect(await verdictsOn("reviewer", calls, project.path("apps/web"))).toEqual(["allow", "deny"]);
  });

  test("without git", async () => {
    await using plain = await tmpProject({ git: false, files: published });
    expect(await verdictsOn("reviewer", calls, plain.dir)).toEqual(["allow", "deny"]);
  });
});

/** One model makes all the calls in one breath; a person who is asked says yes, once. */
async function verdictsOn(agent: string, calls: readonly Call[], directory = project.dir): Promise<Verdict[]> {
  const opening = `try everything as ${agent}`;
  let turn = model.expect(opening);
  for (const { tool, args } of calls) turn = turn.tool(tool, args);
  turn.then.reply("tried");
  model.expect("stop at once").reply("stopped").always();

  const session = await server.session({ directory });
  const answered = session.prompt(opening, { agent });
  const asked = await grantAll(session.id, answered, directory);
  await answered;
  const parts = (await session.messages()).flatMap(({ parts }) => parts).filter((part) => part.type === "tool");
  return parts.map(({ callID, tool, state }) => {
    if (asked.has(callID)) return "ask";
    if (tool === "invalid") return "deny"; // what OpenCode makes of a call of a tool that the agent does not have
    return state.status === "error" && /prevents you|unavailable tool/.test(state.error) ? "deny" : "allow";
  });
}

/** The calls that OpenCode asks a person about. */
async function grantAll(
  sessionID: string,
  until: Promise<unknown>,
  directory: string,
): Promise<Set<string | undefined>> {
  const asked = new Set<string | undefined>();
  const ids = new Set<string>();
  const over = until.then(() => undefined);
  for (;;) {
    const asking = server.waitForEvent(
      (event) => event.type === "permission.asked" && event.sessionID === sessionID && !ids.has(idOf(event)),
    );
    const event = await Promise.race([asking, over]);
    if (event === undefined) return asked;
    ids.add(idOf(event));
    asked.add((event.properties as { tool?: { callID: string } }).tool?.callID);
    await server
      .clientFor(directory)
      .permission.reply({ requestID: idOf(event), reply: "once" }, { throwOnError: true });
  }
}

function idOf({ properties }: { properties: unknown }): string {
  return (properties as { id: string }).id;
}
