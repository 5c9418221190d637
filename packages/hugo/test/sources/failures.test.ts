// What git is known to say when it fails, shortened, and what a user gets to read of it. The other tests of this folder let
// the program itself fail.
import { expect, test } from "bun:test";
import { gitFailure, refNotFound } from "../../src/sources/git/run-git.ts";

test.each([
  ["fatal: unable to access 'https://host/x.git/': Could not resolve host: host", "network-failed"],
  [
    "fatal: unable to access 'https://host/x.git/': Failed to connect to host port 443: Connection refused",
    "network-failed",
  ],
  ["fatal: unable to connect to 127.0.0.1:\n127.0.0.1[0: 127.0.0.1]: errno=Connection refused", "network-failed"],
  [
    "ssh: Could not resolve hostname nowhere: Name or service not known\nfatal: Could not read from remote repository.",
    "network-failed",
  ],
  [
    "ssh: connect to host 127.0.0.1 port 9: Connection refused\nfatal: Could not read from remote repository.",
    "network-failed",
  ],
  ["fatal: the remote end hung up unexpectedly\nfatal: early EOF", "network-failed"],
  ["fatal: could not read Username for 'https://github.com': terminal prompts disabled", "access-denied"],
  ["remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://host/x.git/'", "access-denied"],
  ["git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.", "access-denied"],
  ["Host key verification failed.\nfatal: Could not read from remote repository.", "access-denied"],
  ["fatal: unable to access 'https://host/x.git/': The requested URL returned error: 403", "access-denied"],
  ["remote: Repository not found.\nfatal: repository 'https://github.com/o/r.git/' not found", "package-not-found"],
  ["fatal: '/nowhere' does not appear to be a git repository", "package-not-found"],
  ["fatal: remote error: access denied or repository not exported: /x.git", "package-not-found"],
  ["fatal: transport 'ext' not allowed", "program-failed"],
  ["", "program-failed"],
])("git says %j, which is %s", (stderr, code) => {
  const error = gitFailure("https://me:secret@host/x.git", stderr);
  expect(error.code).toBe(code as typeof error.code);
  expect(error.message).toContain("https://***@host/x.git");
  expect(error.hint).not.toBe("");
});

test("git's last lines are shown, without advice, warnings and secrets", () => {
  const said = "warning: redirecting\nhint: try this\nCloning…\rone\ntwo\nthree https://t0ken@host/\n\n";
  expect(gitFailure("git://host/x", said).message).toBe(
    "git could not read git://host/x: one / two / three https://***@host/",
  );
  expect(gitFailure("git://host/x", " \n").message).toBe("git could not read git://host/x: it gave no reason");
});

test("a host that ssh does not know yet gets its own hint", () => {
  expect(gitFailure("ssh://h/x", "Host key verification failed.").hint).toBe(
    "Connect to the host once with ssh to confirm its key.",
  );
});

test("the error for a missing ref shows how to list the existing ones", () => {
  expect(refNotFound("https://u:p@host/x.git", "v9")).toMatchObject({
    code: "version-not-found",
    message: "https://***@host/x.git has no tag, branch or commit v9",
    hint: "To list them: `git ls-remote https://***@host/x.git`.",
  });
});
