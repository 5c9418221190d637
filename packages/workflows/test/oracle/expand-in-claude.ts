import { loadHeavyHost, offline } from "@atomic/testing/heavy";
import { markedProcesses } from "@atomic/testing/marked-processes";
import { modelServer } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";
import type { ArgumentCase } from "../arguments-cases.ts";
import { commandFile, distinctCommands } from "./command-files.ts";

interface ClaudeSdk {
  query(request: {
    prompt: AsyncIterable<unknown>;
    options: Record<string, unknown>;
  }): AsyncIterable<{ readonly type: string }>;
}

/** What Claude Code sends to the model for each case. One process takes them all, one message after the other. */
export async function expandInClaude(cases: readonly ArgumentCase[]): Promise<string[]> {
  const sdk = (await loadHeavyHost("claude")) as ClaudeSdk;
  const commands = distinctCommands(cases);
  const files = commands.map((command, i) => [`.claude/commands/c${i}.md`, commandFile(command)] as const);
  await using project = await tmpProject({ git: false, files: Object.fromEntries(files) });
  await using model = await modelServer({ allowUnused: true });
  await using processes = await markedProcesses();
  model.expect().always().reply("ok");

  const sent: string[] = [];
  let answered = Promise.withResolvers<void>();
  async function* messages(): AsyncGenerator<unknown> {
    for (const row of cases) {
      const content = `/c${commands.findIndex((command) => command.matches(row))} ${row.input}`;
      yield { type: "user", session_id: "", parent_tool_use_id: null, message: { role: "user", content } };
      await answered.promise;
      answered = Promise.withResolvers<void>();
    }
  }
  const conversation = sdk.query({ prompt: messages(), options: optionsFor(project, model.url, processes.env) });
  for await (const { type } of conversation) {
    if (type !== "result") continue;
    sent.push(expandedText(model.prompts.at(-1)?.raw));
    answered.resolve();
  }
  return sent;
}

function optionsFor(
  project: { readonly dir: string; readonly env: Readonly<Record<string, string>> },
  url: string,
  mark: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1" };
  return {
    cwd: project.dir,
    model: "sonnet",
    settingSources: ["project"],
    env: { ...project.env, ...mark, ...offline, ...quiet, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" },
  };
}

/** A command arrives as a note about itself, followed by its text. */
function expandedText(request: unknown): string {
  const { messages } = request as { messages: { role: string; content: string | { text?: string }[] }[] };
  const content = messages.findLast(({ role }) => role === "user")?.content ?? [];
  const texts = typeof content === "string" ? [content] : content.map(({ text = "" }) => text);
  const note = texts.findIndex((text) => text.includes("<command-name>"));
  return note === -1 ? `no command: ${texts.join("\n")}` : (texts[note + 1] ?? "");
}
