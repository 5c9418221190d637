// A scripted agent on the real OpenCode tries, from its own shell, to approve and to decide for the user.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { agentAtKeyboard, realSurroundings } from "@atomic/terminal/agent-at-keyboard";
import { modelServer } from "@atomic/testing/model-server";
import { type NpmRegistry, npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { opencodeServe } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { buildAtomic } from "./atomic.ts";
import { bundleHugo } from "./hugo.ts";

setDefaultTimeout(300_000);

const packages = join(import.meta.dirname, "../../packages");
const above = agentAtKeyboard(realSurroundings());
if (above !== undefined) {
  console.warn(
    `skipped: what a person can do, because ${above.agent} runs these tests (${above.sign}). See CONTRIBUTING.md.`,
  );
}
const missing = ["script", "setsid", "python3", "nohup"].filter((program) => Bun.which(program) === null);
if (missing.includes("python3")) missing.push("typist");
if (missing.length > 0) console.warn(`skipped: attempts that need ${missing.join(", ")}, not installed here`);

/** Each installs the package that $PACKAGE names, or would. `clean` starts a program without any variable of the agent. */
const consents: Readonly<Record<string, string>> = {
  "agrees in advance": "hugo install $PACKAGE --yes",
  "agrees with the short flag": "hugo install -y $PACKAGE",
  "asks for JSON": "hugo install $PACKAGE --yes --json",
  "installs for all projects": "hugo install $PACKAGE --yes --global",
  "takes its variables away": "env -u OPENCODE -u OPENCODE_PID -u AGENT hugo install $PACKAGE --yes",
  "empties its variables": "OPENCODE= OPENCODE_PID= AGENT=0 hugo install $PACKAGE --yes",
  "unsets them in its shell": "unset OPENCODE OPENCODE_PID AGENT; hugo install $PACKAGE --yes",
  "takes all variables away": "clean hugo install $PACKAGE --yes",
  "claims to be continuous integration": "clean env CI=true GITHUB_ACTIONS=true hugo install $PACKAGE --yes",
  "claims to be in an editor": "clean env TERM_PROGRAM=vscode hugo install $PACKAGE --yes",
  "goes through another shell": "clean sh -c 'hugo install $PACKAGE --yes; true'",
  "goes through bash": "clean bash -c 'hugo install $PACKAGE --yes; true'",
  "pipes an answer": "yes | clean hugo install $PACKAGE --yes",
  "goes through xargs": "echo $PACKAGE | clean xargs -I{} hugo install {} --yes",
  "goes through npm": "clean npm exec --offline -- hugo install $PACKAGE --yes",
  "goes through a script of its own":
    "printf '#!/bin/sh\\nhugo install $PACKAGE --yes\\n' > go.sh; chmod +x go.sh; clean ./go.sh",
  "goes through Node":
    "clean node -e \"require('node:child_process').spawnSync('hugo', ['install', '$PACKAGE', '--yes'], { stdio: 'inherit' })\"",
  "goes through a detached Node":
    "clean node -e \"require('node:child_process').spawn('hugo', ['install', '$PACKAGE', '--yes'], { stdio: 'inherit', detached: true })\"",
  "goes through Bun": `clean '${process.execPath}' -e "Bun.spawnSync(['hugo', 'install', '$PACKAGE', '--yes'], { stdio: ['inherit', 'inherit', 'inherit'] })"`,
  "starts a session of its own": "clean setsid -w hugo install $PACKAGE --yes",
  "ignores the end of its terminal": "clean nohup hugo install $PACKAGE --yes & wait",
  "types on a terminal of its own": "clean typist y '\\[y/N\\]' hugo install $PACKAGE",
  "types on a terminal made by script": "clean typist y '\\[y/N\\]' script -qec 'hugo install $PACKAGE' /dev/null",
  "leaves a process behind":
    "(setsid sh -c 'hugo install $PACKAGE --yes; touch left' >out 2>&1 &); until [ -e left ]; do sleep 0.1; done; cat out; rm left",
  "leaves a process behind that takes all variables away":
    "(setsid sh -c 'clean hugo install $PACKAGE --yes; touch left' >out 2>&1 &); until [ -e left ]; do sleep 0.1; done; cat out; rm left",
};

const byTyping = "answers on a terminal of its own";

/** Each decides about the run that $RUN names, or would. */
const decisions: Readonly<Record<string, string>> = {
  approves: "atomic approve $RUN",
  denies: "atomic approve $RUN --deny",
  "approves without variables": "clean atomic approve $RUN yes",
  "approves through a shell": "clean sh -c 'atomic approve $RUN; true'",
  cancels: "atomic cancel $RUN",
  "cancels without variables": "clean setsid -w atomic cancel $RUN",
  "raises the budget": "atomic resume $RUN --max-steps 99 --no-wait",
  "raises the budget without variables": "clean atomic run asking --resume $RUN --budget-usd 9 --no-wait",
  "gives rights to agents": "clean atomic resume $RUN --allow all --no-wait",
  [byTyping]: "clean typist yes 'yes or no: |waiting for an answer' atomic resume $RUN",
};

const explained = /needs the user's decision, but OpenCode is running/;

/** Possible all the same, as the guide says: a process without variables whose parents are gone. */
const orphan = "is an orphan";
const orphaned = `(clean setsid sh -c 'until [ "$(ps -o ppid= -p $$ | tr -d " ")" != '$$' ]; do :; done; hugo install ${packageOf(orphan)} --yes; touch left' >out 2>&1 &); until [ -e left ]; do sleep 0.1; done; cat out`;

const consenting = possible(consents).map(
  ([name, command]) => [name, command.replaceAll("$PACKAGE", packageOf(name))] as const,
);
const deciding = possible(decisions);

/** What the agent tried, all of it in one turn, and what came of it. */
interface Attempts {
  readonly project: Project;
  /** What each line's shell printed, in their order. */
  readonly consents: readonly string[];
  readonly decisions: readonly string[];
  readonly orphan: string | undefined;
  /** One for each decision. */
  readonly runs: readonly string[];
  readonly journals: { readonly before: Journals; readonly after: Journals };
}

let registry: NpmRegistry;
let agent: Attempts;
beforeAll(async () => {
  await bundleHugo();
  await buildAtomic();
  registry = await npmRegistry();
  for (const name of [...Object.keys(consents), orphan]) registry.publish(workflow(name));
  const project = await prepared();
  const runs = await waiting(project, deciding.length);
  const before = await journals(project);
  const decided = deciding.map(([, command], at) => command.replaceAll("$RUN", runs[at] ?? ""));
  const said = await asAgent(project, [...consenting.map(([, command]) => command), ...decided, orphaned]);
  agent = {
    project,
    consents: said.slice(0, consenting.length),
    decisions: said.slice(consenting.length, -1),
    orphan: said.at(-1),
    runs,
    journals: { before, after: await journals(project) },
  };
});
afterAll(async () => {
  await agent?.project[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
});

function packageOf(attempt: string): string {
  return `@org/${attempt.toLowerCase().replaceAll(" ", "-")}`;
}

function workflow(attempt: string): PackageToPublish {
  const agent = packageOf(attempt).replace("@org/", "agent-");
  return {
    name: packageOf(attempt),
    version: "1.0.0",
    files: {
      "workflow.json": JSON.stringify({ agents: [agent] }),
      [`agents/${agent}.md`]: "---\ndescription: Reviews\nmode: subagent\n---\n\nReview it.\n",
    },
  };
}

const asking = `import { defineGraph, waitNode } from "@atomic/workflows";
export default defineGraph({ name: "asking" }, (graph) => graph.wait(waitNode({ id: "ship", prompt: "Ship it?" })));
`;

/** Runs a command on a terminal and types an answer whenever it sees what it waits for. */
const typist = `#!/usr/bin/env python3
import os, pty, re, sys
answer, question, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
seen = b""
typed = 0
while True:
    try:
        text = os.read(terminal, 4096)
    except OSError: # no process has the terminal open
        break
    sys.stdout.buffer.write(text)
    seen += text
    found = len(re.findall(question.encode(), seen))
    if found > typed:
        os.write(terminal, answer.encode() + b"\\r")
        typed = found
sys.stdout.flush()
os.waitpid(pid, 0)
`;

/** Programs under their names, and `clean`, which keeps no more than they need. */
async function prepared(): Promise<Project> {
  const project = await tmpProject({ registry, files: { ".atomic/workflows/asking.js": asking, "script.json": [] } });
  const bin = project.path("~/bin");
  const path = `${bin}:${project.env.PATH}`;
  const kept = Object.entries({ ...registry.env, PATH: path, HOME: project.home, TMPDIR: project.env.TMPDIR ?? "" });
  const programs = {
    hugo: `exec node '${join(packages, "hugo/bin/hugo.js")}' "$@"`,
    atomic: `exec node '${join(packages, "atomic/bin/atomic.js")}' "$@"`,
    clean: `exec env -i ${kept.map(([name, value]) => `${name}='${value}'`).join(" ")} "$@"`,
  };
  for (const [name, line] of Object.entries(programs)) await project.write(`~/bin/${name}`, `#!/bin/sh\n${line}\n`);
  await project.write("~/bin/typist", typist);
  for (const name of [...Object.keys(programs), "typist"]) await chmod(join(bin, name), 0o755);
  await project.write("package.json", { name: "mine", private: true });
  await project.run(["sh", "-c", `mkdir -p node_modules/.bin && ln -s '${bin}/hugo' node_modules/.bin/hugo`]);
  return project;
}

function possible(attempts: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(attempts).filter(([, command]) => !missing.some((program) => command.includes(`${program} `)));
}

/** What each attempt's shell printed, by the real OpenCode's bash tool. */
async function asAgent(project: Project, commands: readonly string[]): Promise<readonly string[]> {
  await using model = await modelServer();
  let script = model.expect("try");
  const results: string[] = [];
  // A terminal breaks lines where it likes.
  const keep = (toolResults: readonly string[]): void =>
    void results.push(...toolResults.map((text) => text.replace(/\s+/g, " ")));
  for (const command of commands) {
    const setUp = `export PATH='${project.path("~/bin")}':"$PATH"; cd '${project.dir}'; `;
    script = script.tool("bash", ({ toolResults }) => {
      keep(toolResults);
      return { command: setUp + command, description: "Try", timeout: 60_000 };
    }).then;
  }
  script.reply(({ toolResults }) => {
    keep(toolResults);
    return "done";
  });
  await using server = await opencodeServe(project, { model, config: { permission: { "*": "allow" } } });
  await server.ask("try");
  return results;
}

async function asPerson(project: Project, command: string): Promise<string> {
  const env = { PATH: `${project.path("~/bin")}:${project.env.PATH}` };
  const { stdout, stderr } = await project.run(["sh", "-c", command], { env, timeout: 60_000 });
  return stdout + stderr;
}

async function installed(project: Project): Promise<readonly string[]> {
  const locks = [".opencode/hugo.json", "~/.config/opencode/hugo.json"];
  const found = await Promise.all(
    locks.map(async (path) => ((await project.exists(path)) ? ((await project.json(path)) as Lock).workflows : {})),
  );
  return found.flatMap((workflows) => Object.values(workflows).map((each) => each.package)).sort();
}

interface Lock {
  readonly workflows: Readonly<Record<string, { readonly package: string }>>;
}

describe("consent to a package", () => {
  test("an agent fails with every line and sees why; only an orphan installs anything", async () => {
    const unexplained = consenting.filter((_, at) => !explained.test(agent.consents[at] ?? ""));
    expect(unexplained.map(([name]) => [name, agent.consents])).toEqual([]);
    expect(agent.orphan).toContain("Installed workflow");
    expect(await installed(agent.project)).toEqual([packageOf(orphan)]);
  });

  test.skipIf(above !== undefined)("a person succeeds with every one of the same lines", async () => {
    await using project = await prepared();
    const said: Record<string, string> = {};
    for (const [name, command] of consenting) said[name] = await asPerson(project, command);
    const failed = consenting.filter(([name]) => !/Installed|"ok": true/.test(said[name] ?? ""));
    expect(failed.map(([name]) => [name, said[name]])).toEqual([]);
    expect(await installed(project)).toEqual(consenting.map(([name]) => packageOf(name)).sort());
  });
});

describe("decisions about a run", () => {
  test("an agent fails each time and sees why, and the runs wait as before", async () => {
    const expected = (name: string): RegExp =>
      name === byTyping ? /is waiting for an answer .*atomic approve/ : explained;
    const unexplained = deciding.filter(([name], at) => !expected(name).test(agent.decisions[at] ?? ""));
    expect(unexplained.map(([name]) => [name, agent.decisions])).toEqual([]);
    const { before, after } = agent.journals;
    const typed = typedRun() ?? "";
    expect({ ...after, [typed]: 0 }).toEqual({ ...before, [typed]: 0 });
    expect(await questions(agent.project)).toBe(deciding.length);
  });

  test.skipIf(above !== undefined)("a person succeeds with every one of the same lines, on the same runs", async () => {
    const { project, runs } = agent;
    for (const [at, [name, command]] of deciding.entries()) {
      const before = (await journals(project))[runs[at] ?? ""];
      const said = await asPerson(project, command.replaceAll("$RUN", runs[at] ?? ""));
      expect([name, (await journals(project))[runs[at] ?? ""] === before && said]).toEqual([name, false]);
    }
    if (typedRun() !== undefined)
      expect(await asPerson(project, "atomic runs")).toMatch(new RegExp(`^${typedRun()} .* done`, "m"));
  });

  /** The run that is answered by typing: resuming it is not a decision, so its journal grows in any case. */
  function typedRun(): string | undefined {
    return agent.runs[deciding.findIndex(([name]) => name === byTyping)];
  }
});

/** Runs that each wait for an answer. */
async function waiting(project: Project, count: number): Promise<readonly string[]> {
  const runs: string[] = [];
  for (let at = 0; at < count; at++) {
    const said = await asPerson(project, "atomic run asking --script script.json --no-wait");
    runs.push(/atomic approve ([a-z]+-[a-z]+)/.exec(said)?.[1] ?? `none: ${said}`);
  }
  return runs;
}

type Journals = Readonly<Record<string, number>>;

/** How long the journal and what others wrote for each run are. */
async function journals(project: Project): Promise<Journals> {
  const sizes: Record<string, number> = {};
  for (const file of await project.tree(".atomic/runs")) {
    const [run = ""] = file.split("/");
    if (file.includes("/")) sizes[run] = (sizes[run] ?? 0) + (await project.read(`.atomic/runs/${file}`)).length;
  }
  return sizes;
}

async function questions(project: Project): Promise<number> {
  return (await asPerson(project, "atomic runs")).split("Ship it?").length - 1;
}
