// Sends prompts, each in a session of its own: `opencode-prompts.ts <options as JSON> <folder> <prompt> …`.
import { opencodeHost } from "../../../src/hosts/opencode.ts";

const [options = "{}", folder = "", ...prompts] = process.argv.slice(2);
const host = opencodeHost(JSON.parse(options));
for (const prompt of prompts) {
  const session = await host.create({ folder });
  console.log(`session ${session.id} of ${prompt}`);
  for await (const event of session.send(prompt, { key: prompt })) {
    if (event.type === "end") console.log(`end ${event.text}`);
  }
}
await host.dispose();
console.log("disposed");
