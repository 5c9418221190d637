// What git, bun and npm are known to say when they fail, shortened, and what a user gets to read of it. The other tests of
// this folder let the programs themselves fail.
import { expect, test } from "bun:test";
import { managerFailure } from "../../src/sources/dependencies/package-manager.ts";
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
    hint: "List them with: git ls-remote https://***@host/x.git",
  });
});

test.each([
  ["bun", "error: GET http://r.test/absent - 404", "package-not-found"],
  ["bun", 'error: No version matching "^9.0.0" found for specifier "tool" (but package exists)', "version-not-found"],
  [
    "bun",
    'error: No version matching "^1" found for specifier "x" (blocked by minimum-release-age: 86400 seconds)',
    "release-too-new",
  ],
  ["bun", "error: Integrity check failed for tarball: tool", "integrity-mismatch"],
  ["bun", "error: ConnectionRefused downloading package manifest tool", "network-failed"],
  ["bun", "error: GET http://r.test/tool/-/tool-1.0.0.tgz - 503", "network-failed"],
  ["bun", "error: GET http://r.test/tool - 401", "access-denied"],
  ["bun", 'error: package.json not found for "file:/x" dependency "secret"', "package-unsafe"],
  ["bun", 'error: "git clone" for "secret" failed', "package-unsafe"],
  ["npm", "npm error code E404\nnpm error 404 Not Found - GET http://r.test/absent - not found", "package-not-found"],
  ["npm", "npm error code ETARGET\nnpm error notarget No matching version found for tool@^9.0.0.", "version-not-found"],
  ["npm", "npm error code ENOVERSIONS\nnpm error No versions available for young", "release-too-new"],
  [
    "npm",
    "npm error code ETARGET\nnpm error notarget No matching version found for x@1 with a date before 1/1/2026",
    "release-too-new",
  ],
  ["npm", "npm error code EINTEGRITY\nnpm error sha512-a integrity checksum failed", "integrity-mismatch"],
  ["npm", "npm error code ECONNREFUSED\nnpm error request to http://r.test/tool failed", "network-failed"],
  ["npm", "npm error code E503\nnpm error 503 Service Unavailable", "network-failed"],
  ["npm", "npm error code E401\nnpm error Unable to authenticate", "access-denied"],
  [
    "npm",
    'npm error code EALLOWDIRECTORY\nnpm error Fetching packages of type "directory" have been disabled',
    "package-unsafe",
  ],
  ["npm", "npm error code ENOSPC\nnpm error nospc no space left on device", "program-failed"],
])("%s says %j, which is %s", (manager, output, code) => {
  const error = managerFailure(manager, "review", output);
  expect(error.code).toBe(code as typeof error.code);
  expect(error.message).toStartWith(`${manager} could not install the dependencies of review: `);
  expect(error.hint).not.toBe("");
});

test("a package manager's first meaningful lines are shown, once each", () => {
  const output = [
    "bun install v1.4.4 (38afee6c8)",
    "Resolving dependencies",
    "error: GET http://u:p@r.test/absent - 404",
    "error: GET http://u:p@r.test/absent - 404",
    "npm error A complete log of this run can be found in: /x",
    "",
  ].join("\n");
  expect(managerFailure("bun", "review", output).message).toBe(
    "bun could not install the dependencies of review: GET http://***@r.test/absent - 404",
  );
  expect(managerFailure("npm", "review", "").message).toEndWith("it gave no reason");
});
