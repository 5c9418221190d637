// Tells an agent when most of what it wrote is comments.
import { tooManyComments } from "../../turn/comments.ts";
import { say, words } from "../../words/template.ts";
import type { MakeTurnHook } from "./turn-hook.ts";

interface Written {
  readonly filePath?: unknown;
  readonly content?: unknown;
  readonly oldString?: unknown;
  readonly newString?: unknown;
}

export const commentChecker: MakeTurnHook = ({ settings }) => ({
  // OpenCode calls this only for tools that have succeeded.
  afterTool({ tool, args, output }) {
    if (tool !== "write" && tool !== "edit") return undefined;
    const { filePath, content, oldString, newString } = (args ?? {}) as Written;
    const code = tool === "write" ? content : newString;
    if (typeof filePath !== "string" || typeof code !== "string") return undefined;
    const found = tooManyComments(filePath, code, typeof oldString === "string" ? oldString : "");
    if (found === undefined) return undefined;
    const advice = settings.config.commentChecker?.custom_prompt ?? words("turn/comment-advice");
    const { comments, lines } = found;
    const remark = say("turn/comments", { path: filePath, comments: String(comments), lines: String(lines), advice });
    return `${output}\n\n${remark}`;
  },
});
