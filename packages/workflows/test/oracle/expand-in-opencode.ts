import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import type { ArgumentCase } from "../arguments-cases.ts";
import { commandFile, distinctCommands } from "./command-files.ts";

/** What OpenCode sends to the model for each case: one server, one session a case. */
export async function expandInOpenCode(cases: readonly ArgumentCase[]): Promise<string[]> {
  const commands = distinctCommands(cases);
  const files = commands.map((command, i) => [`.opencode/command/c${i}.md`, commandFile(command)] as const);
  await using project = await tmpProject({ files: Object.fromEntries(files) });
  await using model = await modelServer({ allowUnused: true });
  await using server = await opencodeServe(project, { model });
  model.expect().always().reply("ok");

  const sent: string[] = [];
  for (const row of cases) {
    const command = `c${commands.findIndex((candidate) => candidate.matches(row))}`;
    const { id } = await server.session({ title: "A session with a title needs none from the model" });
    await server.client.session.command({ sessionID: id, command, arguments: row.input }, { throwOnError: true });
    sent.push(userText(model.prompts.at(-1)?.raw));
  }
  return sent;
}

function userText(request: unknown): string {
  const { messages } = request as { messages: { role: string; content: string | { text?: string }[] }[] };
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
