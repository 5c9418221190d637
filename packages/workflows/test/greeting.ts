// A small graph, a host for it and a folder to run it in.
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { scriptedHost } from "../src/hosts/scripted.ts";
import { agentNode, graph } from "../src/index.ts";

export const greeting = graph({ name: "hello" })
  .start(agentNode({ id: "greet", prompt: ({ input }) => `Greet ${input}.` }))
  .end();

export const host = scriptedHost({ script: ({ prompt }) => `Ahoy! (${prompt})` });

export async function inFolder(act: (folder: TemporaryFolder) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  await act(folder);
}
