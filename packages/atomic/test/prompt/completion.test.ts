// Tab, and suggestions in a text, in the real program: with files, runs and commands that are there.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import type { Terminal } from "@atomic/testing/terminal";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { build } from "../program.ts";
import { begin, newGraph, projectWith } from "../runs/begun.ts";
import { files, longWait, node, opened, ready, screen } from "./opened.ts";

setDefaultTimeout(180_000);
beforeAll(build);

/** Says each word that it was given. */
const sayingHost = '#!/bin/sh\nprintf "<%s>\\n" "$@"\n';

async function typed(term: Terminal, keys: string, shows: string | RegExp): Promise<void> {
  term.type(keys);
  term.press("tab");
  await term.waitFor(shows, longWait);
}

test("a file with spaces in its name is listed, inserted with quotes, and reaches the host and a workflow whole", async () => {
  const saying = `{ name: "saying", arguments: { file: { type: "string", required: true } } }, (graph) => graph
    .start(toolNode({ id: "say", run: ({ input }) => \`read \${input.file}\` }))`;
  await using project = await projectWith(
    { saying },
    {
      ...files,
      ".claude/commands/fil.md": "---\ndescription: Reads\nargument-hint: <file>\n---\nRead $ARGUMENTS\n",
      "my file.txt": "",
      "myother.txt": "",
      "only one.md": "",
      "bin/opencode": sayingHost,
    },
  );
  await chmod(project.path("bin/opencode"), 0o755);
  const env = { PATH: `${project.path("bin")}:${project.env.PATH}`, ATOMIC_HOST: "opencode" };
  await using term = await opened(project, node?.command, { env });
  await ready(term);
  for (const line of ["/fil my", "fix my"]) {
    await typed(term, line, /^> my file\.txt$/m);
    expect(screen(term)).toEqual([`> ${line}`, "> my file.txt", "  myother.txt"]);
    term.press("tab");
    await term.waitFor(`> ${line.replace(/my$/, '"my file.txt"')}`, longWait);
    term.press("ctrl+u");
  }
  await typed(term, 'fix "onl', '> fix "only one.md"');
  term.press("ctrl+u");
  await typed(term, "see @onl", '> see @"only one.md"');
  term.press("enter");
  await term.waitFor('<--prompt=see @"only one.md">', longWait);
  await term.waitFor("Type a task", longWait);
  await typed(term, "/fil onl", '> /fil "only one.md"');
  term.press("enter");
  await term.waitFor('<--prompt=Read "only one.md"', longWait);
  await term.waitFor("Type a task", longWait);
  await typed(term, "/saying --file onl", '> /saying --file "only one.md"');
  term.press("enter");
  await term.waitFor(/^read only one\.md$/m, longWait);
});

test("nodes and names are completed, and no file where none is right", async () => {
  await using project = await projectWith({}, { ...files, "README.md": "" });
  const graph = newGraph()
    .start(toolNode({ id: "build", run: () => "built" }))
    .wait(waitNode({ id: "approval", prompt: "Say **something** long?" }));
  await begin(project, graph);
  await using term = await opened(project);
  await ready(term);
  await term.waitFor("? Say something long?  /answer calm-otter", longWait);
  await typed(term, "/show calm-otter ", /^> build *\n {2}approval *$/m);
  term.press("ctrl+u");
  await typed(term, "/show calm-otter b", /^> \/show calm-otter build *$/m);
  term.press("ctrl+u");
  await typed(term, "/approve calm-otter ", "Nothing to complete here.");
  term.press("ctrl+u");
  await typed(term, "/which shi", /^> \/which ship *$/m);
  term.press("ctrl+u");
});

test("in the middle of a text there are only what the host reads, which depends on the host", async () => {
  await using project = await projectWith({}, { ...files, ".opencode/command/shell.md": "Hello\n" });
  await using term = await opened(project);
  await ready(term);
  term.type("hello /sh");
  await term.waitFor("/shell", longWait);
  expect(screen(term)).toHaveLength(2);
  term.press("ctrl+u");
  term.type("/host claude\r");
  await term.waitFor("Your tasks now go to Claude Code.", longWait);
  term.type("hello /sh");
  await term.waitFor(/^ {2}\/ship /m, longWait);
  expect(screen(term).at(-1)).toStartWith("  /ship");
  expect(screen(term).at(-2)).toBe("> hello /sh");
});

test("what still runs is named between words in a narrow terminal, too", async () => {
  const asking = `{ name: "asking" }, (graph) => graph.wait(waitNode({ id: "approval", prompt: "Publish?" }))`;
  await using project = await projectWith({ asking }, files);
  await using term = await opened(project, node?.command, { cols: 50 });
  await ready(term);
  term.type("/asking\r\x04");
  expect((await term.exit).exitCode).toBe(0);
  expect(screen(term)).toEqual(["> /asking", "Still running: asking (starting). `atomic runs`", "  lists them."]);
});
