// Finds out whether an agent, rather than you, runs this program. Only decisions ask: it is not needed to list or to show.
import { readFileSync, readlinkSync } from "node:fs";
import { ExplainedError } from "@atomic/durable-files/explained-error";
import { shellLine } from "./shell-words.ts";

/** An agent that runs this program, and how we know. */
export interface AgentAtKeyboard {
  /** `OpenCode`. */
  readonly agent: string;
  /** `the variable OPENCODE is set`, or `process 4711 is opencode`. */
  readonly sign: string;
}

/** A process that started this one, or started its parent, and so on. */
export interface ParentProcess {
  readonly pid: number;
  /** What the system calls it, and the file that it runs. Either may be missing. */
  readonly names: readonly string[];
  /** Its command line. */
  readonly words: readonly string[];
  /** Its environment when it started, where the system shows it. */
  readonly env: Variables;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Tests pass their own; nothing that a user or an agent can set replaces them in a program. */
export interface AgentSigns {
  readonly env: Variables;
  /** The parent first. Read only if the variables say nothing. */
  readonly parents: () => Iterable<ParentProcess>;
}

interface KnownAgent {
  readonly agent: string;
  /** Set for commands that the agent runs, but not in a person's terminal. */
  readonly variables: readonly string[];
  /** Its program, without `.exe`. */
  readonly programs: readonly string[];
  /** npm packages whose scripts a JavaScript runtime executes. */
  readonly packages: readonly string[];
}

/**
 * Left out on purpose, because a person's own terminal also has them: CURSOR_TRACE_ID, CLAUDE_CODE_SSE_PORT,
 * GEMINI_CLI_IDE_SERVER_PORT, OPENCODE_CALLER, TERM_PROGRAM, REPL_ID, and every setting (CODEX_HOME, COPILOT_MODEL, …).
 */
const knownAgents: readonly KnownAgent[] = [
  { agent: "OpenCode", variables: ["OPENCODE", "OPENCODE_PID"], programs: ["opencode"], packages: ["opencode-ai"] },
  {
    agent: "Claude Code",
    variables: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION"],
    programs: ["claude"],
    packages: ["@anthropic-ai/claude-code", "@anthropic-ai/claude-agent-sdk", "claude/versions"],
  },
  {
    agent: "Copilot",
    variables: ["COPILOT_CLI", "COPILOT_AGENT", "COPILOT_AGENT_SESSION_ID"],
    programs: ["copilot", "copilot-runtime"],
    packages: ["@github/copilot", "@github/copilot-sdk"],
  },
  { agent: "Gemini CLI", variables: ["GEMINI_CLI"], programs: ["gemini"], packages: ["@google/gemini-cli"] },
  { agent: "Cursor", variables: ["CURSOR_AGENT"], programs: ["cursor-agent"], packages: ["cursor-agent"] },
  {
    agent: "Codex",
    variables: ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"],
    programs: ["codex"],
    packages: ["@openai/codex"],
  },
  { agent: "Qwen Code", variables: ["QWEN_CODE"], programs: ["qwen"], packages: ["@qwen-code/qwen-code"] },
  { agent: "Amp", variables: ["AMP_CURRENT_THREAD_ID"], programs: [], packages: ["@sourcegraph/amp"] },
  { agent: "Goose", variables: ["GOOSE_TERMINAL"], programs: [], packages: [] },
  { agent: "Crush", variables: ["CRUSH"], programs: ["crush"], packages: ["@charmland/crush"] },
  { agent: "Cline", variables: ["CLINE_ACTIVE"], programs: [], packages: [] },
  { agent: "Augment", variables: ["AUGMENT_AGENT"], programs: ["auggie"], packages: ["@augmentcode/auggie"] },
  { agent: "Antigravity", variables: ["ANTIGRAVITY_AGENT"], programs: [], packages: [] },
  { agent: "Pi", variables: ["PI_CODING_AGENT"], programs: [], packages: ["@mariozechner/pi-coding-agent"] },
  { agent: "Aider", variables: [], programs: ["aider"], packages: [] },
];

/** The agent that runs this program, if there is a sign of one. */
export function agentAtKeyboard({ env, parents }: AgentSigns): AgentAtKeyboard | undefined {
  const own = variableOf(env);
  if (own !== undefined) return { agent: own.agent, sign: `the variable ${own.variable} is set` };
  for (const parent of parents()) {
    const agent = programOf(parent);
    if (agent !== undefined) return { agent: agent.agent, sign: `process ${parent.pid} is ${agent.program}` };
    // Its child can be started without variables; it cannot be.
    const inherited = variableOf(parent.env);
    if (inherited !== undefined) {
      return {
        agent: inherited.agent,
        sign: `process ${parent.pid} was started with the variable ${inherited.variable}`,
      };
    }
  }
  return undefined;
}

/** Values of a variable that say no. */
const off = /^(?:|0|false|no|off)$/i;

function variableOf(env: Variables): { readonly agent: string; readonly variable: string } | undefined {
  for (const { agent, variables } of knownAgents) {
    const variable = variables.find((name) => !off.test(env[name] ?? ""));
    if (variable !== undefined) return { agent, variable };
  }
  if (!off.test(env.AI_AGENT ?? "")) return { agent: "an agent", variable: "AI_AGENT" };
  // Others use this word for other things, build hosts for one: it has to be what OpenCode sets, or name an agent.
  if (
    /^(?:1|amp|goose|pi|crush|codex|claude|opencode|gemini|cursor|copilot|qwen|aider|auggie)$/i.test(env.AGENT ?? "")
  ) {
    return { agent: "an agent", variable: "AGENT" };
  }
  return undefined;
}

/** For tests of ours, which decide something in projects of their own. */
export function withoutAgentVariables(env: Variables): Record<string, string | undefined> {
  const names = new Set(["AI_AGENT", "AGENT", ...knownAgents.flatMap(({ variables }) => variables)]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

const runtimes = /^(?:node|nodejs|bun|bunx|deno|python[\d.]*|pypy[\d.]*)$/;
/** Options of Node, Bun and Python whose value is a separate word. */
const withValue =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file|-W|-X|--preload)$/;

function programOf({ names, words }: ParentProcess): { readonly agent: string; readonly program: string } | undefined {
  const programs = [...names, words[0] ?? ""].map(baseName);
  let script: string | undefined;
  // The script that a runtime executes: the first word that is neither an option, nor its value, nor a subcommand.
  for (let at = programs.some((name) => runtimes.test(name)) ? 1 : words.length; at < words.length; at++) {
    const word = words[at] ?? "";
    if (withValue.test(word)) at += 1;
    else if (!word.startsWith("-") && !/^(?:run|x|exec)$/.test(word)) {
      script = word;
      break;
    }
  }
  // As an installer names it. A script of the user's own has an ending: `gemini.mjs`.
  if (script !== undefined && !/\.\w+$/.test(script)) programs.push(baseName(script));
  for (const { agent, programs: own, packages } of knownAgents) {
    const program = own.find((name) => programs.includes(name));
    if (program !== undefined) return { agent, program };
    // The installers of Claude Code and Cursor put them below `share`; a clone or a project may be anywhere else.
    const paths = [script ?? "", ...names].map((path) => path.replaceAll("\\", "/"));
    const found = packages.find((name) =>
      ["node_modules", "share"].some((above) => paths.some((path) => path.includes(`/${above}/${name}/`))),
    );
    if (found !== undefined) return { agent, program: found };
  }
  return undefined;
}

/** A program that was replaced while it ran is called `name (deleted)`. */
function baseName(path: string): string {
  const name = path.replace(/ \(deleted\)$/, "").replace(/^.*[\\/]/s, "");
  return name.replace(/\.(?:exe|cmd|js|mjs|cjs|py)$/i, "").toLowerCase();
}

/** This process as it really is. */
export function realSurroundings(): AgentSigns {
  return { env: process.env, parents: process.platform === "linux" ? parentsFromProc : parentsFromPs };
}

/** Nothing has so many parents; a loop has. */
const deepest = 128;

function* parentsFromProc(): Generator<ParentProcess> {
  /** Empty for a process that has ended or belongs to another user. */
  const read = (pid: number | "self", file: string): string => {
    const path = `/proc/${pid}/${file}`;
    try {
      return file === "exe" ? readlinkSync(path) : readFileSync(path, "utf8");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return "";
      throw error;
    }
  };
  // Not process.ppid: in its own PID namespace, a process has a different number than in /proc.
  let child: number | "self" = "self";
  for (let depth = 0; depth < deepest; depth++) {
    // `4711 (a name) with) S 4710 …`: the parent is the second word behind the name.
    const stat = read(child, "stat");
    const pid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0) || 0;
    if (pid <= 0) return;
    const env = read(pid, "environ")
      .split("\0")
      .map((line): [string, string] => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
    yield {
      pid,
      names: [read(pid, "comm").trimEnd(), read(pid, "exe")],
      words: read(pid, "cmdline").split("\0"),
      env: Object.fromEntries(env),
    };
    child = pid;
  }
}

/** Without `ps`, as on Windows, the variables have to suffice. */
function parentsFromPs(): readonly ParentProcess[] {
  try {
    // Loaded only here: most programs that import this file never need it.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const [names = "", words = ""] = ["pid=,ppid=,comm=", "pid=,ppid=,args="].map((columns) =>
      execFileSync("ps", ["-axww", "-o", columns], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
        maxBuffer: 64 * 1024 * 1024,
      }),
    );
    return parentsIn(names, words, process.pid);
  } catch (error) {
    // `status`: a `ps` that has no such options.
    if (error instanceof Error && ("status" in error || "code" in error)) return [];
    throw error;
  }
}

/** The parents of a process in what `ps` printed, once with names and once with command lines. */
export function parentsIn(namesOutput: string, wordsOutput: string, pid: number): readonly ParentProcess[] {
  const [names, words] = [namesOutput, wordsOutput].map(
    (output) =>
      new Map(
        Array.from(output.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*?)\s*$/gm), ([, own, parent, text = ""]) => [
          Number(own),
          { parent: Number(parent), text },
        ]),
      ),
  );
  const found: ParentProcess[] = [];
  let next = names?.get(pid)?.parent ?? 0;
  while (next > 0 && found.length < deepest) {
    const name = names?.get(next);
    if (name === undefined) break;
    found.push({ pid: next, names: [name.text], words: words?.get(next)?.text.split(/\s+/) ?? [], env: {} });
    next = name.parent;
  }
  return found;
}

/** Who runs a program, and how it was called. */
export interface Caller {
  /** Its name and its arguments. */
  readonly commandLine: readonly string[];
  /** The agent that runs it; undefined if there is no sign of one. */
  agent(): AgentAtKeyboard | undefined;
}

/** Call this before a decision that only a person may make. @throws {AgentRefused} */
export function refuseAgent({ commandLine, agent }: Caller, what: string): void {
  const found = agent();
  if (found !== undefined) throw new AgentRefused(found, what, shellLine(commandLine));
}

/** An agent asked for something that only a person may decide. */
export class AgentRefused extends ExplainedError {
  override readonly name = "AgentRefused";

  /** `what` begins the sentence: `atomic approve`. `command` is what a person runs instead. */
  constructor({ agent, sign }: AgentAtKeyboard, what: string, command: string) {
    super("agent-at-keyboard", {
      message: `${what} needs the user's decision, but ${agent} is running this command (${sign})`,
      hint: `Nothing was changed. The user can run this in their own terminal: \`${command}\``,
    });
  }

  /** Waiting for a person. */
  override get exitCode(): 4 {
    return 4;
  }
}
