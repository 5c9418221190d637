// A server with one tool, `push`, which writes the file that it is started with.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file] = process.argv.slice(2);
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "github", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "push", description: "Pushes", inputSchema: { type: "object" } }] }),
  "tools/call": () => {
    writeFileSync(file, "pushed");
    return { content: [{ type: "text", text: "pushed" }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
});
