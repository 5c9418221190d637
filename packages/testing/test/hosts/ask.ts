// `bun ask.ts <claude|copilot|opencode> <command>`: the host runs the command in its shell tool and prints the model's
// last reply. A separate program, so tests can trace it and kill it.
import { claudeQuery } from "@atomic/testing/claude";
import { copilotClient } from "@atomic/testing/copilot";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";

const [host, command] = process.argv.slice(2);
await using model = await modelServer();
await using project = await tmpProject();
const tool = host === "claude" ? "Bash" : "bash";
model
  .expect("run it")
  .tool(tool, { command, description: "Run it" })
  .then.reply(({ toolResults }) => `it said ${toolResults[0]}`);
console.log(`model ${model.url}`);
if (host === "claude") {
  await using claude = await claudeQuery(project, model, "run it");
  console.log((await claude.answer()).text);
} else if (host === "copilot") {
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession();
  console.log(await session.sendAndWait("run it"));
} else {
  await using server = await opencodeServe(project, { model });
  console.log((await server.ask("run it")).text);
}
