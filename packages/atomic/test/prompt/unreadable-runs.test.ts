// Runs that cannot be read when `atomic` opens, and can be read later.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { plainPrompt } from "../../src/prompt/plain-prompt.ts";
import { contextIn } from "../atomic.ts";
import { build } from "../program.ts";
import { begin, newGraph } from "../runs/begun.ts";
import { both, longWait, node, opened, sampled, screen } from "./opened.ts";
import { silentDatabase } from "./silent-database.ts";

setDefaultTimeout(180_000);
beforeAll(build);

const asking = newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" }));
const wrong = { ".atomic/config.json": '{"engine":5}' };

describe.each(both)("on $name", ({ command }) => {
  test("runs are shown, started and answered as soon as they can be read", async () => {
    await using project = await sampled();
    await project.write(".atomic/config.json", wrong[".atomic/config.json"]);
    await begin(project, asking);
    await using term = await opened(project, command, { rows: 30 });
    await term.waitFor('"engine" is not text', longWait);
    term.type("/answer\r");
    await term.waitFor(/> \/answer[\s\S]*"engine" is not text/, longWait);
    await project.write(".atomic/config.json", "{}");
    await term.waitFor("? Publish the old one?  /answer calm-otter", longWait);
    term.type("/asking\r");
    await term.waitFor("? Publish 1.4.0?", longWait);
    term.type("/answer calm-otter\r");
    await term.waitFor("yes or no:", longWait);
    term.press("ctrl+d");
    await term.waitFor(/You can also answer it[\s\S]*Type a task/, longWait);
    term.press("ctrl+d");
    await term.exit;
    expect(screen(term).at(-1)).toMatch(/^Still running: [a-z]+-[a-z]+\. `atomic runs` lists them\.$/);
  });
});

test("a database that is away is not a command to repeat", async () => {
  await using database = await silentDatabase();
  await using project = await sampled();
  await using term = await opened(project, node?.command, { env: database.env, cols: 200 });
  await database.connected(1);
  database.hangUp();
  await term.waitFor("Runs will be shown when it is back.", longWait);
  expect(term.find("repeat the command")).toBeUndefined();
});

test("with TERM=dumb, too, runs are shown as soon as they can be read", async () => {
  await using project = await tmpProject({ git: false, files: wrong });
  await begin(project, asking);
  const { context, written } = contextIn(project, { columns: 80, env: { TERM: "dumb" } });
  const lines = ["/answer", "/host", undefined];
  const printed = (): string => written.map(([, text]) => text).join("");
  const line = async (): Promise<string | undefined> => {
    if (lines.length === 2) {
      expect(printed()).not.toContain("No run has a question");
      await project.write(".atomic/config.json", "{}");
    }
    return lines.shift();
  };
  expect(await plainPrompt(Object.create(context, { stdin: { value: { ...context.stdin, line } } }))).toBe(0);
  expect(printed().match(/"engine" is not text/g)).toHaveLength(2);
  expect(printed()).toContain("? Publish the old one?  /answer calm-otter");
});
