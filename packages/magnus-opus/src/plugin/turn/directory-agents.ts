// The AGENTS.md files that apply to a file that an agent changed. OpenCode adds them only to what is read.
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { errnoOf } from "@atomic/durable-files/files/errno";
import { editedPaths, kindOf } from "../../run/tool-kind.ts";
import { say } from "../../words/template.ts";
import type { MakeTurnHook } from "./turn-hook.ts";

/** A longer one is a document, not instructions. */
const mostCharacters = 20_000;

export const directoryAgents: MakeTurnHook = ({ workplace: { directory } }) => {
  /** By session: the files whose instructions the conversation contains. */
  const given = new Map<string, Set<string>>();
  return {
    async afterTool({ session, tool, args, metadata, output }) {
      const known = given.get(session) ?? new Set<string>();
      given.set(session, known);
      const { loaded } = (metadata ?? {}) as { readonly loaded?: unknown };
      if (Array.isArray(loaded)) for (const path of loaded) known.add(resolve(directory, String(path)));
      if (kindOf(tool, []) !== "edit") return undefined;
      const changed = (editedPaths(tool, args) ?? []).map((path) => resolve(directory, path));
      const files = new Set(changed.flatMap((path) => agentsFilesAbove(directory, path)));
      const remarks: string[] = [];
      for (const path of files) {
        if (known.has(path)) continue;
        known.add(path);
        const text = await contentOf(path);
        if (text !== "") remarks.push(say("turn/directory", { path: relative(directory, path), text }));
      }
      return remarks.length === 0 ? undefined : [output, ...remarks].join("\n\n");
    },
    onEvent(type, { sessionID = "" }) {
      if (type === "session.compacted") given.delete(sessionID);
    },
    forget: (session) => void given.delete(session),
  };
};

/** From the outside in. The one of the project itself is in the system prompt. */
function agentsFilesAbove(directory: string, path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== directory && folder !== dirname(folder); folder = dirname(folder))
    folders.unshift(folder);
  const isInside = path.startsWith(join(directory, "/"));
  return isInside ? folders.map((folder) => join(folder, "AGENTS.md")) : [];
}

async function contentOf(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim().slice(0, mostCharacters);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}
