import { HugoError } from "../../errors.ts";
import { redact } from "../redact.ts";

const LAST_LINES = 3;

const UNREACHABLE =
  /could not resolve|couldn't resolve|connection (?:refused|timed out|reset)|network is unreachable|unable to connect|failed to connect|no route to host|operation timed out|early eof|unexpected disconnect|the remote end hung up/i;
const DENIED =
  /could not read (?:username|password)|authentication failed|permission denied|terminal prompts disabled|host key verification failed|returned error: 40[13]|access denied(?! or repository)|invalid credentials/i;
const NOT_FOUND =
  /not found|does not exist|does not appear to be a git repository|repository not exported|no such file or directory|not a git repository/i;

/** Why git failed, in words that lead somewhere. */
export function gitFailure(url: string, stderr: string): HugoError {
  const at = redact(url);
  const said = lastWords(stderr);
  if (DENIED.test(stderr)) {
    const isUnknownHost = /host key verification failed/i.test(stderr);
    return new HugoError("access-denied", {
      message: `${at} does not exist, or you have no access: ${said}`,
      at,
      hint: isUnknownHost
        ? "Connect to the host once with ssh to confirm its key."
        : "Check the spelling. A private repository needs a git credential helper or an SSH key; Hugo never asks for a password.",
    });
  }
  if (NOT_FOUND.test(stderr) && !/could not resolve/i.test(stderr)) {
    return new HugoError("package-not-found", {
      message: `There is no repository at ${at}: ${said}`,
      at,
      hint: "Check the spelling. Some hosts say this about private repositories, too.",
    });
  }
  if (UNREACHABLE.test(stderr)) {
    return new HugoError("network-failed", {
      message: `The host of ${at} cannot be reached: ${said}`,
      at,
      hint: "Look at your connection and your proxy, then try again.",
    });
  }
  return new HugoError("program-failed", {
    message: `git could not read ${at}: ${said}`,
    at,
    hint: "Try the same with `git clone`, which shows more details.",
  });
}

function lastWords(stderr: string): string {
  const lines = redact(stderr)
    .split(/\r?\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:hint|warning):/.test(line));
  return lines.slice(-LAST_LINES).join(" / ") || "it gave no reason";
}

export function refNotFound(url: string, ref: string): HugoError {
  const at = redact(url);
  return new HugoError("version-not-found", {
    message: `${at} has no tag, branch or commit ${ref}`,
    at,
    hint: `Look at what it has with: git ls-remote ${at}`,
  });
}
