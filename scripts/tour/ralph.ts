// Ralph works through three tasks on the real OpenCode. In the middle of the second one it is killed, and then resumed.
import { readdir } from "node:fs/promises";
import type { ModelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import type { Project } from "@atomic/testing/project";
import { isTerminal, say, showFile, write } from "./output.ts";
import { run, type ShownProgram, start } from "./programs.ts";
import { stand, written } from "./stand.ts";

/** Returns the id of the run. */
export async function ralphPart(project: Project, model: ModelServer): Promise<string> {
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model));
  expectTask(model, "total");
  model.expect(asks("change")).reply("Let me see").hang();
  expectTask(model, "change");
  expectTask(model, "receipt");

  const killed = start(project, ["atomic", "run", "ralph", "--allow", "all"]);
  await Promise.race([model.waitFor(asks("change"), { deadline: 120_000 }), endOf(killed)]);
  process.kill(killed.pid, "SIGKILL");
  await killed.exited;
  if (isTerminal) write("\x1b[?25h\n"); // it could not show the cursor again
  say("That was kill -9, in the middle of the second task. What was done is not lost:");

  await run(project, "atomic", "tasks");
  const [runId = ""] = (await readdir(project.path(".atomic/runs"))).filter((name) => !name.startsWith("."));
  await run(project, "atomic", "resume", runId);
  const till = await project.read("src/till.js");
  const expected = stand["src/till.js"] + Object.values(written).join("");
  if (till !== expected) throw new Error(`Ralph did not write each function once:\n${till}`);
  say("Three functions, each written exactly once:");
  showFile("src/till.js", till);
  return runId;
}

const asks = (id: string): string => `"id": "${id}"`;

function expectTask(model: ModelServer, id: string): void {
  model
    .expect(asks(id))
    .tool("bash", { command: `cat >> src/till.js <<'end'\n${written[id]}end`, description: `Adds ${id}()` })
    .then.reply("Done, and its checks pass.\n\n<outcome>passing</outcome>");
}

/** Fails if the run ends by itself. */
async function endOf(program: ShownProgram): Promise<never> {
  await program.exited;
  throw new Error("The run ended before its second task.");
}
