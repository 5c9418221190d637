import { expect, setDefaultTimeout, test } from "bun:test";
import { copilotClient } from "@atomic/testing/copilot";
import { heavyHost } from "@atomic/testing/heavy";
import { modelServer, wires } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

const host = heavyHost("copilot");
if (!host.available) console.warn(`skipped: tests of the Copilot SDK: ${host.reason}`);
const copilotTest = test.skipIf(!host.available);

for (const { name: wire } of wires) {
  copilotTest(`Copilot really runs a tool over ${wire} and sends the model its output`, async () => {
    await using model = await modelServer();
    await using project = await tmpProject();
    model
      .expect("make a file")
      .tool("bash", { command: "echo $((6 * 7)) > made.txt && cat made.txt", description: "Make a file" })
      .then.reply("made");
    await using copilot = await copilotClient(project, model);
    const session = await copilot.createSession({ wire });
    expect(await session.sendAndWait("make a file")).toBe("made");
    expect(await project.read("made.txt")).toBe("42\n");
    expect(model.requests.at(-1)?.toolResults[0]).toStartWith("42\n");
  });
}

copilotTest("a disconnected session rejects pending waits", async () => {
  await using model = await modelServer();
  await using project = await tmpProject();
  await using copilot = await copilotClient(project, model);
  const session = await copilot.createSession();
  const waiting = session.waitFor("session.idle");
  await session.disconnect();
  await expect(waiting).rejects.toThrow("No event session.idle: the session was disconnected");
});
