// What the real programs set for the commands that they run, and whose children those are.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import type { AgentAtKeyboard } from "@atomic/terminal/agent-at-keyboard";
import { claudeQuery } from "@atomic/testing/claude";
import { copilotClient } from "@atomic/testing/copilot";
import { heavyHost } from "@atomic/testing/heavy";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(120_000);

const source = fileURLToPath(import.meta.resolve("@atomic/terminal/agent-at-keyboard"));
/** As it is, and as if no process had any variables. */
const look = `import { agentAtKeyboard, realSurroundings } from ${JSON.stringify(source)};
const { env, parents } = realSurroundings();
const nameless = () => [...parents()].map((parent) => ({ ...parent, env: {} }));
for (const surroundings of [{ env, parents }, { env: {}, parents: nameless }]) {
  console.log("FOUND " + JSON.stringify(agentAtKeyboard(surroundings) ?? null));
}`;

interface Host {
  readonly agent: string;
  readonly tool: string;
  readonly variable: string;
  readonly program: string;
  readonly missing: string | undefined;
  ask(project: Project, model: ModelServer): Promise<unknown>;
}

const hosts: readonly Host[] = [
  {
    agent: "OpenCode",
    tool: "bash",
    variable: "OPENCODE",
    program: "opencode",
    missing: undefined,
    ask: async (project, model) => {
      await using server = await opencodeServe(project, { model });
      return await server.ask("look");
    },
  },
  {
    agent: "Claude Code",
    tool: "Bash",
    variable: "CLAUDECODE",
    program: "claude",
    missing: reasonOf("claude"),
    ask: async (project, model) => {
      await using claude = await claudeQuery(project, model, "look");
      return await claude.answer();
    },
  },
  {
    agent: "Copilot",
    tool: "bash",
    variable: "COPILOT_CLI",
    program: "copilot-runtime",
    missing: reasonOf("copilot"),
    ask: async (project, model) => {
      await using copilot = await copilotClient(project, model);
      return await (await copilot.createSession()).sendAndWait("look");
    },
  },
];

function reasonOf(name: "claude" | "copilot"): string | undefined {
  const host = heavyHost(name);
  return host.available ? undefined : host.reason;
}

for (const { agent, tool, variable, program, missing, ask } of hosts) {
  if (missing !== undefined) console.warn(`skipped: what ${agent} sets for its commands: ${missing}`);
  describe.skipIf(missing !== undefined)(agent, () => {
    test(`is recognized by ${variable}, and as a parent when no variable is left`, async () => {
      await using project = await tmpProject({ files: { "look.ts": look } });
      await using model = await modelServer();
      const command = `'${process.execPath}' look.ts`;
      let said = "";
      model
        .expect("look")
        .tool(tool, { command, description: "Look" })
        .then.reply(({ toolResults }) => {
          said = toolResults.join("\n");
          return "seen";
        });
      await ask(project, model);
      const found = Array.from(said.matchAll(/^FOUND (.*)$/gm), ([, json = ""]) => JSON.parse(json) as AgentAtKeyboard);
      expect(found).toEqual([
        { agent, sign: `the variable ${variable} is set` },
        { agent, sign: expect.stringMatching(new RegExp(`^process \\d+ is ${program}$`)) },
      ]);
    });
  });
}
