// What was said and done in a session and those below it, one line each, without what differs from run to run.
import type { OpencodeWithMagnus } from "../../packages/magnus-opus/test/plugin/opencode-with-magnus.ts";

export async function transcriptOf(magnus: OpencodeWithMagnus, session: string, indent = ""): Promise<string> {
  const { run } = magnus.state(session);
  const lines: string[] = [];
  for (const { role, parts } of await magnus.server.reopen(session).messages()) {
    for (const part of parts) {
      if (part.type === "text") lines.push(`${indent}${role === "user" ? "person" : "model"}: ${brief(part.text)}`);
      if (part.type !== "tool") continue;
      const { state, tool } = part;
      const about = state.input.subagent_type ?? state.input.filePath ?? state.input.command ?? "";
      const result =
        state.status === "error" ? state.error : state.status === "completed" ? state.output : state.status;
      const child = state.status === "completed" && tool === "task" ? state.metadata.sessionId : undefined;
      lines.push(`${indent}${[tool, about].join(" ").trim()}${child === undefined ? `: ${brief(result)}` : ""}`);
      if (typeof child === "string") lines.push((await transcriptOf(magnus, child, `${indent}    `)).trimEnd());
    }
  }
  const text = `${lines.join("\n")}\n`.replace(/ skipped, \d+\.\d s/g, " skipped");
  return text.replaceAll(run, "<run>").replaceAll(`${magnus.project.dir}/`, "");
}

/** The line that says most: a heading, what the plugin added to a command, or the first one. */
function brief(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const added = text.split("\n---\n\n")[1]?.split("\n")[0];
  const heading = lines.find((line) => /^## |^Evidence:|^Missing:/.test(line));
  const said = [lines[0], ...[added, heading].filter((line) => line !== undefined && line !== lines[0])];
  return said.join(" … ").slice(0, 240);
}
