import { closeSync, constants, openSync, readSync } from "node:fs";
import { Refusal } from "./refusal.ts";

/**
 * Drops what was typed before a question is shown, complete lines as well as single keys: it was not an answer to that
 * question. To be called right before the question is written. Returns whether Ctrl-C was among the keys.
 */
export function forgetTypedKeys(stdin: Pick<NodeJS.ReadStream, "isTTY" | "setRawMode">): boolean {
  if (stdin.isTTY !== true || process.platform === "win32") return false;
  const keys = openKeys();
  if (keys === undefined) return false;
  try {
    // Without it, the terminal would keep a line that is not complete yet, and Enter would send it later.
    stdin.setRawMode(true);
    return readAll(keys).includes("\x03");
  } finally {
    stdin.setRawMode(false);
    closeSync(keys);
  }
}

/** The same terminal, opened anew: what is waiting can be read from it without waiting for more. */
function openKeys(): number | undefined {
  // After `su` the terminal still belongs to the user before, and only its other name can be opened.
  for (const path of process.platform === "linux" ? ["/proc/self/fd/0", "/dev/tty"] : ["/dev/tty"]) {
    try {
      return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EIO") return undefined; // the terminal is gone
      if (code !== "ENOENT" && code !== "ENXIO" && code !== "EACCES") throw error;
    }
  }
  throw new Refusal("terminal-of-another-user", {
    exitCode: 3,
    message: "cannot ask here: this terminal belongs to another user, so keys typed earlier could answer the question",
    hint: "Run it in a terminal of your own, for example after `su -` or `ssh` in a new window.",
  });
}

function readAll(fd: number): string {
  const bytes = Buffer.alloc(4096);
  let text = "";
  for (;;) {
    try {
      const length = readSync(fd, bytes);
      if (length === 0) return text;
      text += bytes.toString("latin1", 0, length);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN" || code === "EIO") return text;
      throw error;
    }
  }
}
