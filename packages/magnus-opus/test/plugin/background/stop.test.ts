import { expect, test } from "bun:test";
import { OpencodeWithMagnus } from "../opencode-with-magnus.ts";

const launching = (name: string) => ({ description: `look for ${name}`, prompt: `Find ${name}.`, agent: "explorer" });

test("/magnus-stop stops every task of an idle session, and nothing wakes it", async () => {
  await using opencode = await OpencodeWithMagnus.open();
  const { model, server } = opencode;
  model.expect("Find the dog").hang();
  model.expect("Find the bird").hang();
  model
    .expect("Find pets")
    .tool("background_task", launching("the dog"))
    .tool("background_task", launching("the bird"))
    .then.reply("Waiting");
  const session = await opencode.session();
  await server.reopen(session).prompt("Find pets", { agent: "orchestrator" });
  await model.waitFor("Find the dog");
  await model.waitFor("Find the bird");
  // OpenCode reports nothing if it is told to stop an idle session.
  await server.reopen(session).abort();
  model.expect(/typed `\/magnus-status/).reply("shown");
  await opencode.type(session, "magnus-status");
  const status = opencode.lastPrompt(/typed `\/magnus-status/);
  expect(status).toContain("Background tasks (`/magnus-stop` stops them):");
  expect(status.match(/: working/g)).toHaveLength(2);

  model.expect(/typed `\/magnus-stop`/).reply("stopped");
  expect(await opencode.type(session, "magnus-stop")).toBe("stopped");
  const told = opencode.lastPrompt(/typed `\/magnus-stop`/);
  expect(told).toContain("Stopped 2 background tasks:");
  for (const name of ["dog", "bird"]) {
    await model.waitFor((request) => request.user.includes(`Find the ${name}`) && request.aborted);
    expect(told).toContain(`(explorer: look for the ${name})`);
  }
  const before = model.prompts.length;
  model.expect(/typed `\/magnus-stop`/).reply("nothing to stop");
  await opencode.type(session, "magnus-stop");
  expect(opencode.lastPrompt(/typed `\/magnus-stop`/)).toContain("No background task of this session is working.");
  expect(model.prompts.length).toBe(before + 1);
  model.verify();
}, 120_000);
