// An agent inside OpenCode wants a workflow: OpenCode shows what it can do, and only the person's answer installs it.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { terminal } from "@atomic/testing/terminal";
import { forgetTarballs, logIn, stranger, walks } from "./stranger.ts";

setDefaultTimeout(300_000);
afterAll(forgetTarballs);

describe.each(walks())("$name", (walk) => {
  test("declined, nothing changes; allowed, the workflow is there", async () => {
    await using model = await modelServer();
    await using person = await stranger(walk, { "package.json": { name: "shop", private: true } });
    const { project, registry } = person;
    registry.publish({
      name: "notes",
      version: "1.0.0",
      files: {
        "hugo-workflow.json": '{"name":"notes","description":"Takes notes.","commands":[{"path":"commands/note.md"}]}',
        "commands/note.md": "Note: !`git status`\n",
      },
      time: "2026-01-01T00:00:00.000Z",
    });
    expect(await person.sh("npm install -g hugo-pm")).toMatchObject({ code: 0 });
    await logIn(person, walk, model);
    // Hugo's own plugin comes the way that any other plugin does.
    const own = await person.sh("hugo-pm install hugo-pm --yes");
    expect(`${own.code} ${own.code === 0 ? "" : own.stderr}`).toBe("0 ");
    await logIn(person, walk, model);
    for (const answer of ["It was declined.", "It is there."])
      model
        .expect("install notes")
        .tool("hugo_install", { spec: ["notes"] })
        .then.reply(answer);

    const argv = [
      "env",
      "-i",
      ...Object.entries({ ...person.env, TERM: "xterm-256color" }).map((each) => each.join("=")),
    ];
    await using screen = await terminal([...argv, ...walk.prefix, "opencode"], {
      cols: 120,
      rows: 40,
      cwd: project.dir,
    });
    const asks = async (): Promise<void> => {
      screen.type("install notes");
      await screen.waitFor(/┃ +install notes/, { deadline: 60_000 });
      screen.press("enter");
      await screen.waitFor("Allow once", { deadline: 100_000 });
      await screen.waitFor(/Install notes v1\.0\.0 from notes/);
      await screen.waitFor(/git status/);
    };
    await screen.waitFor("Ask anything", { deadline: 100_000 });
    await asks();
    screen.press("escape");
    await screen.waitFor("It was declined.", { deadline: 60_000 });
    expect(await project.exists(".opencode/commands/note.md")).toBe(false);
    await asks();
    screen.press("enter");
    await screen.waitFor("It is there.", { deadline: 60_000 });
    expect(await project.read(".opencode/commands/note.md")).toBe("Note: !`git status`\n");
    expect((await person.sh("hugo-pm list")).stdout).toContain("notes");
    model.verify();
  });
});
