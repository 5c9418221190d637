// `/magnus-doctor`: the findings of `magnus-opus doctor`, about the OpenCode that is running. It asks that one and starts no other.
import { count } from "@atomic/terminal/count";
import { safeLine } from "@atomic/terminal/safe-text";
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { withCommands } from "../../run/command-names.ts";
import { list, say } from "../../words/template.ts";
import { diagnose, type Finding } from "./diagnose.ts";
import { gatherFacts } from "./gather-facts.ts";
import { type OpencodeAnswer, readLoaded } from "./loaded-opencode.ts";

type Answer = Promise<{ readonly data?: unknown; readonly error?: unknown }>;

/** It does not throw; it returns failures in `error`. */
interface Client {
  readonly app: { agents(): Answer };
  readonly command: { list(): Answer };
  readonly tool: { ids(): Answer };
  readonly config: { providers(): Answer };
  readonly mcp: { status(): Answer };
  /** Its own methods do not include the version. */
  readonly _client?: { get?(request: { readonly url: string }): Answer };
}

const marks = { ok: "✓", note: "·", degraded: "✗" } as const;

export async function doctorWords({ client, directory }: PluginContext): Promise<string> {
  const opencode = await askRunning(client as unknown as Client);
  const facts = await gatherFacts(directory, process.env.PATH, opencode);
  const findings = diagnose(facts);
  const bad = findings.filter(({ status }) => status === "degraded").length;
  return say("doctor", {
    directory: safeLine(directory),
    findings: list(findings.map(findingLine)),
    verdict: bad === 0 ? "Everything works." : `${count(bad, "problem")} found.`,
    restart: bad === 0 ? "" : withCommands(say("doctor-restart"), facts.commandNames),
  });
}

function findingLine(finding: Finding): string {
  const line = `${marks[finding.status]} ${safeLine(finding.what)}`;
  return finding.status === "degraded" ? `${line}. Fix: ${safeLine(finding.fix)}` : line;
}

async function askRunning(client: Client): Promise<OpencodeAnswer> {
  const { app, command, tool, config, mcp } = client;
  const answers = await Promise.all([app.agents(), command.list(), tool.ids(), config.providers(), mcp.status()]);
  const failed = answers.find(({ error }) => error !== undefined);
  if (failed !== undefined)
    throw new Error(`OpenCode failed to return what it has loaded: ${JSON.stringify(failed.error)}`);
  const [agents, commands, tools, providers, servers] = answers.map(({ data }) => data);
  const health = (await client._client?.get?.({ url: "/global/health" }))?.data as { version?: string } | undefined;
  return {
    kind: "asked",
    loaded: readLoaded(health?.version, { agents, commands, tools, providers, mcp: servers }),
  };
}
