// The terminal is lent to another program. It comes back as it was, even from a program that was killed and could not clean up.
import { spawnSync } from "node:child_process";
import type { AtomicContext } from "../context.ts";
import { runInForeground } from "../other-programs.ts";

export async function lendTerminal(
  context: Pick<AtomicContext, "signals" | "cwd" | "env" | "stderr">,
  command: readonly string[],
): ReturnType<typeof runInForeground> {
  const modes = lineModes();
  try {
    return await runInForeground(context, command);
  } finally {
    // Always: a program that only starts another one, as npm's do, may end with 0 when the other was killed.
    if (modes !== undefined) spawnSync("stty", [modes], { stdio: ["inherit", "ignore", "ignore"] });
    if (context.env.TERM !== "dumb") context.stderr.write(sane);
  }
}

/**
 * How the terminal treats what is typed. Node and Bun take what they find for what was there before, so questions and the next
 * program would get what a killed one has left.
 */
function lineModes(): string | undefined {
  const { status, stdout } = spawnSync("stty", ["-g"], { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
  const modes = stdout?.trim();
  return status === 0 && modes ? modes : undefined;
}

/** The keys' protocol is one of the screen: programs set it before they change screens, or afterwards. */
const plainKeys = "\x1b[<99u\x1b[>4;0m";

const sane = [
  // A frame that was begun is over.
  "\x1b[?2026l",
  plainKeys,
  // To the usual screen. To leave one that was not entered moves the cursor to where an earlier program was: hence in, and out.
  "\x1b[?1049h\x1b[?1049l",
  plainKeys,
  // Mouse, focus, color scheme and sizes are not reported any more.
  "\x1b[?1000;1002;1003;1004;1005;1006;1015;1016;2031;2048l",
  // Pasting and the keypad as usual; lines wrap, and the cursor and the text look as usual.
  "\x1b[?2004l\x1b[?1l\x1b>\x1b[?7h\x1b[?25h\x1b[0 q\x1b[m",
].join("");
