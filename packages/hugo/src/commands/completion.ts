import type { Command } from "@atomic/terminal/command";
import { completionCommand } from "@atomic/terminal/completion-command";
import type { Context } from "../context.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";

export const completion: HugoCommand = {
  ...(completionCommand("hugo", ["hugo", "hugo-pm"]) as Command<Context>),
  mutates: false,
  without: ["global"],
};
