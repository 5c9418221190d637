// Ralph works through three tasks on the real OpenCode. In the middle of the second one it is killed, and then resumed.
import { join } from "node:path";
import type { ModelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import type { Project } from "@atomic/testing/project";
import { interrupted, say } from "./output.ts";

const bin = join(import.meta.dirname, "../../packages/atomic/bin/atomic.js");

const tasks = [
  { id: "hull", name: "Build the hull", status: "pending" },
  { id: "mast", name: "Step the mast", status: "pending", dependencies: ["hull"] },
  { id: "sail", name: "Hoist the sail", status: "pending", dependencies: ["mast"] },
];

export async function ralphPart(project: Project, model: ModelServer): Promise<void> {
  await project.write("research/tasks.json", { version: "1.0", tasks });
  await project.write("~/.config/opencode/opencode.json", opencodeConfig(model));
  expectTask(model, "hull");
  model.expect(asks("mast")).reply("Let me see").hang();
  expectTask(model, "mast");
  expectTask(model, "sail");

  const killed = await atomic(project, "run", "ralph", "--allow", "all");
  await Promise.race([model.waitFor(asks("mast"), { deadline: 120_000 }), endOf(killed), interrupted]);
  const [, runId = ""] = await killed.printed(/^▸ ralph (\S+)/, 30_000);
  process.kill(killed.pid, "SIGKILL");
  await killed.exited;
  say("(kill -9 in the middle of the second task)");

  await toTheEnd(await atomic(project, "tasks"));
  await toTheEnd(await atomic(project, "resume", runId));
  await toTheEnd(await atomic(project, "show", runId));
  const boat = await project.read("boat.txt");
  if (boat !== "hull\nmast\nsail\n") throw new Error(`Ralph did not build the boat described in the tasks:\n${boat}`);
}

const asks = (id: string): string => `"id": "${id}"`;

/** The agent does something that would be visible if done twice. */
function expectTask(model: ModelServer, id: string): void {
  model
    .expect(asks(id))
    .tool("bash", { command: `echo ${id} >> boat.txt`, description: `Adds the ${id}` })
    .then.reply("Done, and its checks pass.\n\n<outcome>passing</outcome>");
}

/** Runs a command as a user would; its output is shown as it is printed. */
async function atomic(project: Project, ...words: string[]): Promise<OwnedProcess> {
  say(`$ atomic ${words.join(" ")}`);
  const command = ["sh", "-c", 'exec node "$@" 2>&1', "sh", bin, ...words];
  const owned = await project.start(command);
  let shown = 0;
  const show = (): void => {
    process.stdout.write(owned.stdout.slice(shown));
    shown = owned.stdout.length;
  };
  const showing = setInterval(show, 50);
  void owned.exited.then(() => {
    clearInterval(showing);
    show();
  });
  return owned;
}

async function toTheEnd(owned: OwnedProcess): Promise<void> {
  const { code, signal } = await Promise.race([owned.exited, interrupted]);
  if (code !== 0) throw new Error(`${owned.argv.at(-2)} ${owned.argv.at(-1)} exited with ${signal ?? code}.`);
}

/** Fails if the run ends by itself. */
async function endOf(owned: OwnedProcess): Promise<never> {
  await owned.exited;
  throw new Error("The run ended before its second task.");
}
