// One contract for hugo, atomic and magnus-opus: the same table over all three, as they are built, on Node.
// docs/reference/command-line.md describes it.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { lock } from "@atomic/durable-files/lock/lock";
import { withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { type Project, tmpProject } from "@atomic/testing/project";
import { completes, completingShell, isInstalled, shellNames } from "@atomic/testing/shells";
import { terminal } from "@atomic/testing/terminal";

setDefaultTimeout(120_000);

const root = join(import.meta.dirname, "..");
const run = "impl-20260118-143052-a1b2c3-profile";

interface ProgramUnderTest {
  readonly name: string;
  readonly bin: string;
  /** A command that lists something. */
  readonly list: string;
  readonly unknownName: readonly string[];
  readonly brokenFile: { readonly path: string; readonly text: string; readonly argv: readonly string[] };
  /** A command that waits for something that never comes, and shows that it does. */
  readonly waits: (project: Project) => Promise<Waiting>;
}

interface Waiting extends AsyncDisposable {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is on the screen then. */
  readonly shows: RegExp;
}

const waitingWorkflow = `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "waiting" }, (graph) =>
  graph.start(toolNode({ id: "hold", run: (_, { signal }) => new Promise((_, reject) => {
    const timer = setInterval(() => undefined, 1000);
    signal.addEventListener("abort", () => { clearInterval(timer); reject(signal.reason); });
  }) })));
`;

const programs: readonly ProgramUnderTest[] = [
  {
    name: "hugo",
    bin: join(root, "packages/hugo/bin/hugo.js"),
    list: "list",
    unknownName: ["list", "nobody"],
    brokenFile: { path: ".opencode/hugo.json", text: "{ nonsense", argv: ["list"] },
    waits: async () => {
      const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => undefined) });
      return {
        argv: ["search", "review"],
        env: { npm_config_registry: `http://127.0.0.1:${server.port}/` },
        shows: /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /,
        [Symbol.asyncDispose]: () => server.stop(true),
      };
    },
  },
  {
    name: "atomic",
    bin: join(root, "packages/atomic/bin/atomic.js"),
    list: "runs",
    unknownName: ["show", "nobody"],
    brokenFile: { path: "research/tasks.json", text: "{ nonsense", argv: ["tasks"] },
    waits: async (project) => {
      await project.write(".atomic/workflows/waiting.ts", waitingWorkflow);
      return {
        argv: ["run", "waiting", "--host", "scripted"],
        shows: /hold/,
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  },
  {
    name: "magnus-opus",
    bin: join(root, "packages/magnus-opus/bin/magnus-opus.js"),
    list: "list",
    unknownName: ["status", "nobody"],
    brokenFile: { path: `ai-docs/sessions/${run}/journal.jsonl`, text: "nonsense\n", argv: ["status", run] },
    waits: async (project) => {
      await startedRun(project);
      const held = await lock(project.path("ai-docs/sessions/.state"), { purpose: "a test" });
      return {
        argv: ["timeline", run, "--html", "page.html"],
        shows: /magnus-opus timeline/,
        [Symbol.asyncDispose]: async () => held.release(),
      };
    },
  },
];

/** A run that has just started. */
async function startedRun(project: Project): Promise<void> {
  const folder = `ai-docs/sessions/${run}`;
  await project.write(`${folder}/.keep`, "");
  const journal = await openJournal(project.path(`${folder}/journal.jsonl`));
  await journal.append({
    ...{ type: "run-started", at: Date.now(), by: { kind: "plugin" }, run, flow: "implement", workflow: "UI_FOCUSED" },
    ...{ description: "a profile page", session: "ses_root", worktree: project.dir, folder },
    options: {
      ...{ skipPlanReview: false, skip: [], quorum: 1, maxIterations: 3, skippedTests: "allow", redProof: false },
      ...{ budget: { run: { sessions: 60, depth: 1 }, phases: {} }, roles: {}, readOnlyTools: [] },
    },
  });
  journal.close();
}

const hasFullDevice = existsSync("/dev/full");
if (!hasFullDevice) console.warn("skipped: there is no /dev/full to refuse what is written");

beforeAll(async () => {
  await bundlePackages();
});

describe.each(programs)("$name", ({ name, bin, list, unknownName, brokenFile, waits }) => {
  const command = (...argv: readonly string[]): string[] => ["node", bin, ...argv];
  const usage = (topic = ""): string => `Run \`${name} ${topic}--help\` for usage.`;

  const failures: readonly [what: string, argv: readonly string[], code: number, error: string, text: string][] = [
    ["an unknown command", ["lst"], 2, "usage", `${name}: unknown command "lst"`],
    ["an unknown name", unknownName, 1, "", `${name}: `],
    ["a missing argument", ["completion"], 2, "usage", `${name}: missing argument <shell>\n${usage("completion ")}\n`],
    [
      "an extra argument",
      ["completion", "bash", "x"],
      2,
      "usage",
      `${name}: unexpected argument x\n${usage("completion ")}\n`,
    ],
    [
      "a bad flag",
      [list, "--jsn"],
      2,
      "usage",
      `${name}: unknown option --jsn (did you mean --json?)\n${usage(`${list} `)}\n`,
    ],
    [
      "a bad choice",
      ["completion", "bsh"],
      2,
      "usage",
      `${name}: <shell> must be one of bash, zsh, fish, not "bsh" (did you mean "bash"?)\n`,
    ],
    ["a broken input file", brokenFile.argv, 3, "", `${name}: `],
  ];

  test.each(failures)("%s ends with a code, what is wrong and what next", async (_, argv, code, __, text) => {
    await using project = await tmpProject();
    if (argv === brokenFile.argv) await project.write(brokenFile.path, brokenFile.text);
    const ran = await project.run(command(...argv));
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toStartWith(text);
  });

  test.each(failures)("%s is one document with --json, and nothing else", async (_, argv, code, error) => {
    await using project = await tmpProject();
    if (argv === brokenFile.argv) await project.write(brokenFile.path, brokenFile.text);
    const ran = await project.run(command(...argv, "--json"));
    expect(ran).toMatchObject({ code, stderr: "" });
    const document = JSON.parse(ran.stdout);
    expect(document).toEqual({
      ok: false,
      error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
    });
    if (error !== "") expect(document.error.code).toBe(error);
  });

  test("no command shows the help on stderr", async () => {
    await using project = await tmpProject();
    const ran = await project.run(command());
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    // Atomic has a prompt line, but needs a terminal for it.
    const word = name === "atomic" ? "[command]" : "<command>";
    expect(ran.stderr).toStartWith(`Usage: ${name} ${word} [options]\n`);
    const json = await project.run(command("--json"));
    expect(json).toMatchObject({ code: 2, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, error: { code: "usage", message: "missing command" } });
  });

  test("help is a document with --json", async () => {
    await using project = await tmpProject();
    const documentOf = async (...argv: readonly string[]) => {
      const ran = await project.run(command(...argv, "--json"));
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      return JSON.parse(ran.stdout);
    };
    const all = await documentOf("help");
    expect(all).toMatchObject({ ok: true, name, about: expect.any(String), usage: `${name} <command> [options]` });
    expect(all.commands).toContainEqual(expect.objectContaining({ name: list, summary: expect.any(String) }));
    expect(all.options).toContainEqual(expect.objectContaining({ flag: "--json", summary: expect.any(String) }));
    expect(all.exitCodes).toContainEqual({ code: 0, means: "done, or nothing to do" });
    expect(await documentOf("--help")).toEqual(all);
    const one = await documentOf("help", "completion");
    expect(one).toMatchObject({
      ok: true,
      name: "completion",
      usage: `${name} completion <shell> [options]`,
      arguments: [{ name: "shell", term: "<shell>", choices: ["bash", "zsh", "fish"] }],
      options: expect.arrayContaining([expect.objectContaining({ flag: "--help", short: "-h" })]),
      examples: expect.arrayContaining([{ command: expect.any(String), shows: expect.any(String) }]),
    });
    expect(await documentOf("completion", "--help")).toEqual(one);
    const unknown = await project.run(command("help", "lst", "--json"));
    expect(unknown).toMatchObject({ code: 2, stderr: "" });
    expect(JSON.parse(unknown.stdout)).toMatchObject({ ok: false, error: { code: "usage" } });
  });

  test("an internal error is called a bug", async () => {
    await using project = await tmpProject();
    const broken = `data:text/javascript,${encodeURIComponent('process.cwd = () => { throw new TypeError("odd"); };')}`;
    const argv = ["node", "--import", broken, bin, list];
    const ran = await project.run(argv);
    expect(ran).toMatchObject({ code: 70, stdout: "" });
    expect(ran.stderr).toStartWith(`${name}: internal error: this is a bug in ${name}.\n  TypeError: odd\n`);
    const json = await project.run([...argv, "--json"]);
    expect(json).toMatchObject({ code: 70, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, error: { code: "internal" } });
  });

  test("Ctrl-C ends a command that waits, with 130", async () => {
    await using project = await tmpProject();
    await using waiting = await waits(project);
    await using term = await terminal(command(...waiting.argv), {
      cwd: project.dir,
      env: { ...project.env, ...waiting.env },
    });
    await term.waitFor(waiting.shows, { deadline: 30_000 });
    term.press("ctrl+c");
    expect((await term.exit).exitCode).toBe(130);
  });

  test("a closed terminal ends a command that waits, with 129", async () => {
    await using project = await tmpProject();
    await using waiting = await waits(project);
    expect(await closedTerminal(command(...waiting.argv), project, waiting)).toBe(129);
  });

  test("a terminal that is gone without a signal does the same", async () => {
    await using project = await tmpProject();
    await using waiting = await waits(project);
    // In a separate session it gets no signal; its next write fails.
    const code = project.path("code");
    Bun.spawnSync(["mkfifo", code]);
    const reader = Bun.spawn(["cat", code], { stdout: "pipe" });
    const script = ["setsid", "--wait", "sh", "-c", '"$@"; echo $? > "$0"', code, ...command(...waiting.argv)];
    await closedTerminal(script, project, waiting);
    expect(await reader.stdout.text()).toBe("129\n");
  });

  test("a closed pipe is not an error", async () => {
    await using project = await tmpProject();
    const script = '("$@"; echo "code $?" >&2) | true';
    const ran = await project.run(["sh", "-c", script, "sh", ...command("help")]);
    expect(ran).toMatchObject({ code: 0, stderr: "code 0\n" });
  });

  test.skipIf(!hasFullDevice).each([[["help"]], [[list, "--json"]], [["--version", "--json"]]])(
    "%j reports an answer that cannot be written, and ends",
    async (argv) => {
      await using project = await tmpProject();
      const ran = await project.run(["sh", "-c", '"$@" >/dev/full', "sh", ...command(...argv)]);
      expect(ran).toMatchObject({ code: 3, stdout: "" });
      expect(ran.stderr).toStartWith(`${name}: ENOSPC: no space left on device, write\n`);
      const silent = await project.run(["sh", "-c", '"$@" >/dev/full 2>&1', "sh", ...command(...argv)]);
      expect(silent).toMatchObject({ code: 3, stdout: "", stderr: "" });
    },
  );

  test.each([[["--help"]], [["completion", "--help"]], [[list, "--help"]], [["lst"]]])(
    "%j fits into a terminal of 40 columns",
    async (argv) => {
      await using project = await tmpProject();
      await using term = await terminal(command(...argv), { cwd: project.dir, cols: 40, env: project.env });
      await term.exit;
      const lines = withoutColour(term.output).split(/\r?\n/);
      expect(lines.filter((line) => displayWidth(line) > 40)).toEqual([]);
      expect(lines.length).toBeGreaterThan(1);
    },
  );

  describe.each(shellNames)("in %s", (shell) => {
    const isHere = isInstalled(shell);

    test.skipIf(!isHere)("Tab completes commands, options and values", async () => {
      await using project = await tmpProject();
      await using term = await completingShell(shell, project, { [name]: bin });
      await completes(term, `${name} comp`, `${name} completion`);
      await completes(term, `${name} completion fi`, `${name} completion fish`);
      await completes(term, `${name} ${list} --js`, `${name} ${list} --json`);
    });
  });
});

/** The exit code of a program whose terminal window is closed while it waits. */
async function closedTerminal(command: readonly string[], project: Project, waiting: Waiting): Promise<number> {
  const shown = Promise.withResolvers<void>();
  let output = "";
  const child = Bun.spawn([...command], {
    cwd: project.dir,
    env: { ...project.env, ...waiting.env, TERM: "xterm-256color" },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_, bytes) => {
        output += new TextDecoder().decode(bytes);
        if (waiting.shows.test(withoutColour(output))) shown.resolve();
      },
    },
  });
  await shown.promise;
  child.terminal?.close();
  return await child.exited;
}
