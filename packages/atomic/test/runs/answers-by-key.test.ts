// The printed command answers the question it was printed for, and never the one after it.
import { expect, test } from "bun:test";
import { atomic } from "../atomic.ts";
import { projectWith } from "./begun.ts";
import { run, runIds } from "./running.ts";

const twice = `{ name: "twice" }, (graph) => graph
  .wait(waitNode({ id: "tests", prompt: "Run the tests?" }))
  .wait(waitNode({ id: "drop", prompt: "Delete production?" }))`;

test("the printed command, run again at the next question, leaves that one open", async () => {
  await using project = await projectWith({ twice });
  const { stderr } = await run(project, "twice", "--no-wait");
  const [id = ""] = runIds(project);
  const [, command = ""] = /^ {4}atomic (approve .*?) +# yes$/m.exec(stderr) ?? [];
  const pasted = command.split(" ");
  expect(await atomic(project, pasted)).toMatchObject({ code: 0, stdout: `${id}: Run the tests? yes\n` });
  expect(await atomic(project, ["resume", id, "--no-wait"])).toMatchObject({ code: 4 });
  expect(await atomic(project, pasted)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${id}: "tests" was already answered with true`),
  });
  const { stdout } = await atomic(project, ["show", id, "--json"]);
  expect(JSON.parse(stdout).questions).toMatchObject([{ key: "drop" }]);
});
