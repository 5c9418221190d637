// Sends prompts, each in a session of its own: `opencode-prompts.ts <options as JSON> <folder> <prompt> …`. All but the first
// at the same time. Allows everything.
import { opencodeHost } from "../../../src/hosts/opencode.ts";

const [options = "{}", folder = "", first = "", ...others] = process.argv.slice(2);
const host = opencodeHost(JSON.parse(options));
await send(first);
await Promise.all(others.map(send));
await host.dispose();
console.log("disposed");

async function send(prompt: string): Promise<void> {
  const session = await host.create({ folder });
  console.log(`session ${session.id} of ${prompt}`);
  for await (const event of session.send(prompt, { key: prompt })) {
    if (event.type === "permission") await event.answer("allow");
    if (event.type === "end") console.log(`end ${event.text}`);
  }
}
