import type { Command } from "@atomic/terminal/command";
import { completionCommand } from "@atomic/terminal/completion-command";
import type { Context } from "../context.ts";
import type { Operation } from "./shared/operation.ts";

export const completion: Operation = {
  ...(completionCommand("hugo", ["hugo", "hugo-pm"]) as Command<Context>),
  mutates: false,
};
