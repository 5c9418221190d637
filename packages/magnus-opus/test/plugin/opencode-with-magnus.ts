// A project with Magnus Opus on the real OpenCode and a scripted model, and what a person can do in it.
import { pathToFileURL } from "node:url";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import type { MagnusState } from "../../src/run/state.ts";
import { readRun } from "../../src/sessions/journal.ts";
import { Sessions } from "../../src/sessions/sessions.ts";

type Server = Awaited<ReturnType<typeof opencodeServe>>;

export const pluginSource = pathToFileURL(`${import.meta.dirname}/../../src/plugin.ts`).href;

/** Fails while there is a test of something that is not there yet; prints what jest would. */
const check = `#!/bin/sh
if [ -f convex/made.test.ts ] && [ ! -f convex/made.ts ] || [ -f src/broken ]; then
  printf 'Test Suites: 1 failed, 1 total\\nTests:       1 failed, 2 passed, 3 total\\nSnapshots:   0 total\\nTime:        1 s\\n'; exit 1
fi
printf 'Test Suites: 1 passed, 1 total\\nTests:       3 passed, 3 total\\nSnapshots:   0 total\\nTime:        1 s\\n'
`;

export const projectFiles: Readonly<Record<string, FileContent>> = {
  "check.sh": check,
  "src/app.html": "<html></html>\n",
  "svelte.config.js": "export default {};\n",
  ".opencode/magnus-opus.json": { tests: { command: ["sh", "check.sh"] } },
};

export class OpencodeWithMagnus {
  readonly model: ModelServer;
  readonly project: Project;
  readonly server: Server;

  constructor(model: ModelServer, project: Project, server: Server) {
    this.model = model;
    this.project = project;
    this.server = server;
  }

  static async open(
    files: Readonly<Record<string, FileContent>> = {},
    plugins = [pluginSource],
  ): Promise<OpencodeWithMagnus> {
    const model = await modelServer({ models: ["model-1", "model-2"] });
    const project = await tmpProject({ files: { ...projectFiles, ...files } });
    return new OpencodeWithMagnus(model, project, await opencodeServe(project, { model, plugins }));
  }

  /** A person types a command; ends when the agents have nothing left to do. */
  async type(
    session: string,
    command: string,
    words = "",
    { server = this.server, directory = this.project.dir } = {},
  ) {
    const after = server.events.length;
    const { data } = await server
      .clientFor(directory)
      .session.command({ sessionID: session, command, arguments: words }, { throwOnError: true });
    await server.waitForEvent("session.idle", { sessionID: session, after });
    return data.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  }

  async session(directory?: string): Promise<string> {
    return (await this.server.session(directory === undefined ? {} : { directory })).id;
  }

  /** What the model last received after the user's text. */
  lastPrompt(text: string | RegExp): string {
    const found = this.model.prompts.findLast(({ user }) =>
      typeof text === "string" ? user.includes(text) : text.test(user),
    );
    if (found === undefined) throw new Error(`The model was not asked ${text}`);
    return found.user;
  }

  /** The only run of the project, or the newest of a session. */
  state(session?: string, directory = this.project.dir): MagnusState {
    const runs = new Sessions(directory).list().map(({ folder }) => readRun(`${folder}/journal.jsonl`).state!);
    const found = runs.find((run) => session === undefined || Object.hasOwn(run.sessions, session));
    if (found === undefined) throw new Error("There is no such run.");
    return found;
  }

  /** Results of the tools that were called in a session, by tool. */
  async results(session: string, directory = this.project.dir): Promise<string[]> {
    const messages = await this.server.reopen(session, directory).messages();
    return messages.flatMap(({ parts }) =>
      parts.flatMap((part) => {
        if (part.type !== "tool") return [];
        return [
          `${part.tool}: ${part.state.status === "error" ? part.state.error : part.state.status === "completed" ? part.state.output : part.state.status}`,
        ];
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.project[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
  }
}
