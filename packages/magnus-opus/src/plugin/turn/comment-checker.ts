// Tells an agent when most of what it wrote is comments.
import { resolve } from "node:path";
import { tooManyComments } from "../../turn/comments.ts";
import { writtenBy } from "../../turn/written-code.ts";
import { say, words } from "../../words/template.ts";
import { textOf } from "./text-of.ts";
import type { MakeTurnHook } from "./turn-hook.ts";

export const commentChecker: MakeTurnHook = ({ settings, context }) => {
  /** What calls of `write` are about to replace, by session and path. */
  const replaced = new Map<string, Map<string, string>>();
  return {
    async beforeTool({ session, tool, args }) {
      const [file] = tool === "write" ? writtenBy(tool, args) : [];
      if (file === undefined) return;
      const text = await textOf(resolve(context.directory, file.path));
      replaced.set(session, (replaced.get(session) ?? new Map<string, string>()).set(file.path, text));
    },
    // OpenCode calls this only for tools that have succeeded.
    afterTool({ session, tool, args, output }) {
      const advice = settings.config.commentChecker?.custom_prompt ?? words("turn/comment-advice");
      const old = tool === "write" ? replaced.get(session) : undefined;
      const remarks = writtenBy(tool, args).flatMap(({ path, code, before }) => {
        const found = tooManyComments(path, code, old?.get(path) ?? before);
        old?.delete(path);
        if (found === undefined) return [];
        const { comments, lines } = found;
        return [say("turn/comments", { path, comments: String(comments), lines: String(lines), advice })];
      });
      return remarks.length === 0 ? undefined : [output, ...remarks].join("\n\n");
    },
    forget: (session) => void replaced.delete(session),
  };
};
