// The table of permissions, tried call by call on the real OpenCode with the agents as they are published.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type Call, permissionTable, reportCall, type Verdict } from "./permission-table.ts";

type Server = Awaited<ReturnType<typeof opencodeServe>>;
const agentsDir = join(import.meta.dirname, "../../agents");

let model: ModelServer;
let project: Project;
let server: Server;

beforeAll(async () => {
  model = await modelServer();
  project = await tmpProject({ files: { ...(await publishedAgents()), "src/app.html": "<html></html>\n" } });
  server = await opencodeServe(project, { model });
}, 60_000);

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

test("every agent has its row in the table", async () => {
  const names = Object.keys(await publishedAgents()).map((path) => path.replace(/^.*\/|\.md$/g, ""));
  expect(Object.keys(permissionTable).toSorted()).toEqual(names.toSorted());
});

describe("OpenCode grants what the table says", () => {
  test.each(Object.entries(permissionTable))("to the %s", async (agent, rows) => {
    const expected = rows.map(({ what, verdict }) => [what, verdict]);
    const found = await verdictsOn(
      agent,
      rows.map(({ call }) => call),
    );
    expect(rows.map(({ what }, index) => [what, found[index]])).toEqual(expected);
    expect(await project.tree("src")).not.toContain("made.txt");
  });
});

describe("reports can be written wherever the project lies", () => {
  const calls = [reportCall, { ...reportCall, args: { ...reportCall.args, filePath: "src/lib/made.md" } }];

  test("in a folder of a larger repository", async () => {
    await project.write("apps/web/package.json", {});
    expect(await verdictsOn("reviewer", calls, project.path("apps/web"))).toEqual(["allow", "deny"]);
  });

  test("without git", async () => {
    await using plain = await tmpProject({ git: false, files: await publishedAgents() });
    expect(await verdictsOn("reviewer", calls, plain.dir)).toEqual(["allow", "deny"]);
  });
});

async function publishedAgents(): Promise<Record<string, string>> {
  const names = await readdir(agentsDir);
  const files = names.map(async (name) => [`.opencode/agents/${name}`, await readFile(join(agentsDir, name), "utf8")]);
  return Object.fromEntries(await Promise.all(files));
}

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
