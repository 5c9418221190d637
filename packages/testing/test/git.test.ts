import { expect, setDefaultTimeout, test } from "bun:test";
import { tmpdir } from "node:os";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import { gitDaemonMissing } from "@atomic/testing/git/daemon";
import { tmpProject } from "@atomic/testing/project";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

const workflow = {
  "package.json": JSON.stringify({ name: "wf-git", version: "1.0.0" }),
  "agents/reviewer.md": "one\n",
};

async function lsRemote(repo: GitRepo, url: string): Promise<string> {
  return await repo.git("ls-remote", url);
}

test("the same history has the same hashes in two repositories", async () => {
  await using one = await gitRepo({ files: workflow, tag: "v1.0.0" });
  await using two = await gitRepo({ files: workflow, tag: "v1.0.0", name: "other" });
  await one.commit({ files: { "a b.md": "x" } });
  await two.commit({ files: { "a b.md": "x" } });
  expect(await one.refs()).toEqual(await two.refs());
});

test("a commit changes, adds and deletes files and keeps modes and links", async () => {
  await using repo = await gitRepo({ files: workflow });
  await repo.commit({
    message: "second",
    files: {
      "agents/reviewer.md": null,
      "bin/run.sh": { content: "#!/bin/sh\n", mode: "100755" },
      "link.md": { symlink: "bin/run.sh" },
      'odd "name"\n.md': "odd",
    },
  });
  const tree = await repo.git("ls-tree", "-r", "-z", "main");
  expect(
    tree
      .replaceAll(/ blob \w+\t/g, " ")
      .split("\0")
      .slice(0, -1),
  ).toEqual(["100755 bin/run.sh", "120000 link.md", '100644 odd "name"\n.md', "100644 package.json"]);
  expect(await repo.git("log", "--format=%an <%ae> %s %aI", "main")).toBe(
    [
      "Tester <tester@example.test> second 2024-01-01T00:02:00+00:00",
      "Tester <tester@example.test> first 2024-01-01T00:01:00+00:00",
    ].join("\n"),
  );
});

test("ls-remote sees a light tag and an annotated tag move", async () => {
  await using repo = await gitRepo({ files: workflow });
  const before = await repo.tag("light");
  await repo.tag("annotated", { message: "release" });
  const after = await repo.commit({ files: { "agents/reviewer.md": "two\n" } });
  expect(await lsRemote(repo, repo.url)).toContain(`${before}\trefs/tags/light`);
  expect(await lsRemote(repo, repo.url)).toContain(`${before}\trefs/tags/annotated^{}`);

  await repo.tag("light");
  await repo.tag("annotated", { message: "release, again" });
  expect(await lsRemote(repo, repo.url)).toContain(`${after}\trefs/tags/light`);
  expect(await lsRemote(repo, repo.url)).toContain(`${after}\trefs/tags/annotated^{}`);
  expect(await repo.git("cat-file", "-t", "refs/tags/annotated")).toBe("tag");
});

test("a head is forced back and a branch and a tag are deleted", async () => {
  await using repo = await gitRepo({ files: workflow, tag: "v1" });
  const first = await repo.git("rev-parse", "main");
  await repo.commit({ files: { "agents/reviewer.md": "two\n" } });
  await repo.branch("next", "main");
  await repo.branch("main", first);
  await repo.deleteBranch("next");
  await repo.deleteTag("v1");
  expect(await repo.refs()).toEqual({ "refs/heads/main": first });
});

test("the machine's git configuration is not read", async () => {
  await using repo = await gitRepo();
  expect(await repo.git("config", "--list", "--show-scope")).not.toMatch(/^(system|global)/m);
});

test("a failed git command reports the command and git's message", async () => {
  await using repo = await gitRepo({ files: workflow });
  await expect(repo.branch("next", "no-such-commit")).rejects.toThrow(
    /git rev-parse .*no-such-commit.* ended with 128:\nfatal/s,
  );
});

test("bytes that are not text survive a commit", async () => {
  const bytes = new Uint8Array(256).map((_, index) => index);
  await using repo = await gitRepo({ files: { "all.bin": bytes } });
  await using project = await tmpProject({ git: false });
  expect(await project.run(["git", "clone", "--quiet", repo.url, "copy"])).toMatchObject({ code: 0 });
  expect(await Bun.file(project.path("copy/all.bin")).bytes()).toEqual(bytes);
});

test("a branch that does not exist starts with the commit made on it", async () => {
  await using repo = await gitRepo({ files: workflow });
  const other = await repo.commit({ branch: "other", files: { "README.md": "alone" } });
  expect(await repo.refs()).toMatchObject({ "refs/heads/other": other });
  expect(await repo.git("ls-tree", "-r", "--name-only", "other")).toBe("README.md");
  expect(await repo.git("log", "--format=%s", "other")).toBe("change");
});

test("a repository that cannot be made leaves no folder behind", async () => {
  const before = await Array.fromAsync(new Bun.Glob("git-repo-*").scan({ cwd: tmpdir(), onlyFiles: false }));
  await expect(gitRepo({ tag: "v1.0.0" })).rejects.toThrow(/rev-parse.*main/);
  const after = await Array.fromAsync(new Bun.Glob("git-repo-*").scan({ cwd: tmpdir(), onlyFiles: false }));
  expect(after.filter((folder) => !before.includes(folder))).toEqual([]);
});

const missing = gitDaemonMissing();
if (missing) console.warn(`skipped: tests of the git daemon: ${missing}`);

test.skipIf(missing !== undefined)("git clones over the daemon and sees the head move", async () => {
  await using repo = await gitRepo({ files: workflow });
  await using daemon = await repo.serve();
  await using project = await tmpProject({ git: false });
  expect(await project.run(["git", "clone", "--quiet", daemon.url, "copy"])).toMatchObject({ code: 0 });
  expect(await project.read("copy/agents/reviewer.md")).toBe("one\n");

  const moved = await repo.commit({ files: { "agents/reviewer.md": "two\n" } });
  expect(await lsRemote(repo, daemon.url)).toContain(`${moved}\trefs/heads/main`);
  expect(daemon.connections).toBe(2);
});

test.skipIf(missing !== undefined)("the daemon serves its own repository for reading only", async () => {
  await using repo = await gitRepo({ files: workflow });
  await using other = await gitRepo({ files: workflow, name: "other" });
  await using daemon = await repo.serve();
  await expect(lsRemote(repo, daemon.url.replace("repo.git", "other.git"))).rejects.toThrow("repository not exported");
  await expect(other.git("push", daemon.url, "main:stolen")).rejects.toThrow("access denied");
});

test.skipIf(missing !== undefined)(
  "a disposed daemon refuses connections, even with a client in the middle",
  async () => {
    await using repo = await gitRepo({ files: workflow });
    const daemon = await repo.serve();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await Bun.connect({
      hostname: "127.0.0.1",
      port: daemon.port,
      socket: { data: () => undefined, close: () => resolve() },
    });
    await daemon[Symbol.asyncDispose]();
    await closed;
    await expect(lsRemote(repo, daemon.url)).rejects.toThrow("Connection refused");
  },
);

test.skipIf(missing !== undefined)(
  "a client that leaves in the middle of a clone does not keep the daemon busy",
  async () => {
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const big = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}.bin`, noise.map((byte) => byte ^ index)]),
    );
    await using repo = await gitRepo({ files: big });
    await using daemon = await repo.serve();
    // A first request of the protocol, after which the daemon has more to say than anybody reads.
    const ask = `git-upload-pack /repo.git\0host=127.0.0.1\0`;
    const line = (ask.length + 4).toString(16).padStart(4, "0") + ask;
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: daemon.port,
      socket: { open: (it) => void it.write(line), data: () => resolve() },
    });
    await answered;
    socket.terminate();
    expect(await lsRemote(repo, daemon.url)).toContain("refs/heads/main");
  },
);
