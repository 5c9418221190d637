import { nodeOutput } from "@atomic/workflows/internal/graph/node-output";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { StepNote } from "@atomic/workflows/internal/run/events";
import type { RunState } from "@atomic/workflows/internal/run/run-state";
import { notesOf } from "../view/transcript.ts";
import type { AgentSession, NodeDetail } from "./draw/messages.ts";

/** What a node was told, said and did. @param notes All notes of the run. */
export async function readNode(
  engine: Pick<LocalEngine, "load">,
  state: RunState,
  path: string,
  notes: readonly StepNote[],
): Promise<NodeDetail> {
  const found = await nodeOutput(engine, state, path);
  const output = found.kind === "said" ? found.output : undefined;
  const key = found.kind === "said" || found.kind === "silent" ? found.key : path;
  // Corrections of a reply are steps of their own.
  const own = [path, ...[...state.calls.keys()].filter((each) => each.startsWith(`${path}:repair`))];
  return {
    key: key.replace(/:repair\d+$/, ""),
    output:
      output === undefined || output === null
        ? undefined
        : typeof output === "string"
          ? output
          : JSON.stringify(output, null, 2),
    transcript: own.flatMap((each) => notesOf(notes, each)),
    session: await sessionOf(engine, state, path),
  };
}

/** How a terminal continues a host's session. */
const commands: Readonly<Record<string, (id: string) => string>> = {
  opencode: (id) => `opencode --session ${id}`,
  claude: (id) => `claude --resume ${id}`,
  copilot: (id) => `copilot --resume ${id}`,
};

async function sessionOf(
  engine: Pick<LocalEngine, "load">,
  { runId, calls }: RunState,
  path: string,
): Promise<AgentSession | undefined> {
  const sent = calls.get(path);
  const opened = calls.get(`${path}:session`);
  const results = [sent, opened].flatMap((call) =>
    call?.kind === "step" && call.phase.kind === "finished" ? call.phase.result : [],
  );
  for (const result of results) {
    const session = await engine.load(runId, result, ["session"]);
    const { host, id } = (typeof session === "object" && session !== null ? session : {}) as {
      host?: unknown;
      id?: unknown;
    };
    if (typeof host !== "string" || typeof id !== "string") continue;
    const isPlain = /^[\w.-]+$/.test(id);
    return { host, id, command: isPlain && Object.hasOwn(commands, host) ? commands[host]?.(id) : undefined };
  }
  return undefined;
}
