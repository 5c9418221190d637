// Answering and watching runs from the prompt line, while others answer, cancel or kill them.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, rm } from "node:fs/promises";
import type { Project } from "@atomic/testing/project";
import type { Terminal } from "@atomic/testing/terminal";
import { waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { build } from "../program.ts";
import { begin, newGraph, projectWith } from "../runs/begun.ts";
import { both, childOf, files, node, opened, ready, sampled, screen } from "./opened.ts";

setDefaultTimeout(180_000);
const longWait = { deadline: 20_000 };
beforeAll(build);

const asksALot = `{ name: "survey", description: "Asks a lot" }, (graph) => graph
  .start(waitNode({ id: "ready", prompt: "Ready?" }))
  .then(askUserNode({ id: "name", question: "Which name?" }))
  .then(toolNode({ id: "check", run: () => "checked" }))
  .then(askUserNode({ id: "where", question: "Where?", options: [{ label: "npm" }, { label: "GitHub" }] }))
  .then(askUserNode({ id: "who", question: "Who is told?", multiple: true, options: [{ label: "team" }, { label: "users" }] }))
  .then(toolNode({ id: "say", run: ({ outputs }) => JSON.stringify([outputs.ready, outputs.name, outputs.where, outputs.who]) }))`;

/** The id of the run on the screen. */
function runIn(term: Terminal, workflow: string): string {
  const [, runId = ""] = new RegExp(`${workflow} ([a-z]+-[a-z]+)`).exec(term.screen().join("\n")) ?? [];
  return runId;
}

/** The same program, from another terminal. */
async function elsewhere(project: Project, ...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await project.run([...(node?.command ?? []), ...argv]);
  if (![0, 4, 8].includes(code ?? 0)) throw new Error(stderr);
}

/** The process that works on the run now. */
async function processOf(project: Project, runId: string): Promise<number> {
  const journal = await project.read(`.atomic/runs/${runId}/journal.jsonl`);
  return Number(/"type":"run-claimed","owner":\{"pid":(\d+)/.exec(journal)?.[1]);
}

function rowsLike(term: Terminal, row: RegExp): number {
  return term.history().filter((each) => row.test(each)).length;
}

async function asked(term: Terminal): Promise<string> {
  await ready(term);
  term.type("/asking\r");
  await term.waitFor("? Publish 1.4.0?", longWait);
  return runIn(term, "asking");
}

describe.each(both)("on $name", ({ command }) => {
  test("/answer continues a run whose process is gone", async () => {
    await using project = await sampled();
    await using term = await opened(project, command, { rows: 30 });
    const runId = await asked(term);
    process.kill(await processOf(project, runId), "SIGKILL");
    await term.waitFor("interrupted: its process is gone", longWait);
    term.type("/answer\r");
    await term.waitFor("yes or no:", longWait);
    term.type("no\r");
    await term.waitFor(/✓ say[^\n]*\nsaid false\n> Type a task/, longWait);
    expect(screen(term).join("\n")).not.toContain(`/answer ${runId}`);
  });

  test("/answer asks one question after the other, until the run does something else", async () => {
    await using project = await projectWith({ survey: asksALot }, files);
    await using term = await opened(project, command, { rows: 40 });
    await ready(term);
    term.type("/survey\r");
    await term.waitFor("? Ready?", longWait);
    term.type("/answer\r");
    for (const [prompt, answer] of [
      [/^\? Ready\?\n {2}yes or no:\s*$/m, "yes"],
      [/^\? Which name\?\s*$/m, "Otto"],
      [/^ {2}number or name:\s*$/m, "2"],
      [/^ {2}numbers or names, separated by commas:\s*$/m, "1, 2"],
    ] as const) {
      // The question is written before keys that came too early are dropped; a text is asked for behind two blanks.
      await term.waitFor(() => prompt.test(screen(term).join("\n")) && term.cursor.x >= 2, longWait);
      term.type(`${answer}\r`);
    }
    await term.waitFor('[true,"Otto","GitHub",["team","users"]]', longWait);
    expect(rowsLike(term, /^> \/answer/)).toBe(1);
  });

  test("/answer is about the run that was shown when it was typed, and names it", async () => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" })));
    await using term = await opened(project, command, { rows: 30 });
    await ready(term);
    await term.waitFor(/\? approval[\s\S]*\? Publish the old one\?/, longWait);
    term.type("/answ");
    await term.waitFor("Answer the questions of a run", longWait);
    await elsewhere(project, "run", "asking", "--no-wait");
    await term.waitFor(/^asking [a-z]+-[a-z]+ .*\n {2}\? Publish 1\.4\.0\?[\s\S]*\? approval/m, longWait);
    term.type("er\r");
    await term.waitFor(/^release calm-otter\n\? Publish the old one\?\n {2}yes or no:/m, longWait);
  });

  test("/attach right after a workflow was entered waits for its run", async () => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" })));
    await using term = await opened(project, command, { rows: 30 });
    await ready(term);
    term.type("/asking\r/attach\r");
    await term.waitFor(/Ctrl-C detaches[\s\S]*yes or no:/, longWait);
    expect(screen(term).findLast((row) => row.startsWith("? "))).toBe("? Publish 1.4.0?");
  });

  test("/answer right after a workflow was entered does not answer another run", async () => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" })));
    await using term = await opened(project, command, { rows: 30 });
    await ready(term);
    term.type("/asking\r/answer\r");
    await term.waitFor(/has no question for you yet\.|\? Publish 1\.4\.0\?\n {2}yes or no:/, longWait);
    expect(screen(term).join("\n")).not.toMatch(/\? Publish the old one\?\n {2}yes or no:/);
  });

  test("/attach does not wait for a workflow that was entered before another one", async () => {
    await using project = await sampled();
    await project.write(".atomic/workflows/stuck.ts", "await new Promise(() => setInterval(() => undefined, 1000));\n");
    await using term = await opened(project, command, { rows: 30 });
    await ready(term);
    term.type("/run stuck\r/attach\r");
    await term.waitFor("Waiting for stuck to start… Ctrl-C stops it.", longWait);
    term.press("ctrl+c");
    await term.waitFor("Type a task", longWait);
    term.type("/asking\r/attach\r");
    await term.waitFor(/Ctrl-C detaches[\s\S]*yes or no:/, longWait);
  });

  test.each(["/attach", "/answer"])("%s of a run that is lost leaves a prompt line that works", async (line) => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" })));
    await using term = await opened(project, command, { rows: 30 });
    await ready(term);
    term.type(`${line}\r`);
    await term.waitFor("yes or no:", longWait);
    await rm(project.path(".atomic/runs/calm-otter"), { recursive: true });
    await term.waitFor("Type a task", longWait);
    // Only keys that come one by one open the list.
    term.type("/hos");
    await term.waitFor("Show or choose the program", longWait);
  });

  test("/attach right after a workflow that cannot start does not attach to another run", async () => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" })));
    await using term = await opened(project, command, { rows: 30 });
    await ready(term);
    term.type("/run nothing-like-it\r/attach\r");
    await term.waitFor("There is no run to attach to: nothing-like-it did not start.", longWait);
  });

  test.each([
    ["/attach", "SIGTERM", 143],
    ["/answer", "SIGTERM", 143],
    ["/answer", "SIGHUP", 129],
  ] as const)("during %s, %s ends the program, and the terminal is sane", async (line, signal, code) => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" })));
    await using shell = await opened(project, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "$ " } });
    await shell.waitFor("$ ", longWait);
    shell.type(
      `stty -g > before; ${command.map((word) => `'${word}'`).join(" ")}; echo ended with $?; stty -g > after\r`,
    );
    await ready(shell);
    shell.type(`${line}\r`);
    await shell.waitFor("yes or no:", longWait);
    process.kill(await childOf(shell.pid), signal);
    await shell.waitFor(new RegExp(`^ended with ${code}\n\\$`, "m"), longWait);
    expect(await project.read("after")).toBe(await project.read("before"));
    expect(shell.output.lastIndexOf("\x1b[?25h")).toBeGreaterThanOrEqual(shell.output.lastIndexOf("\x1b[?25l"));
    expect(shell.output.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(-1);
  });

  test("what was typed into a question that is closed does not reach the shell", async () => {
    await using project = await sampled();
    const shell = ["sh", "-c", '"$@"; printf "in the shell: "; read line; echo "got [$line]"', "sh"];
    await using term = await opened(project, [...shell, ...command, "run", "asking"], { rows: 30 });
    await term.waitFor("yes or no:", longWait);
    term.type("touch oops");
    await term.waitFor("touch oops", longWait);
    await elsewhere(project, "cancel", runIn(term, "asking"));
    await term.waitFor(/the run was cancelled[\s\S]*in the shell:/, longWait);
    term.type("\r");
    await term.waitFor("got []", longWait);
  });

  test("/answer says that its question was answered elsewhere", async () => {
    await using project = await sampled();
    await using term = await opened(project, command, { rows: 30 });
    const runId = await asked(term);
    term.type("/answer\r");
    await term.waitFor("yes or no:", longWait);
    await elsewhere(project, "approve", runId);
    await term.waitFor(/yes or no: ?\n {2}answered elsewhere\n[\s\S]*said true\n> Type a task/, longWait);
  });

  test("/attach says that the run was cancelled elsewhere, and shows its tree once", async () => {
    await using project = await sampled();
    await using term = await opened(project, command, { rows: 40 });
    const runId = await asked(term);
    term.type("/attach\r");
    await term.waitFor("yes or no:", longWait);
    await elsewhere(project, "cancel", runId);
    await term.waitFor(
      /yes or no: ?\n {2}the run was cancelled\n[\s\S]*^– asking [a-z]+-[a-z]+ cancelled [\s\S]*> Type a task/m,
      longWait,
    );
    // Above the question, and at the end.
    expect(rowsLike(term, /^ +✓ build/)).toBe(2);
  });
});

/** With TERM=dumb there is nothing but lines. */
async function plain(
  project: Project,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly term: Terminal; readonly isAsked: () => boolean }> {
  const term = await opened(project, node?.command, { env: { TERM: "dumb", ...env } });
  const isAsked = (): boolean => screen(term).at(-1)?.trimEnd() === ">";
  await term.waitFor(isAsked, longWait);
  return { term, isAsked };
}

describe("with TERM=dumb", () => {
  test("a question that was just answered is not shown as open", async () => {
    await using project = await sampled();
    const { term, isAsked } = await plain(project);
    await using _ = term;
    await using run = await opened(project, [...(node?.command ?? []), "run", "asking"]);
    await run.waitFor("yes or no:", longWait);
    const runId = runIn(run, "asking");
    term.type(`/answer ${runId}\r`);
    await term.waitFor("yes or no:", longWait);
    // It does not read the answer until it goes on.
    process.kill(run.pid, "SIGSTOP");
    try {
      term.type("yes\r");
      await term.waitFor(() => rowsLike(term, /yes or no: yes/) === 1 && isAsked(), longWait);
      expect(rowsLike(term, /^asking .* waiting for an answer/)).toBe(1);
      expect(rowsLike(term, /^ {2}\? Publish/)).toBe(0);
    } finally {
      process.kill(run.pid, "SIGCONT");
    }
    await run.waitFor("answered elsewhere", longWait);
    await run.waitFor("said true", longWait);
  });

  test("a backslash before Enter continues the line, and the next one is its end", async () => {
    await using project = await sampled();
    await project.write("bin/opencode", '#!/bin/sh\nprintf "<%s>" "$@"\n');
    await chmod(project.path("bin/opencode"), 0o755);
    const { term } = await plain(project, { PATH: `${project.path("bin")}:${project.env.PATH}` });
    await using _ = term;
    term.type("first \\\r");
    await term.waitFor(() => screen(term).at(-1)?.trim() === "" && term.find("first") !== undefined, longWait);
    term.type("second\r");
    await term.waitFor(/<[^<]*first \nsecond>/, longWait);
  });

  test("Ctrl-C leaves and names what is still running", async () => {
    await using project = await sampled();
    await using run = await opened(project, [...(node?.command ?? []), "run", "asking"]);
    await run.waitFor("yes or no:", longWait);
    const { term } = await plain(project);
    await using _ = term;
    term.press("ctrl+c");
    expect((await term.exit).exitCode).toBe(130);
    expect(screen(term).at(-1)).toBe(`Still running: ${runIn(run, "asking")}. \`atomic runs\` lists them.`);
  });

  test("during /answer, SIGTERM ends the program", async () => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish the old one?" })));
    const { term } = await plain(project);
    await using _ = term;
    term.type("/answer\r");
    await term.waitFor("yes or no:", longWait);
    process.kill(term.pid, "SIGTERM");
    expect((await term.exit).exitCode).toBe(143);
  });

  test("Ctrl-Z and `fg` show the prompt again", async () => {
    await using project = await sampled();
    await using shell = await opened(project, ["bash", "--norc", "--noprofile", "-i"], {
      env: { PS1: "$ ", TERM: "dumb" },
    });
    await shell.waitFor("$ ", longWait);
    shell.type(`${node?.command.map((word) => `'${word}'`).join(" ")}\r`);
    await shell.waitFor(/^> ?$/m, longWait);
    shell.press("ctrl+z");
    await shell.waitFor("Stopped", longWait);
    shell.type("echo $((40 + 2)); fg\r");
    await shell.waitFor(/^42\n[\s\S]*^> ?$/m, longWait);
    shell.type("/host\r");
    await shell.waitFor("Your tasks go to OpenCode.", longWait);
  });
});
