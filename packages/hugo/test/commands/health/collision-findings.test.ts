import { expect, test } from "bun:test";
import {
  type ActualWinner,
  actualWinner,
  collisionFinding,
  type OwnEntities,
} from "../../../src/commands/health/collision-findings.ts";
import type { Registered } from "../../../src/opencode/query-opencode.ts";
import type { Claim } from "../../../src/trust/collisions/claim.ts";
import { type Collision, findCollisions } from "../../../src/trust/collisions.ts";

const own: OwnEntities = {
  agents: { poet: { prompt: "Rhyme.", description: "Writes", permission: { edit: "deny" } } },
  commands: { sing: { template: "Sing." } },
  skillFolders: ["/store/verse/skills"],
};

function meeting(
  type: Claim["type"],
  name: string,
  by: Claim["by"],
  delivery: "plugin" | "copy" = "plugin",
): Collision {
  const content = {
    agents: [{ name: "poet", path: "" }],
    commands: [{ name: "sing", path: "" }],
    skills: [{ name: "meter", path: "" }],
  };
  const [collision] = findCollisions({ kind: "workflow", workflow: "verse", delivery, yields: true }, content, [
    { type, name, by },
  ]);
  if (collision === undefined) throw new Error("They do not meet.");
  return collision;
}

const file = { kind: "file", path: ".opencode/agents/poet.md", read: "in any order" } as const;

function having(more: { agent?: object; command?: object; skill?: string }): Registered {
  return {
    agents: new Map(more.agent === undefined ? [] : [["poet", more.agent as Record<string, unknown>]]),
    commands: new Map(more.command === undefined ? [] : [["sing", more.command as Record<string, unknown>]]),
    skills: new Map(more.skill === undefined ? [] : [["meter", more.skill]]),
  };
}

test.each([
  [
    { prompt: "Rhyme.", description: "Writes", permission: { edit: "deny" }, color: "info" },
    { winner: "own", verdict: 'OpenCode uses the one from "verse".' },
  ],
  [
    { prompt: "Mine.", description: "My own", permission: {} },
    { winner: "other", verdict: "OpenCode uses the other one." },
  ],
  [
    { prompt: "Rhyme.", description: "My own", permission: { edit: "deny" } },
    { winner: "mix", verdict: 'OpenCode uses a mix: prompt, permission from "verse", description from the other.' },
  ],
  [undefined, undefined],
])("an agent that OpenCode has as %j", (agent, seen) => {
  expect(
    actualWinner("verse", meeting("agent", "poet", file), own, having(agent === undefined ? {} : { agent })),
  ).toEqual(seen as ActualWinner);
});

test("an agent of yours with the same mode is yours, not a mix", () => {
  const agents = { poet: { ...own.agents.poet, mode: "subagent" as const } };
  const yours = having({ agent: { prompt: "Taste.", description: "Tastes", permission: {}, mode: "subagent" } });
  expect(actualWinner("verse", meeting("agent", "poet", file), { ...own, agents }, yours)?.winner).toBe("other");
});

test("a command is recognized by its template, a skill by its location", () => {
  const command = meeting("command", "sing", { kind: "config", file: "opencode.json" });
  expect(actualWinner("verse", command, own, having({ command: { template: "Sing." } }))?.verdict).toBe(
    'OpenCode uses the one from "verse".',
  );
  const skill = meeting("skill", "meter", { kind: "file", path: "~/.claude/skills/meter/SKILL.md", read: "later" });
  expect(actualWinner("verse", skill, own, having({ skill: "/store/verse/skills/meter/SKILL.md" }))?.verdict).toBe(
    'OpenCode uses the one from "verse".',
  );
  expect(actualWinner("verse", skill, own, having({ skill: "/home/me/SKILL.md" }))?.verdict).toBe(
    "OpenCode uses the one in /home/me/SKILL.md.",
  );
});

test("an observed winner replaces the predicted one, and each has a next step", () => {
  const collision = meeting("agent", "poet", file);
  expect(collisionFinding("verse", collision, undefined)).toEqual({
    severity: "warning",
    code: "collision",
    message: 'Agent "poet" is also in .opencode/agents/poet.md. Yours wins.',
    hint: "To use the one from verse, rename or remove .opencode/agents/poet.md.",
  });
  const lost = { winner: "other", verdict: "OpenCode uses the other one." } as const;
  expect(collisionFinding("verse", collision, lost).message).toBe(
    'Agent "poet" is also in .opencode/agents/poet.md. OpenCode uses the other one.',
  );
  const others: Claim["by"][] = [
    { kind: "config", file: "opencode.json" },
    { kind: "workflow", workflow: "prose", delivery: "plugin" },
    { kind: "builtin" },
  ];
  const hints = others.map((by) => collisionFinding("verse", meeting("agent", "poet", by), undefined).hint);
  expect(hints).toEqual([
    'To use the one from verse, rename or remove "agent.poet" in opencode.json.',
    "To keep only one of them, run `hugo disable prose` or `hugo disable verse`.",
    "`hugo disable verse` restores OpenCode's built-in version.",
  ]);
});

test("a name with full stops in it does not cut the sentence short", () => {
  const by = { kind: "config", file: "my. config/opencode.json" } as const;
  expect(collisionFinding("verse", meeting("agent", "poet", by), { winner: "own", verdict: "Seen." }).message).toBe(
    'Agent "poet" is defined in my. config/opencode.json. Seen.',
  );
});

test("for a skill and a command, the winner is known without asking OpenCode", () => {
  const skill = meeting("command", "meter", { kind: "builtin" });
  expect(skill).toMatchObject({ entity: "skill", other: "command" });
  expect(actualWinner("verse", skill, own, having({ skill: "/store/verse/skills/meter/SKILL.md" }))).toBeUndefined();
});

test("a collision decided by chance is a problem", () => {
  const skill = meeting(
    "skill",
    "meter",
    { kind: "file", path: ".opencode/skill/meter/SKILL.md", read: "in any order" },
    "copy",
  );
  expect(collisionFinding("verse", skill, undefined).severity).toBe("problem");
});

test.each<[ActualWinner["winner"], string]>([
  ["own", 'To have both, rename "agent.poet" in opencode.json; to keep only yours, run `hugo disable verse`.'],
  ["other", 'To use the one from verse, rename or remove "agent.poet" in opencode.json.'],
  [
    "mix",
    'To use the one from verse, rename or remove "agent.poet" in opencode.json; to keep yours, run `hugo disable verse`.',
  ],
])("the next step is for what one does not have: with %s winning", (winner, hint) => {
  const collision = meeting("agent", "poet", { kind: "config", file: "opencode.json" });
  expect(collisionFinding("verse", collision, { winner, verdict: "Seen." }).hint).toBe(hint);
});

test("a skill that collides with a config command is reported with the command", () => {
  const skill = meeting("command", "meter", { kind: "config", file: "opencode.json" });
  expect(collisionFinding("verse", skill, undefined).hint).toContain('"command.meter" in opencode.json');
});
