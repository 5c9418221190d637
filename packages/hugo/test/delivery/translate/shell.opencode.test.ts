// What the real OpenCode runs in a shell when a skill or a command is used.
import { expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { deliverPlugin } from "./deliver.ts";

setDefaultTimeout(180_000);

const body = "No `#REF!`touch ran-between` and no `x`.";
const files = {
  "skills/xlsx/SKILL.md": `---\nname: xlsx\ndescription: Tables\n---\n${body}\n`,
  "commands/tidy.md": `---\ndescription: Tidies\n---\n${body}\n`,
};

test("OpenCode runs code between backticks behind an exclamation mark, but not after translation", async () => {
  await using model = await modelServer();
  await using project = await tmpProject({
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [`.opencode/${path}`, text])),
  });
  await using server = await opencodeServe(project, { model });
  const use = async (command: string): Promise<string> => {
    model.expect(/REF/).reply("done");
    const { id } = await server.session();
    await server.client.session.command({ sessionID: id, command, arguments: "" }, { throwOnError: true });
    const ran = await project.exists("ran-between");
    await project.run(["rm", "-f", "ran-between"]);
    return `${command} ${ran}`;
  };
  // A skill can be used as a command, and then it is expanded like one.
  expect([await use("xlsx"), await use("tidy")]).toEqual(["xlsx true", "tidy true"]);
  for (const [path, { bytes }] of deliverPlugin(files).files) await project.write(`.opencode/${path}`, bytes);
  await server.reload();
  expect([await use("xlsx"), await use("tidy")]).toEqual(["xlsx false", "tidy false"]);
});
