import { describe, expect, test } from "bun:test";
import {
  AgentRefused,
  agentAtKeyboard,
  type ParentProcess,
  parentsIn,
  realSurroundings,
} from "@atomic/terminal/agent-at-keyboard";
import { shellLine } from "@atomic/terminal/shell-words";

function process(words: string, more: Partial<ParentProcess> = {}): ParentProcess {
  return { pid: 4711, names: [], words: words.split(" "), env: {}, ...more };
}

const shell = process("-bash", { pid: 4712, names: ["bash", "/usr/bin/bash"] });
const desktop = [shell, process("/usr/lib/systemd/systemd --user", { names: ["systemd"] })];

describe("an agent is recognized by a variable that it sets for its commands", () => {
  test.each([
    ["OpenCode", { OPENCODE: "1", AGENT: "1", OPENCODE_PID: "4711" }, "OPENCODE"],
    ["OpenCode", { OPENCODE_PID: "4711" }, "OPENCODE_PID"],
    ["Claude Code", { CLAUDECODE: "1" }, "CLAUDECODE"],
    ["Claude Code", { CLAUDE_CODE_ENTRYPOINT: "cli" }, "CLAUDE_CODE_ENTRYPOINT"],
    [
      "Claude Code",
      { AI_AGENT: "claude-code_2-1-325_agent", CLAUDE_CODE_CHILD_SESSION: "1" },
      "CLAUDE_CODE_CHILD_SESSION",
    ],
    ["Copilot", { COPILOT_CLI: "1" }, "COPILOT_CLI"],
    ["Copilot", { COPILOT_AGENT_SESSION_ID: "d651bed7" }, "COPILOT_AGENT_SESSION_ID"],
    ["Gemini CLI", { GEMINI_CLI: "1" }, "GEMINI_CLI"],
    ["Cursor", { CURSOR_AGENT: "1", CURSOR_TRACE_ID: "c0ffee" }, "CURSOR_AGENT"],
    ["Codex", { CODEX_SANDBOX: "seatbelt" }, "CODEX_SANDBOX"],
    ["Codex", { CODEX_THREAD_ID: "0199" }, "CODEX_THREAD_ID"],
    ["Qwen Code", { QWEN_CODE: "1" }, "QWEN_CODE"],
    ["Goose", { GOOSE_TERMINAL: "1", AGENT: "goose" }, "GOOSE_TERMINAL"],
    ["an agent", { AI_AGENT: "somebody-new@2" }, "AI_AGENT"],
    ["an agent", { AGENT: "1" }, "AGENT"],
    ["an agent", { AGENT: "amp" }, "AGENT"],
    ["an agent", { AGENT: "cursor" }, "AGENT"],
  ] as const)("%s: %o", (agent, env, variable) => {
    expect(agentAtKeyboard({ env, parents: () => [] })).toEqual({ agent, sign: `the variable ${variable} is set` });
  });
});

describe("a person's own terminal is not an agent", () => {
  test.each([
    ["a plain terminal", { TERM: "xterm-256color", SHELL: "/bin/zsh" }],
    ["Visual Studio Code", { TERM_PROGRAM: "vscode", VSCODE_GIT_IPC_HANDLE: "/run/x.sock" }],
    ["Cursor's terminal", { TERM_PROGRAM: "vscode", CURSOR_TRACE_ID: "c0ffee" }],
    [
      "the editor extensions of agents",
      { CLAUDE_CODE_SSE_PORT: "1234", GEMINI_CLI_IDE_SERVER_PORT: "99", OPENCODE_CALLER: "vscode" },
    ],
    [
      "settings of agents",
      { CODEX_HOME: "/home/x/.codex", COPILOT_MODEL: "m", OPENCODE_CONFIG: "/x", CLAUDE_CODE_USE_BEDROCK: "1" },
    ],
    ["a variable that is off", { OPENCODE: "", CLAUDECODE: "0", AGENT: "false", AI_AGENT: "" }],
    ["another use of the word agent", { AGENT: "build-host-7", SSH_AUTH_SOCK: "/tmp/agent.1" }],
    ["a build host that is an agent of its server", { AGENT: "true", CI: "true" }],
    ["continuous integration", { CI: "true", GITHUB_ACTIONS: "true" }],
  ] as const)("%s", (_, env) => {
    expect(agentAtKeyboard({ env, parents: () => desktop })).toBeUndefined();
  });
});

describe("without the variables, an agent is recognized among the parent processes", () => {
  test.each([
    ["OpenCode", "opencode", process("/home/x/.opencode/bin/opencode", { names: ["opencode"] })],
    [
      "OpenCode",
      "opencode",
      process("opencode.exe serve", { names: ["opencode.exe", "/x/opencode-ai/bin/opencode.exe"] }),
    ],
    ["OpenCode", "opencode", process("oc", { names: ["oc", "/x/bin/opencode (deleted)"] })],
    [
      "OpenCode",
      "opencode-ai",
      process("node --no-warnings /x/node_modules/opencode-ai/bin/start.js", { names: ["node"] }),
    ],
    ["Claude Code", "claude", process("claude --continue", { names: ["claude"] })],
    ["Claude Code", "claude", process("node /usr/local/bin/claude", { names: ["node"] })],
    [
      "Claude Code",
      "@anthropic-ai/claude-code",
      process("node /x/node_modules/@anthropic-ai/claude-code/cli.js", { names: ["node"] }),
    ],
    [
      "Claude Code",
      "claude/versions",
      process("2.1.0 --resume", { names: ["2.1.0", "/home/x/.local/share/claude/versions/2.1.0"] }),
    ],
    ["Copilot", "copilot-runtime", process("/x/copilot-runtime --headless", { names: ["copilot-runtime"] })],
    [
      "Copilot",
      "@github/copilot",
      process("node -r ./hook.js /x/node_modules/@github/copilot/index.js", { names: ["node"] }),
    ],
    ["Gemini CLI", "gemini", process("node --max-old-space-size=4096 /opt/homebrew/bin/gemini", { names: ["node"] })],
    [
      "Cursor",
      "cursor-agent",
      process("/home/x/.local/bin/cursor-agent --use-system-ca index.js", { names: ["node"] }),
    ],
    [
      "Cursor",
      "cursor-agent",
      process("node /home/x/.local/share/cursor-agent/versions/1/index.js", { names: ["node"] }),
    ],
    ["Codex", "codex", process("/opt/homebrew/bin/codex", { names: ["/opt/homebrew/bin/codex"] })],
    ["Aider", "aider", process("/usr/bin/python3.12 /home/x/.local/bin/aider --yes", { names: ["aider"] })],
  ] as const)("%s as %s", (agent, program, parent) => {
    const found = agentAtKeyboard({ env: {}, parents: () => [shell, parent, ...desktop] });
    expect(found).toEqual({ agent, sign: `process 4711 is ${program}` });
  });

  test("by a variable of the parent, if the command itself was started without variables", () => {
    const left = process("sh -c …", { names: ["sh"], env: { OPENCODE: "1" } });
    expect(agentAtKeyboard({ env: {}, parents: () => [left] })).toEqual({
      agent: "OpenCode",
      sign: "process 4711 was started with the variable OPENCODE",
    });
  });

  test.each([
    ["an editor with a file of that name", process("vim claude", { names: ["vim"] })],
    ["a script that is told about an agent", process("node build.js opencode", { names: ["node"] })],
    ["a shell that only mentions one", process("sh -c opencode", { names: ["sh"] })],
    ["a project that is called like one", process("node /home/x/opencode/build.js", { names: ["node"] })],
    ["your own script that talks to one", process("node tools/gemini.mjs", { names: ["node"] })],
    ["your own Python script", process("python3 claude.py", { names: ["python3"] })],
    ["a clone of one", process("node /home/x/src/opencode-ai/build.js", { names: ["node"] })],
    ["the editor Cursor", process("/usr/share/cursor/cursor", { names: ["cursor"] })],
    ["tmux", process("tmux new -s claude", { names: ["tmux: server"] })],
  ] as const)("and %s is none", (_, parent) => {
    expect(agentAtKeyboard({ env: {}, parents: () => [shell, parent, ...desktop] })).toBeUndefined();
  });

  test("the parents are not looked at when a variable says enough", () => {
    const parents = (): never => {
      throw new Error("looked");
    };
    expect(agentAtKeyboard({ env: { OPENCODE: "1" }, parents })).toMatchObject({ agent: "OpenCode" });
  });
});

test("ps output is parsed into parents, even with spaces in a name or a process that has exited", () => {
  const names =
    "    1     0 /sbin/launchd\n  400     1 /Applications/My Term.app/term\n  401   400 -zsh\n  402   401 opencode\n  403 402 /bin/sh\n  404   403 node\n  500   499 lost\n";
  const words = "    1     0 /sbin/launchd\n  401   400 -zsh\n  402   401 opencode --continue\n  403 402 sh -c hugo\n";
  const parents = parentsIn(names, words, 404);
  expect(parents.map(({ pid }) => pid)).toEqual([403, 402, 401, 400, 1]);
  expect(parents[3]?.names).toEqual(["/Applications/My Term.app/term"]);
  expect(parents[1]?.words).toEqual(["opencode", "--continue"]);
  expect(agentAtKeyboard({ env: {}, parents: () => parents })).toMatchObject({ sign: "process 402 is opencode" });
  expect(parentsIn(names, words, 500)).toEqual([]);
  expect(parentsIn("7 7 loop\n", "", 7)).toHaveLength(128);
});

test("the real parents of this process begin with its parent", () => {
  const [parent] = realSurroundings().parents();
  expect(parent?.pid).toBe(globalThis.process.ppid);
  expect(parent?.names.length).toBeGreaterThan(0);
});

test("a refusal names the agent, the sign and the command for a person, and exits with 4", () => {
  const refused = new AgentRefused(
    { agent: "OpenCode", sign: "process 4711 is opencode" },
    "atomic approve",
    shellLine(["atomic", "approve", "calm-otter", "it's fine"]),
  );
  expect(refused.message).toBe(
    "atomic approve needs the user's decision, but OpenCode is running this command (process 4711 is opencode)",
  );
  expect(refused.hint).toEndWith(`in their own terminal: \`atomic approve calm-otter 'it'\\''s fine'\``);
  expect(refused).toMatchObject({ code: "agent-at-keyboard", exitCode: 4 });
});
