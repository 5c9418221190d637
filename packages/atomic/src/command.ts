import type { AnyCommand, ArgumentSpecs, Command, LiveCommand, OptionSpecs } from "@atomic/terminal/command";
import type { AtomicContext } from "./context.ts";

export type AtomicCommand = AnyCommand<AtomicContext>;

/** A command whose input follows from its specs, and whose report follows from what `run` returns. */
export function commandOf<const Arguments extends ArgumentSpecs, const Options extends OptionSpecs, Result>(
  command: Command<AtomicContext, Arguments, Options, Result>,
): AtomicCommand {
  return command;
}

export function liveCommandOf<const Arguments extends ArgumentSpecs, const Options extends OptionSpecs>(
  command: LiveCommand<AtomicContext, Arguments, Options>,
): AtomicCommand {
  return command;
}
