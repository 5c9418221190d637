// Workflows run from their files, in this process: what happens, and how they end.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { main } from "../../src/main.ts";
import { atomic, contextIn } from "../atomic.ts";
import { projectWith } from "./begun.ts";
import { failing, plain, run, runIds, shipping, talking } from "./running.ts";

test("a workflow runs to its end: the result is on stdout, progress on stderr", async () => {
  await using project = await projectWith({ plain });
  const { stdout, stderr, code } = await run(project, "plain", "a", "few words");
  expect({ stdout, code }).toEqual({ stdout: 'got "a few words"\n', code: 0 });
  const [id] = runIds(project);
  expect(stderr.replace(/\d+ms/g, "Nms")).toBe(
    `▸ plain ${id}\n▸ say (tool)\n✓ say  Nms\n✓ plain ${id} done (Nms, 1 step)\n`,
  );
});

test("--detach starts a run, prints its id and leaves the work to `atomic resume`", async () => {
  await using project = await projectWith({ plain });
  const { stdout, stderr, code } = await run(project, "plain", "later", "--detach");
  const [id] = runIds(project);
  expect({ stdout, code }).toEqual({ stdout: `${id}\n`, code: 0 });
  expect(stderr).toContain(`atomic resume ${id}`);
  const shown = await atomic(project, ["show", id!, "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ status: { kind: "pending" }, input: "later", timeline: [] });
  expect(await atomic(project, ["resume", id!])).toMatchObject({ stdout: 'got "later"\n', code: 0 });
});

test("--detach as JSON, and what it cannot be combined with", async () => {
  await using project = await projectWith({ plain });
  const { stdout } = await run(project, "plain", "--detach", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, type: "started", workflow: "plain", runId: runIds(project)[0] });
  const refused = await run(project, "plain", "--resume", "x", "--detach");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("'--detach' cannot be combined") });
  const unread = await run(project, "plain", "--script", "missing.json", "--detach");
  expect(unread).toMatchObject({ code: 1, stderr: expect.stringContaining("missing.json does not exist") });
  const ignored = await run(project, "plain", "--host", "claude", "--script", "answers.json", "--detach");
  const why = "'--script' cannot be combined with '--host claude'";
  expect(ignored).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(runIds(project)).toHaveLength(1);
});

const mapped = `{ name: "mapped" }, (graph) => graph.start(mapNode({ id: "each", as: "n",
  over: () => Array.from({ length: 12 }, (_, at) => at),
  nodes: (each) => each.then(agentNode({ id: "ask", prompt: ({ n }) => \`about \${n}\` })) }))`;

/** How many of the run's prompts were at work at the same time. */
function mostAtATime(events: readonly { type: string; key?: string }[]): number {
  let running = 0;
  return Math.max(
    ...events.map(({ type, key }) => {
      if (key?.endsWith("/ask") && type === "step-started") running += 1;
      if (key?.endsWith("/ask") && type === "step-finished") running -= 1;
      return running;
    }),
  );
}

test("a map says how far it is, and --max-prompts limits how many prompts run at a time", async () => {
  await using project = await projectWith({ mapped });
  const lines = await run(project, "mapped", "--host", "scripted");
  expect(lines.code).toBe(0);
  expect(lines.stderr).toContain("✓ each: 1 of 12\n");
  expect(lines.stderr).toContain("✓ each: 12 of 12\n");
  const jsonOf = async (...more: readonly string[]): Promise<{ type: string; key?: string; progress?: unknown }[]> => {
    const { stdout } = await run(project, "mapped", "--host", "scripted", "--json", ...more);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  const events = await jsonOf();
  expect(events.filter(({ type }) => type === "branch-ended").map(({ progress }) => progress)).toEqual(
    Array.from({ length: 12 }, (_, at) => ({ done: at + 1, total: 12 })),
  );
  expect(mostAtATime(events)).toBe(8);
  expect(mostAtATime(await jsonOf("--max-prompts", "3"))).toBe(3);
  expect(await run(project, "mapped", "--max-prompts", "0")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--max-prompts must be a positive whole number, not "0"'),
  });
});

test("a resumed run keeps its --max-prompts, or gets another one", async () => {
  await using project = await projectWith({ mapped });
  const resumed = async (...more: readonly string[]): Promise<number> => {
    const started = await run(project, "mapped", "--host", "scripted", "--max-prompts", "2", "--detach");
    const { stdout } = await atomic(project, ["resume", started.stdout.trim(), "--json", ...more]);
    return mostAtATime(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
  };
  expect(await resumed()).toBe(2);
  expect(await resumed("--max-prompts", "5")).toBe(5);
});

test("with --no-wait a run that asks is stopped, and continues with the answer", async () => {
  await using project = await projectWith({ ship: shipping });
  const first = await run(project, "ship", "1.4.0", "--no-wait");
  const [id = ""] = runIds(project);
  expect(first.code).toBe(4);
  expect(first.stderr).toMatch(/\n\? Ship it\?\n {2}until \d{4}-/);
  expect(first.stderr).toContain(
    `\n    atomic approve ${id} --key approval         # yes\n    atomic approve ${id} --deny --key approval  # no\n`,
  );
  expect(first.stderr).toEndWith(`    atomic resume ${id}                         # then\n`);
  expect(first.stderr.split(`atomic approve ${id} --deny`)).toHaveLength(2);
  expect((await atomic(project, ["approve", id])).code).toBe(0);
  const { stdout, stderr, code } = await atomic(project, ["resume", id]);
  expect({ stdout, code }).toEqual({ stdout: "built 1.4.0 2 times, true\n", code: 0 });
  expect(stderr).toStartWith(`▸ ship ${id} continues\n`);
  expect(stderr).not.toContain("build (tool)");
  expect(await atomic(project, ["resume", id])).toMatchObject({ code: 1, stdout: "" });
});

test("where a shell would not find atomic, every hint says how to run it", async () => {
  await using project = await projectWith({ ship: shipping });
  const npx = (...argv: string[]) => atomic(project, argv, { runner: "npx" });
  const asked = await npx("run", "ship", "1.4.0", "--no-wait", "--json");
  const [id = ""] = runIds(project);
  const { error } = JSON.parse(asked.stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(error.hint.split("\n").map((line: string) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    ...["npx atomic approve", "npx atomic approve", "npx atomic resume"],
  ]);
  await atomic(project, ["approve", id]);
  await atomic(project, ["resume", id]);
  expect((await npx("resume", id)).stderr).toEndWith(`\n\`npx atomic show ${id} --answer\` prints what it said.\n`);
  const failed = JSON.parse((await npx("resume", id, "--json")).stdout);
  expect(failed.error.hint).toBe(`\`npx atomic show ${id} --answer\` prints what it said.`);
  expect((await npx("resume", "nothing")).stderr).toContain("`npx atomic runs --all` lists them.");
  expect((await npx("types", "--check")).output).toContain("Run `npx atomic types`, and commit the file.");
});

test("the user is asked in the terminal, again if needed", async () => {
  await using project = await projectWith({ ship: shipping });
  const { output, code } = await atomic(project, ["run", "ship", "1.4.0"], { columns: 80, typed: ["not now", "no"] });
  expect(output).toContain("? Ship it?\n");
  expect(output).toContain('"not now" is neither yes nor no.\n');
  expect(output).toContain("built 1.4.0 2 times, false\n");
  expect(code).toBe(0);
});

test("a failed run reports where and why, and can be retried", async () => {
  await using project = await projectWith({ failing });
  const { stdout, stderr, code } = await run(project, "failing");
  const [id = ""] = runIds(project);
  expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
  expect(stderr).toContain("✗ boom failed: no \\x1b[31mdisk\n");
  expect(stderr).toEndWith(`    atomic resume ${id} --retry\n`);
  const refused = await atomic(project, ["resume", id]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toEndWith(`To retry the failed step: atomic resume ${id} --retry\n`);
  await project.write(
    ".atomic/workflows/failing.ts",
    (await project.read(".atomic/workflows/failing.ts")).replace("throw new Error", "return String"),
  );
  expect(await atomic(project, ["resume", id, "--retry", "--keep-graph"])).toMatchObject({ code: 0 });
});

test("a budget stops a run, and a larger one lets it continue", async () => {
  const steps = Array.from({ length: 4 }, (_, at) => `.then(toolNode({ id: "n${at}", run: () => ${at} }))`).join("");
  await using project = await projectWith({ steps: `{ name: "steps" }, (graph) => graph${steps}` });
  const { stderr, code } = await run(project, "steps", "--max-steps", "2");
  const [id = ""] = runIds(project);
  expect(code).toBe(5);
  expect(stderr).toContain("stopped: 2 of 2 steps used");
  expect(stderr).toEndWith(`    atomic resume ${id} --max-steps <more>\n`);
  expect((await atomic(project, ["resume", id])).code).toBe(5);
  expect((await atomic(project, ["resume", id, "--max-steps", "9"])).code).toBe(0);
});

test("a script's agents work under a policy; anything it does not decide is asked", async () => {
  const script = `export default async function* ({ prompt }) {
    yield { usage: { inputTokens: 100, outputTokens: 5, usd: 0.01 } };
    const { ok, output } = yield { tool: "bash", detail: "npm test", run: () => "42 passed" };
    yield { text: prompt + (ok ? " " + output : " denied: " + output) };
  }`;
  await using project = await projectWith({ talking }, { "script.mjs": script });
  const asked = await run(project, "talking", "--script", "script.mjs", "--no-wait");
  const [id = ""] = runIds(project);
  expect(asked.code).toBe(4);
  expect(asked.stderr).toContain("? look wants to use bash: npm test\n");
  const answered = await atomic(project, ["approve", id, "use node --test", "--deny"]);
  expect(answered.stdout).toEndWith("wants to use bash: npm test no (use node --test)\n");
  expect(await atomic(project, ["resume", id])).toMatchObject({ stdout: "Sum up. 42 passed\n", code: 0 });
  const shown = JSON.parse((await atomic(project, ["show", id, "--json"])).stdout);
  expect(shown).toMatchObject({
    setup: { host: "scripted", workflow: "atomic:project/talking" },
    spent: { tokens: 315 },
  });
  const denied = await run(project, "talking", "--script", "script.mjs", "--deny", "all");
  expect(denied.stdout).toStartWith("Sum up. denied: ");
  expect((await run(project, "talking", "--script", "script.mjs", "--allow", "bash", "--no-wait")).code).toBe(4);
});

test("a script may be a list of answers", async () => {
  await using project = await projectWith({ talking }, { "answers.json": [{ prompt: "Sum", reply: "All is well." }] });
  expect(await run(project, "talking", "--script", "answers.json")).toMatchObject({
    stdout: "All is well.\n",
    code: 0,
  });
  await project.write("answers.json", { no: "list" });
  const { stderr, code } = await run(project, "talking", "--script", "answers.json");
  expect(code).toBe(3);
  expect(stderr).toContain("answers.json is not a valid script");
});

test("run output is kept out of git", async () => {
  await using project = await projectWith({ plain });
  await run(project, "plain");
  expect(readFileSync(project.path(".atomic/runs/.gitignore"), "utf8")).toBe("*\n");
});

test("`run --resume` only resumes a run of that workflow", async () => {
  await using project = await projectWith({ ship: shipping, plain });
  await run(project, "ship", "1.0", "--no-wait");
  const [id = ""] = runIds(project);
  expect((await run(project, "plain", "--resume", id)).stderr).toStartWith(
    `atomic: ${id} is a run of ship, not of plain\n`,
  );
  await atomic(project, ["approve", id, "no"]);
  expect(await run(project, "ship", "--resume", id)).toMatchObject({ stdout: "built 1.0 2 times, false\n", code: 0 });
});

test("a run does not continue with a workflow that no longer fits it, and is left unchanged", async () => {
  await using project = await projectWith({ ship: shipping });
  await run(project, "ship", "1.0", "--no-wait");
  const [id = ""] = runIds(project);
  const module = await project.read(".atomic/workflows/ship.ts");
  await project.write(".atomic/workflows/ship.ts", module.replaceAll('id: "publish"', 'id: "other"'));
  await atomic(project, ["approve", id]);
  const { stderr, code } = await atomic(project, ["resume", id, "--keep-graph"]);
  expect(code).toBe(3);
  expect(stderr).toContain(`The run ${id} cannot continue: `);
  await project.write(".atomic/workflows/ship.ts", module);
  expect((await atomic(project, ["resume", id])).code).toBe(0);
});

test("workflows run by name inside others, and show their progress", async () => {
  await using project = await projectWith({
    outer: `{ name: "outer" }, (graph) => graph.start(subgraphNode({ id: "sub", graph: "plain" })).then(subgraphNode({ id: "again", graph: "ship", input: () => ({ version: "2" }) }))`,
    plain,
    ship: shipping,
  });
  const module = await project.read(".atomic/workflows/outer.ts");
  await project.write(".atomic/workflows/outer.ts", `import { subgraphNode } from "@atomic/workflows";\n${module}`);
  const { stderr, code } = await run(project, "outer", "--no-wait");
  expect(stderr).toContain("✓ sub/say ");
  expect(code).toBe(4);
  const [id = ""] = runIds(project);
  const approved = await atomic(project, ["approve", id, "--key", "again/aproval"]);
  expect(approved.stderr).toContain("(did you mean again/approval?)");
  await atomic(project, ["approve", id, "--key", "again/approval"]);
  expect((await atomic(project, ["resume", id])).code).toBe(0);
});

test("an interrupt stops the run, and a second one quits immediately", async () => {
  const holding = `{ name: "holding" }, (graph) => graph.start(toolNode({ id: "hold", run: (_state, { signal, note }) =>
    new Promise((_, reject) => { note("holding"); signal.addEventListener("abort", () => setTimeout(reject, 50, signal.reason)); }) }))`;
  await using project = await projectWith({ holding });
  const { context, written } = contextIn(project);
  const left: number[] = [];
  let interrupt: (signal: "SIGHUP" | "SIGINT") => void = () => undefined;
  const code = main(["run", "holding", "--json"], {
    ...context,
    signals: {
      listen: (listener) => {
        interrupt = listener;
        return () => undefined;
      },
    },
    exit: (status) => void left.push(status),
    stdout: {
      ...context.stdout,
      write: (text) => {
        context.stdout.write(text);
        if (!text.includes('"note":"holding"')) return;
        interrupt("SIGHUP");
        interrupt("SIGINT");
      },
    },
  });
  expect(await code).toBe(129);
  expect(left).toEqual([130]);
  expect(JSON.parse(written.at(-1)?.[1] ?? "")).toMatchObject({ type: "result", left: "SIGHUP", exitCode: 129 });
});
