// One graph names a skill for Claude Code, an agent for OpenCode and an agent for Copilot, and runs them all in OpenCode.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { forgetTarballs, logIn, stranger, walks } from "./stranger.ts";

setDefaultTimeout(300_000);
afterAll(forgetTarballs);

const files = {
  "package.json": { name: "harbour", private: true },
  ".claude/skills/tides/SKILL.md":
    "---\nname: tides\ndescription: Reads the tide table\n---\nThe tide at $ARGUMENTS, from the table.\n",
  ".opencode/agents/pilot.md":
    "---\ndescription: Knows the channel\nmode: all\n---\nYou are the pilot of this harbour.\n",
  ".github/agents/harbour-master.agent.md":
    "---\nname: harbour-master\ndescription: Assigns berths\n---\nYou assign the berths of this harbour.\n",
  ".atomic/workflows/moor.ts": `import { agentNode, defineGraph, last, skillNode } from "@atomic/workflows";

export default defineGraph(
  { name: "moor", description: "Moors a ship", state: { tide: last(""), way: last("") } },
  (graph) =>
    graph
      .start(skillNode({ skill: "tides", args: "noon", into: "tide" }))
      .then(agentNode({ agent: "pilot", prompt: ({ tide }) => \`Which way in? \${tide}\`, into: "way" }))
      .then(agentNode({ agent: "harbour-master", prompt: ({ way }) => \`Which berth? \${way}\` })),
);
`,
};

describe.each(walks())("$name", (walk) => {
  test("the graph compiles with their names, and each gets its own prompt", async () => {
    await using model = await modelServer();
    await using person = await stranger(walk, files);
    expect(await person.sh("npm install -g @atomic/cli")).toMatchObject({ code: 0 });
    await logIn(person, walk, model);
    const entities = await person.sh("atomic entities --json");
    const found = JSON.parse(entities.stdout).entities as { name: string; provider: string }[];
    const providers = ["tides", "pilot", "harbour-master"].map(
      (name) => found.find((entity) => entity.name === name)?.provider,
    );
    expect(providers).toEqual(["claude", "opencode", "copilot"]);
    expect((await person.sh("atomic graph moor")).stdout).toContain("tides");

    model.expect("The tide at noon, from the table.").reply("high water");
    model
      .expect({ user: "Which way in? high water", system: "You are the pilot of this harbour." })
      .reply("the north channel");
    model
      .expect({ user: "Which berth? the north channel", system: "You assign the berths of this harbour." })
      .reply("berth 4");
    const run = await person.sh("atomic run moor");
    expect(`${run.code} ${run.code === 0 ? "" : run.stderr}`).toBe("0 ");
    expect(run.stdout).toContain("berth 4");
    model.verify();

    // A name that no tool has is refused before anything runs.
    const workflow = ".atomic/workflows/moor.ts";
    await person.project.write(workflow, files[workflow].replace('"pilot"', '"pilott"'));
    const misspelled = await person.sh("atomic run moor");
    expect(misspelled.code).toBe(3);
    expect(misspelled.stderr).toContain("pilot");
  });
});
