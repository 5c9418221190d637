// One file can keep the real OpenCode from starting; our view of it must say the same.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { opencodeServe } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { opencode } from "../../src/entities/formats/opencode.ts";
import { loadFormat } from "../../src/entities/load.ts";
import { loadVerdicts } from "../../src/entities/tools/load-verdicts.ts";
import { viewAs } from "../../src/entities/tools/view-as.ts";
import { listedByOpencode, opencodeLines } from "./listed-by-opencode.ts";
import { entriesOf, type Listing, withoutBuiltins } from "./listing.ts";
import { agentKeys, commandKeys, configAgents } from "./trees/opencode-keys.ts";

setDefaultTimeout(120_000);

let project: Project;
let server: Awaited<ReturnType<typeof opencodeServe>>;
let builtins: Listing;

beforeAll(async () => {
  project = await tmpProject();
  server = await opencodeServe(project);
  builtins = await listedIn(project.dir);
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await project?.[Symbol.asyncDispose]();
});

async function listedIn(folder: string): Promise<Listing> {
  const answer = await listedByOpencode(server.url, project, folder);
  if (answer.kind === "failed") throw new Error(answer.error);
  return answer.lines;
}

type Outcome = Listing | "fatal";

/** One server serves many folders; one that it cannot start in does not affect the others. */
async function outcomesOf(file: string, content: string): Promise<{ ours: Outcome; theirs: Outcome }> {
  folders += 1;
  const folder = join(dirname(project.dir), "rows", String(folders));
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), content);
  const { entities } = loadFormat(opencode, folder, "project");
  const view = viewAs("opencode", entities);
  const isFatal = entities.some((entity) => loadVerdicts(entity).some(({ fatal }) => fatal === true));
  expect(isFatal).toBe(view.fatal.length > 0);
  const answer = await listedByOpencode(server.url, project, folder);
  return {
    ours: isFatal ? "fatal" : entriesOf(view).flatMap((entry) => opencodeLines(entry, project)),
    theirs: answer.kind === "failed" ? "fatal" : withoutBuiltins(answer.lines, builtins),
  };
}

let folders = 0;

/** No two alike: OpenCode remembers what it has read by the text. */
function markdown(keys: string, file: string): string {
  const described = keys.startsWith("description") ? "" : `description: With ${JSON.stringify(keys)}\n`;
  return `---\n${described}${keys}\n---\nBody of ${file}\n`;
}

test.each([
  [".opencode/agents/row.md", agentKeys],
  [".opencode/mode/row.md", agentKeys],
  [".opencode/commands/row.md", commandKeys],
])("%s is loaded, dropped or fatal as in our view, whatever its keys", async (file, rows) => {
  const outcomes = await Promise.all(rows.map((keys) => outcomesOf(file, markdown(keys, file))));
  const table = (whose: "ours" | "theirs"): unknown => rows.map((keys, i) => [keys, outcomes[i]?.[whose]]);
  expect(table("ours")).toEqual(table("theirs"));
});

test("an agent in opencode.json is loaded or fatal as in our view", async () => {
  for (const agent of configAgents) {
    const { ours, theirs } = await outcomesOf("opencode.json", JSON.stringify({ $schema: "x", agent: { row: agent } }));
    expect({ agent, outcome: ours }).toEqual({ agent, outcome: theirs });
  }
});

test("OpenCode remembers texts, so an unquoted colon costs the second of two equal files its frontmatter", async () => {
  const text = "---\ndescription: Use when: two files are alike\n---\nBody\n";
  await project.write(".opencode/agents/copy.md", text);
  await project.write(".opencode/commands/copy.md", text);
  await server.restart();
  const theirs = withoutBuiltins(await listedIn(project.dir), builtins);
  expect(theirs.map(({ type, description }) => [type, description])).toEqual([
    ["agent", ""],
    ["command", "Use when: two files are alike"],
  ]);
  const { agents } = viewAs("opencode", loadFormat(opencode, project.dir, "project").entities);
  expect(agents[0]?.description).toBe("Use when: two files are alike");
});
