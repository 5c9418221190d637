import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fakeClock } from "@atomic/testing/simulation/clock";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { within } from "@atomic/testing/waiting";
import type { EntityChange } from "../src/entities/watch.ts";
import { type EntityWatch, type WatchOptions, watchEntities } from "../src/entities/watch.ts";
import { names } from "./entities.ts";

/** Events of the file system come when they come; this is only how long a broken test takes. */
const deadline = 20_000;
setDefaultTimeout(4 * deadline);

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

function agent(text: string): string {
  return `---\ndescription: ${text}\n---\nBody of ${text}.`;
}

interface Watched extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly project: string;
  readonly home: string;
  readonly watch: EntityWatch;
  next(): Promise<EntityChange>;
}

async function watched(files: Readonly<Record<string, string>>, options: WatchOptions = {}): Promise<Watched> {
  const folder = await temporaryFolder();
  const [project, home] = [join(folder.path, "project"), join(folder.path, "home")];
  mkdirSync(home);
  write(folder.path, files);
  const watch = await watchEntities({ projectPath: project, userPath: home, quietMs: 30, ...options });
  const changes = watch[Symbol.asyncIterator]();
  // An async generator takes its starting point when it is first asked.
  let pending = changes.next();
  const next = async (): Promise<EntityChange> => {
    const result = await within(deadline, pending);
    if (result === undefined) throw new Error("No change was reported.");
    if (result.done === true) throw new Error("The watch is over.");
    pending = changes.next();
    return result.value;
  };
  const dispose = async (): Promise<void> => {
    await watch[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { folder, project, home, watch, next, [Symbol.asyncDispose]: dispose };
}

function summary({ added, changed, removed }: EntityChange): Record<string, string[]> {
  return { added: names(added), changed: names(changed), removed: names(removed) };
}

describe("a watch reports", () => {
  test("files that appear, change and disappear", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    write(it.project, { ".claude/agents/b.md": agent("b") });
    expect(summary(await it.next())).toEqual({ added: ["b"], changed: [], removed: [] });

    write(it.project, { ".claude/agents/a.md": agent("other") });
    const change = await it.next();
    expect(summary(change)).toEqual({ added: [], changed: ["a"], removed: [] });
    expect(change.changed[0]?.description).toBe("other");
    expect(change.registry).toBe(it.watch.registry);
    expect(change.registry.getAgent("a")?.description).toBe("other");

    rmSync(join(it.project, ".claude/agents/b.md"));
    expect(summary(await it.next())).toEqual({ added: [], changed: [], removed: ["b"] });
    expect(names(it.watch.registry.allAgents())).toEqual(["a"]);
  });

  test("a change of the body alone", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    const text = agent("a").replace("Body", "Soul");
    write(it.project, { ".claude/agents/a.md": text });
    const { changed } = await it.next();
    expect(changed[0]?.prompt).toBe("Soul of a.");
  });

  test("a file that is replaced by renaming another, as editors do", async () => {
    await using it = await watched({ "home/.claude/agents/a.md": agent("a") });
    write(it.home, { ".claude/agents/a.md.tmp": agent("new") });
    renameSync(join(it.home, ".claude/agents/a.md.tmp"), join(it.home, ".claude/agents/a.md"));
    expect(summary(await it.next())).toEqual({ added: [], changed: ["a"], removed: [] });
  });

  test("many files at once in one change", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    const files = Array.from({ length: 50 }, (_, at) => [`.claude/agents/n${at}.md`, agent("n")]);
    write(it.project, Object.fromEntries(files));
    expect((await it.next()).added).toHaveLength(50);
  });

  test("one entry of a config file without its neighbours", async () => {
    const config = (first: string): string =>
      JSON.stringify({
        agent: { one: { prompt: first }, two: { prompt: "stays" } },
        command: { c: { template: "x" } },
      });
    await using it = await watched({ "project/opencode.json": config("before") });
    write(it.project, { "opencode.json": config("after") });
    expect(summary(await it.next())).toEqual({ added: [], changed: ["one"], removed: [] });
    rmSync(join(it.project, "opencode.json"));
    expect(summary(await it.next())).toEqual({ added: [], changed: [], removed: ["one", "two", "c"] });
  });

  test("nothing for a file that is rewritten with the same content", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    write(it.project, { ".claude/agents/a.md": agent("a"), ".claude/agents/notes.txt": "not an agent" });
    utimesSync(join(it.project, ".claude/agents/a.md"), 1, 1);
    await it.watch.refresh();
    write(it.project, { ".claude/agents/b.md": agent("b") });
    expect(summary(await it.next())).toEqual({ added: ["b"], changed: [], removed: [] });
  });

  test("a file that breaks, and one that is fixed", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    writeFileSync(join(it.project, ".claude/agents/a.md"), Buffer.from([0xff]));
    const broken = await it.next();
    expect(summary(broken)).toEqual({ added: [], changed: ["a"], removed: [] });
    expect(it.watch.registry.getAgent("a")).toMatchObject({ diagnostics: [{ code: "file-not-utf8" }] });
    write(it.project, { ".claude/agents/a.md": agent("a") });
    const mended = await it.next();
    expect(summary(mended)).toEqual({ added: [], changed: ["a"], removed: [] });
    expect(it.watch.registry.getAgent("a")).toMatchObject({ diagnostics: [] });
  });

  test("a file that was never readable, as a disabled entity", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    writeFileSync(join(it.project, ".claude/agents/x.md"), Buffer.from([0xff]));
    const change = await it.next();
    expect(summary(change)).toEqual({ added: ["x"], changed: [], removed: [] });
    expect(it.watch.registry.getAgent("x")).toMatchObject({ disabledBecause: "The file is not UTF-8 text." });
  });
});

describe("folders may appear and disappear:", () => {
  test("a format's folder that is created later, with everything in it", async () => {
    await using it = await watched({ "project/README.md": "" });
    write(it.project, { ".claude/skills/deep/SKILL.md": agent("deep") });
    expect(summary(await it.next()).added).toEqual(["deep"]);
    write(it.project, { ".claude/skills/deeper/SKILL.md": agent("deeper") });
    expect(summary(await it.next()).added).toEqual(["deeper"]);
  });

  test("a format's folder that is deleted and created again, twice", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    for (const round of ["first", "second"]) {
      rmSync(join(it.project, ".claude"), { recursive: true });
      expect(summary(await it.next()).removed).toEqual(["a"]);
      write(it.project, { ".claude/agents/a.md": agent(round) });
      expect(summary(await it.next()).added).toEqual(["a"]);
      write(it.project, { ".claude/agents/a.md": agent(`${round} again`) });
      expect(summary(await it.next()).changed).toEqual(["a"]);
    }
  });

  test("a folder that is deleted and created again between two looks", async () => {
    await using it = await watched({ "project/.claude/agents/sub/a.md": agent("a") });
    rmSync(join(it.project, ".claude"), { recursive: true });
    write(it.project, { ".claude/agents/sub/a.md": agent("new") });
    expect(summary(await it.next()).changed).toEqual(["a"]);
    write(it.project, { ".claude/agents/sub/a.md": agent("newer") });
    expect(summary(await it.next()).changed).toEqual(["a"]);
  });

  test("a folder that is moved away and another moved in", async () => {
    await using it = await watched({
      "project/.claude/agents/a.md": agent("a"),
      "project/other/agents/b.md": agent("b"),
    });
    renameSync(join(it.project, ".claude"), join(it.project, "old"));
    renameSync(join(it.project, "other"), join(it.project, ".claude"));
    expect(summary(await it.next())).toEqual({ added: ["b"], changed: [], removed: ["a"] });
    write(it.project, { ".claude/agents/c.md": agent("c") });
    expect(summary(await it.next()).added).toEqual(["c"]);
  });

  test("a project that does not exist yet, and is deleted later", async () => {
    await using it = await watched({});
    write(it.project, { ".opencode/agents/a.md": agent("a") });
    expect(summary(await it.next()).added).toEqual(["a"]);
    rmSync(it.project, { recursive: true });
    expect(summary(await it.next()).removed).toEqual(["a"]);
    write(it.project, { ".opencode/agents/b.md": agent("b") });
    expect(summary(await it.next()).added).toEqual(["b"]);
  });

  test("an empty folder that already existed", async () => {
    await using it = await watched({ "home/.config/opencode/agent/nested/keep": "" });
    write(it.home, { ".config/opencode/agent/nested/a.md": agent("a") });
    expect(summary(await it.next()).added).toEqual(["nested/a"]);
  });
});

describe("behind a link", () => {
  test("the file that it leads to", async () => {
    await using it = await watched({ "shared/a.md": agent("a"), "project/.claude/agents/keep": "" });
    symlinkSync(join(it.folder.path, "shared/a.md"), join(it.project, ".claude/agents/a.md"));
    expect(summary(await it.next()).added).toEqual(["a"]);
    write(it.folder.path, { "shared/a.md": agent("new") });
    expect(summary(await it.next()).changed).toEqual(["a"]);
  });

  test("the folder that it leads to, even if that is created again", async () => {
    await using it = await watched({ "shared/agents/a.md": agent("a"), "project/.claude/keep": "" });
    symlinkSync(join(it.folder.path, "shared/agents"), join(it.project, ".claude/agents"));
    expect(summary(await it.next()).added).toEqual(["a"]);
    rmSync(join(it.folder.path, "shared/agents"), { recursive: true });
    expect(summary(await it.next()).removed).toEqual(["a"]);
    write(it.folder.path, { "shared/agents/b.md": agent("b") });
    expect(summary(await it.next()).added).toEqual(["b"]);
    write(it.folder.path, { "shared/agents/b.md": agent("new") });
    expect(summary(await it.next()).changed).toEqual(["b"]);
  });

  test("a circular link does no harm", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    symlinkSync("..", join(it.project, ".claude/agents/loop"));
    await it.next();
    write(it.project, { ".claude/agents/b.md": agent("b") });
    expect(summary(await it.next()).added).toContain("b");
  });
});

describe("a listener", () => {
  test("with a callback gets the same changes as a loop, and nothing about the initial state", async () => {
    const heard: EntityChange[] = [];
    const onChange = (change: EntityChange): void => void heard.push(change);
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") }, { onChange });
    expect(heard).toEqual([]);
    write(it.project, { ".claude/agents/b.md": agent("b") });
    expect(summary(await it.next())).toEqual({ added: ["b"], changed: [], removed: [] });
    expect(heard.map(summary)).toEqual([{ added: ["b"], changed: [], removed: [] }]);
  });

  test("that is slow gets one change for everything since, without what was undone", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    write(it.project, { ".claude/agents/b.md": agent("b") });
    await it.next();
    const slow = it.watch[Symbol.asyncIterator]();
    write(it.project, { ".claude/agents/c.md": agent("c") });
    const first = slow.next();
    await it.watch.refresh();
    expect(summary((await first).value as EntityChange).added).toEqual(["c"]);
    for (const step of ["one", "two"]) {
      write(it.project, { ".claude/agents/a.md": agent(step), [`.claude/agents/${step}.md`]: agent(step) });
      await it.watch.refresh();
    }
    rmSync(join(it.project, ".claude/agents/one.md"));
    await it.watch.refresh();
    const { value } = await slow.next();
    expect(summary(value as EntityChange)).toEqual({ added: ["two"], changed: ["a"], removed: [] });
  });

  test("stops when the watch is disposed", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    const loop = (async () => {
      for await (const _ of it.watch) throw new Error("Nothing happened.");
      return "over";
    })();
    await it.watch[Symbol.asyncDispose]();
    expect(await within(deadline, loop)).toBe("over");
    write(it.project, { ".claude/agents/b.md": agent("b") });
    await it.watch.refresh();
    expect(names(it.watch.registry.allAgents())).toEqual(["a"]);
  });

  test("in two watches on the same folders gets everything twice", async () => {
    await using it = await watched({ "project/.claude/agents/a.md": agent("a") });
    await using other = await watchEntities({ projectPath: it.project, userPath: it.home, quietMs: 30 });
    const changes = other[Symbol.asyncIterator]();
    const deletion = changes.next();
    rmSync(join(it.project, ".claude"), { recursive: true });
    expect(summary(await it.next()).removed).toEqual(["a"]);
    expect(summary((await deletion).value as EntityChange).removed).toEqual(["a"]);
    const creation = changes.next();
    write(it.project, { ".claude/agents/b.md": agent("b") });
    expect(summary(await it.next()).added).toEqual(["b"]);
    expect(summary((await creation).value as EntityChange).added).toEqual(["b"]);
  });
});

describe("options", () => {
  test("only the requested providers count", async () => {
    await using it = await watched({ "project/README.md": "" }, { providers: ["opencode"] });
    write(it.project, { ".claude/agents/a.md": agent("a") });
    write(it.project, { ".opencode/agents/b.md": agent("b") });
    expect(summary(await it.next()).added).toEqual(["b"]);
    expect(it.watch.registry.getAgent("a")).toBeUndefined();
  });

  test("pollMs looks without any event, again and again", async () => {
    const clock = fakeClock();
    // Quiet is waited for so long that only the looks in between can find anything.
    await using it = await watched(
      { "project/.claude/agents/a.md": agent("a") },
      {
        timers: { ...clock, clearTimeout: (timer) => clock.clearTimeout(timer as number) },
        pollMs: 1_000,
        quietMs: 1e9,
      },
    );
    for (const name of ["b", "c"]) {
      write(it.project, { [`.claude/agents/${name}.md`]: agent(name) });
      await clock.advance(1_000);
      expect(summary(await it.next()).added).toEqual([name]);
    }
  });
});
