// One person writes a workflow and publishes it, another installs, edits and updates it, and a team gets all of it from a clone.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { forgetTarballs, type Stranger, stranger, walks } from "./stranger.ts";

setDefaultTimeout(300_000);
afterAll(forgetTarballs);

describe.each(walks())("$name", (walk) => {
  test("a workflow goes from its author to a user and to the user's team, and an edit survives the update", async () => {
    await using person = await stranger(walk);
    await ran(person, "npm install -g hugo-pm @atomic/cli && hugo-pm setup");

    // The author, in a folder of their own. What `hugo init` prints as next steps is what they type.
    const init = await ran(person, "mkdir -p ~/author && cd ~/author && hugo init verse --yes");
    expect(init).toContain("verse");
    const folder = (await ran(person, "ls ~/author")).trim();
    const author = `cd ~/author/${folder}`;
    await ran(person, `${author} && npm install --no-audit --no-fund && hugo build`);
    // Without code, users get copies of the files, which they can edit.
    await ran(person, `${author} && rm -r src && npm pkg delete main dependencies exports && hugo build`);
    await ran(person, `${author} && npm publish --access public`);
    const { name } = JSON.parse(await person.project.read(`~/author/${folder}/package.json`)) as { name: string };

    // A user, in a project with a git history.
    const use = "cd ~/shop";
    await ran(person, "mkdir -p ~/shop && cd ~/shop && git init -q");
    await ran(person, `${use} && hugo install ${name} --yes`);
    const files = (await ran(person, `${use} && find .opencode -name '*.md' | sort`)).trim().split("\n");
    const agent = files.find((file) => file.startsWith(".opencode/agents/")) ?? "";
    await ran(person, `${use} && printf '\\nSpeak like a pirate.\\n' >> ${agent}`);

    // The author's next version changes the same file at another place.
    const own = agent.replace(/^.*\/agents\//, "agents/");
    const before = await person.project.read(`~/author/${folder}/${own}`);
    const changed = before.replace(/^(description: ).*$/m, "$1Writes a verse, or two");
    expect(changed).not.toBe(before);
    await person.project.write(`~/author/${folder}/${own}`, changed);
    await ran(
      person,
      `${author} && npm version 0.2.0 --no-git-tag-version && hugo build && npm publish --access public`,
    );
    expect(await ran(person, `${use} && hugo update --yes`)).toContain("Merged:");
    const merged = await person.project.read(`~/shop/${agent}`);
    expect(merged).toContain("Speak like a pirate.");
    expect(merged).toContain("Writes a verse, or two");

    // The team: a clone has what was committed, and `hugo ci` restores the rest.
    await ran(person, `${use} && git add -A && git commit -q -m 'Add verse' && git clone -q ~/shop ~/clone`);
    await ran(person, "cd ~/clone && hugo ci --yes");
    expect(await person.project.read(`~/clone/${agent}`)).toBe(merged);
    expect(await ran(person, "cd ~/clone && hugo verify")).toContain("verse");
  });
});

async function ran(person: Stranger, command: string): Promise<string> {
  const { code, stdout, stderr } = await person.sh(command);
  expect(`${command}: ${code}${code === 0 ? "" : `\n${stderr}${stdout}`}`).toBe(`${command}: 0`);
  return stdout;
}
