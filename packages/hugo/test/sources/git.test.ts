import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gitRepo } from "@atomic/testing/git";
import { gitDaemonMissing } from "@atomic/testing/git/daemon";
import { readPackageTree } from "../../src/packages/read-tree.ts";
import { latestCommit } from "../../src/sources/git/fetch-commit.ts";
import type { GitSource } from "../../src/sources/package-source.ts";
import { parsePackageSpec } from "../../src/sources/spec.ts";
import { content, fetching, refusalOf } from "./fetching.ts";

setDefaultTimeout(180_000);

const review = { "package.json": JSON.stringify({ name: "@org/review", version: "1.0.0" }), "agents/a.md": "first" };
const daemonMissing = gitDaemonMissing();
if (daemonMissing !== undefined) console.warn(`skipped: ${daemonMissing}`);

test("a repository is fetched at its default branch's commit, without history", async () => {
  await using repo = await gitRepo({ files: review });
  await using it = await fetching();
  const head = await repo.git("rev-parse", "main");
  const fetched = await it.fetch(repo.packageUrl);
  expect(fetched).toMatchObject({ packageName: "@org/review", version: head, notices: [] });
  expect(fetched.integrity).toBeUndefined();
  expect([...readPackageTree(fetched.folder).keys()]).toEqual(["agents/a.md", "package.json"]);
  expect(readdirSync(join(fetched.root, ".."))).toEqual(["root"]);
  expect(it.progress).toEqual([`Fetching ${repo.packageUrl}`]);
});

test("a tag, a branch, a commit and the start of a commit each mean what they say", async () => {
  await using repo = await gitRepo({ files: review, tag: "v1" });
  const first = await repo.git("rev-parse", "main");
  await repo.tag("annotated", { message: "a tag with a message" });
  const second = await repo.commit({ files: { "agents/a.md": "second" } });
  const third = await repo.commit({ branch: "topic/x", files: { "agents/a.md": "third" } });
  await using it = await fetching();
  for (const [ref, commit] of [
    ["v1", first],
    ["annotated", first],
    ["main", second],
    ["topic/x", third],
    ["refs/heads/main", second],
    ["HEAD", second],
    [first, first],
    [first.slice(0, 8), first],
  ]) {
    const spec = `${repo.packageUrl}#${ref}`;
    expect([ref, (await it.fetch(spec)).version]).toEqual([ref, commit]);
    expect([ref, await latestCommit(parsePackageSpec(spec) as GitSource, it.context)]).toEqual([ref, commit]);
  }
});

test.each(["tags", "heads"])("a commit is that commit, also if %s has its name for another one", async (kind) => {
  await using repo = await gitRepo({ files: review });
  const first = await repo.git("rev-parse", "main");
  const second = await repo.commit({ files: { "agents/a.md": "second" } });
  await repo.git("update-ref", `refs/${kind}/${first}`, second);
  await using it = await fetching();
  const fetched = await it.fetch(`${repo.packageUrl}#${first}`);
  expect(fetched.version).toBe(first);
  expect(await content(fetched, "agents/a.md")).toBe("first");
  const exactly = { version: first };
  expect(await it.fetch(repo.packageUrl, { exactly })).toMatchObject({ version: first });
});

test("a locked commit can be fetched after its branch has moved, and fails once it is gone", async () => {
  await using repo = await gitRepo({ files: review });
  const first = await repo.git("rev-parse", "main");
  const second = await repo.commit({ files: { "agents/a.md": "second" } });
  await using it = await fetching();
  const fetched = await it.fetch(`${repo.packageUrl}#main`, { exactly: { version: first } });
  expect([fetched.version, await content(fetched, "agents/a.md")]).toEqual([first, "first"]);
  expect(await latestCommit({ kind: "git", url: repo.packageUrl }, it.context)).toBe(second);
  const gone = "0123456789012345678901234567890123456789";
  expect(await it.refusal(repo.packageUrl, { exactly: { version: gone } })).toMatchObject({
    code: "version-not-found",
    message: expect.stringContaining(`has no tag, branch or commit ${gone}`),
  });
});

test("a repository without package.json is called like itself, or like the Claude plugin it is", async () => {
  await using skills = await gitRepo({ name: "My Skills", files: { "skills/tdd/SKILL.md": "x" } });
  await using plugin = await gitRepo({
    files: { ".claude-plugin/plugin.json": '{"name":"polish","version":"3.0.0"}' },
  });
  await using it = await fetching();
  const link = it.project.path("my_skills.git");
  await it.project.run(["ln", "-s", skills.dir, link]);
  expect(await it.fetch(`git+file://${link}`)).toMatchObject({ packageName: "my_skills" });
  expect(await it.fetch(plugin.packageUrl)).toMatchObject({ packageName: "polish" });
});

test.skipIf(daemonMissing !== undefined)(
  "repositories can be fetched over git://, and an unreachable host is named",
  async () => {
    await using repo = await gitRepo({ files: review, tag: "v1" });
    await using daemon = await repo.serve();
    await using it = await fetching();
    expect(await it.fetch(`${daemon.url}#v1`)).toMatchObject({ version: await repo.git("rev-parse", "v1") });
    expect(await it.refusal(`${daemon.url}-missing`)).toMatchObject({ code: "package-not-found" });
    await daemon[Symbol.asyncDispose]();
    expect(await it.refusal(daemon.url)).toMatchObject({ code: "network-failed" });
  },
);

test.skipIf(daemonMissing !== undefined)(
  "github: is a repository at github.com, wherever the user's git finds that",
  async () => {
    await using repo = await gitRepo({ name: "review", files: review });
    await using daemon = await repo.serve();
    const base = daemon.url.replace(/review\.git$/, "");
    await using it = await fetching({
      files: { "~/.gitconfig": `[url "${base}"]\n  insteadOf = https://github.com/org/\n` },
    });
    expect(await it.fetch("github:org/review")).toMatchObject({ version: await repo.git("rev-parse", "main") });
    expect(daemon.connections).toBeGreaterThan(0);
  },
);

test.skipIf(daemonMissing !== undefined)(
  "a repository at github.com that is hidden from strangers is asked for by ssh",
  async () => {
    await using repo = await gitRepo({ name: "review", files: review, tag: "v1" });
    await using daemon = await repo.serve();
    const base = daemon.url.replace(/review\.git$/, "");
    const hidden = '[url "file:///nowhere/"]\n  insteadOf = https://github.com/org/\n';
    const byKey = `[url "${base}"]\n  insteadOf = ssh://git@github.com/org/\n`;
    await using it = await fetching({ files: { "~/.gitconfig": hidden + byKey } });
    expect(await it.fetch("org/review#v1")).toMatchObject({ packageName: "@org/review" });
    // If neither way works, the first error is reported.
    const unreachable = byKey.replace(base, "file:///nowhere/either/");
    await it.project.write("~/.gitconfig", hidden + unreachable);
    expect((await it.refusal("org/review")).message).toStartWith("No repository at https://github.com/org/review.git");
  },
);

test("a repository or a ref that is not there is named", async () => {
  await using repo = await gitRepo({ files: review });
  await using it = await fetching();
  expect(await it.refusal("git+file:///nowhere/repo.git")).toMatchObject({ code: "package-not-found" });
  expect(await it.refusal(`${repo.packageUrl}#v9`)).toMatchObject({
    code: "version-not-found",
    message: `${repo.url} has no tag, branch or commit v9`,
  });
  const source: GitSource = { kind: "git", url: repo.packageUrl, ref: "v9" };
  expect(await refusalOf(latestCommit(source, it.context))).toMatchObject({ code: "version-not-found" });
});

test("links and submodules are left out, and that is reported", async () => {
  await using repo = await gitRepo({ files: { ...review, "CLAUDE.md": { symlink: "/etc/passwd" } } });
  const head = await repo.git("rev-parse", "main");
  await repo.git("read-tree", "main");
  await repo.git("update-index", "--add", "--cacheinfo", `160000,${head},vendor/sub`);
  const tree = await repo.git("write-tree");
  await repo.branch("main", await repo.git("commit-tree", tree, "-p", head, "-m", "submodule"));
  await using it = await fetching();
  const { notices, folder } = await it.fetch(repo.packageUrl);
  expect(notices).toEqual([`Left out of ${repo.packageUrl}: link "CLAUDE.md", submodule "vendor/sub"`]);
  expect(readdirSync(folder).sort()).toEqual(["agents", "package.json"]);
});

test("bytes and executable bits arrive as they were committed, and no filter of the repository runs", async () => {
  await using it = await fetching();
  const marker = it.project.path("marker");
  const filter = `sh -c 'touch ${marker}; cat'`;
  await using repo = await gitRepo({
    files: {
      ...review,
      ".gitattributes": "* filter=evil text eol=crlf export-ignore\n*.md export-subst\n",
      "run.sh": { content: "#!/bin/sh\n", mode: "100755" },
      "agents/b.md": "$Format:%H$\nline\n",
    },
  });
  // Even if the user has such a filter, as with git-lfs.
  await it.project.write(
    "~/.gitconfig",
    `[filter "evil"]\n  smudge = ${filter}\n  clean = ${filter}\n  required = true\n`,
  );
  const fetched = await it.fetch(repo.packageUrl);
  expect(await content(fetched, "agents/b.md")).toBe("$Format:%H$\nline\n");
  expect([...readPackageTree(fetched.folder)].filter(([, file]) => file.executable).map(([path]) => path)).toEqual([
    "run.sh",
  ]);
  expect(existsSync(marker)).toBe(false);
});

test("no hook runs: neither the repository's, nor the user's, nor a template's", async () => {
  await using repo = await gitRepo({ files: review });
  await using it = await fetching();
  const marker = it.project.path("marker");
  const hooks = ["post-checkout", "reference-transaction", "post-merge", "pre-auto-gc", "post-index-change", "update"];
  for (const folder of ["hooks", "template/hooks"]) {
    for (const hook of hooks) await it.project.write(`~/${folder}/${hook}`, `#!/bin/sh\ntouch ${marker}\n`);
  }
  await it.project.run([
    "sh",
    "-c",
    `chmod -R +x ~/hooks ~/template; cp ~/hooks/* ${repo.dir}/hooks/ 2>/dev/null || true`,
  ]);
  const config = `[core]\n  hooksPath = ${it.project.home}/hooks\n[init]\n  templateDir = ${it.project.home}/template\n`;
  await it.project.write("~/.gitconfig", config);
  const commit = await repo.git("rev-parse", "main");
  // The start of a commit needs all branches, which are then written.
  for (const ref of ["main", commit.slice(0, 8)]) await it.fetch(`${repo.packageUrl}#${ref}`);
  expect(existsSync(marker)).toBe(false);
});

test("URLs that would run a program are not passed to git", async () => {
  await using repo = await gitRepo({ files: review });
  await using it = await fetching();
  const marker = it.project.path("marker");
  await it.project.write("evil.sh", `#!/bin/sh\ntouch ${marker}\nexit 1\n`);
  await it.project.run(["chmod", "+x", "evil.sh"]);
  const evil = it.project.path("evil.sh");
  const names = ["GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF"];
  const trapped = it.withEnv({
    ...Object.fromEntries(names.map((name) => [name, evil])),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: evil,
    GIT_DIR: it.project.path("elsewhere"),
    GIT_EXEC_PATH: it.project.dir,
    GIT_TEMPLATE_DIR: it.project.dir,
  });
  await trapped.fetch(repo.packageUrl);
  // No key and no such host: ssh itself fails without asking for anything.
  expect(await trapped.refusal("git+ssh://git@127.0.0.1:9/org/review.git")).toMatchObject({ code: "network-failed" });
  expect(existsSync(marker)).toBe(false);
});

test("a repository without end is stopped before its files are written", async () => {
  await using repo = await gitRepo({ files: { ...review, big: new Uint8Array(3_000_000) } });
  await using it = await fetching();
  expect(await it.refusal(repo.packageUrl, {}, { files: 100, bytes: 2_000_000 })).toMatchObject({
    code: "package-unsafe",
  });
  expect(await it.refusal(repo.packageUrl, {}, { files: 2, bytes: 9_000_000 })).toMatchObject({
    code: "package-unsafe",
  });
});
