import { describe, expect, test } from "bun:test";
import {
  builtinClaims,
  type Claim,
  type Claimant,
  configClaims,
  fileClaims,
  type WorkflowClaimant,
} from "../../src/trust/collisions/claim.ts";
import { findCollisions } from "../../src/trust/collisions.ts";
import { refusal } from "../refusal.ts";

const entity = (name: string) => ({ name, path: "" });
const content = (lists: { agents?: string[]; commands?: string[]; skills?: string[] }) => ({
  agents: (lists.agents ?? []).map(entity),
  commands: (lists.commands ?? []).map(entity),
  skills: (lists.skills ?? []).map(entity),
});
const copy: WorkflowClaimant = { kind: "workflow", workflow: "review", delivery: "copy" };
const plugin: WorkflowClaimant = { kind: "workflow", workflow: "review", delivery: "plugin" };
const polite: WorkflowClaimant = { ...plugin, yields: true };
const otherCopy: Claimant = { kind: "workflow", workflow: "other", delivery: "copy" };
const otherPlugin: Claimant = { kind: "workflow", workflow: "other", delivery: "plugin" };
const politeOther: Claimant = { kind: "workflow", workflow: "other", delivery: "plugin", yields: true };
const inProject: Claimant = { kind: "file", path: ".opencode/agent/reviewer.md", read: "in any order" };
const inConfig: Claimant = { kind: "config", file: "opencode.json" };

describe("the winner of an agent's name", () => {
  test.each<[string, WorkflowClaimant, Claimant, string, string]>([
    [
      "a copied one and a plugin",
      copy,
      otherPlugin,
      "plugin-decides",
      'is also provided by workflow "other". The code in "other" runs last',
    ],
    ["a copied one and a plugin that yields", copy, politeOther, "newcomer", '"review" wins'],
    [
      "a copied one and the other spelling of the folder",
      copy,
      inProject,
      "chance",
      "is also in .opencode/agent/reviewer.md. OpenCode loads them in no fixed order",
    ],
    [
      "a copied one and the user's global file",
      copy,
      { kind: "file", path: "/h/.config/opencode/agents/reviewer.md", read: "earlier" },
      "both",
      '"review" wins where both',
    ],
    [
      "a copied one and the user's home",
      copy,
      { kind: "file", path: "/h/.opencode/agents/reviewer.md", read: "later" },
      "other",
      "Yours wins",
    ],
    ["a copied one and a config", copy, inConfig, "both", "is defined in opencode.json. OpenCode merges them"],
    ["a copied one and OpenCode's own", copy, { kind: "builtin" }, "newcomer", 'is built into OpenCode. "review" wins'],
    ["a plugin and an earlier plugin", plugin, otherPlugin, "newcomer", '"review" wins'],
    ["a plugin that yields and an earlier plugin", polite, otherPlugin, "other", '"other" wins'],
    ["a plugin and a copied one", plugin, otherCopy, "plugin-decides", 'The code in "review" runs last'],
    ["a plugin and a file", plugin, inProject, "plugin-decides", 'The code in "review" runs last'],
    ["a plugin that yields and a file", polite, inProject, "other", "Yours wins"],
    ["a plugin that yields and a config", polite, inConfig, "other", "Yours wins"],
    ["a plugin that yields and OpenCode's own", polite, { kind: "builtin" }, "newcomer", '"review" wins'],
  ])("%s", (_, newcomer, by, winner, message) => {
    const [collision, ...more] = findCollisions(newcomer, content({ agents: ["reviewer"] }), [
      { type: "agent", name: "reviewer", by },
    ]);
    expect(more).toEqual([]);
    expect(collision).toMatchObject({ entity: "agent", name: "reviewer", with: by, winner });
    expect(collision?.meeting).toStartWith('Agent "reviewer" is');
    expect(collision?.message).toBe(`${collision?.meeting} ${collision?.verdict}`);
    expect(collision?.message).toContain(message);
  });
});

describe("names that meet", () => {
  const claim = (type: Claim["type"], name: string, by: Claimant = otherPlugin): Claim => ({ type, name, by });

  test("are not those of two copied workflows, which share one file", () => {
    const both = content({ agents: ["a"], skills: ["b"] });
    expect(findCollisions(copy, both, [claim("agent", "a", otherCopy), claim("skill", "b", otherCopy)])).toEqual([]);
    expect(findCollisions(copy, both, [claim("agent", "a"), claim("skill", "b")])).toHaveLength(2);
  });

  test("are those of one type", () => {
    const claims = [claim("command", "a"), claim("skill", "a"), claim("agent", "b")];
    expect(findCollisions(copy, content({ agents: ["a"] }), claims)).toEqual([]);
  });

  test("are not those of the workflow itself, which may be installed already", () => {
    expect(findCollisions(copy, content({ agents: ["a"] }), [claim("agent", "a", { ...copy })])).toEqual([]);
  });

  test("are files that differ in case, and nothing else that does", () => {
    const file: Claimant = { kind: "file", path: "agents/Reviewer.md", read: "in any order" };
    const claims = [claim("agent", "Reviewer", file), claim("agent", "REVIEWER", inConfig)];
    expect(findCollisions(copy, content({ agents: ["reviewer"] }), claims).map((each) => each.with)).toEqual([file]);
  });

  test("between skills leave it to chance", () => {
    expect(findCollisions(polite, content({ skills: ["s"] }), [claim("skill", "s")])).toMatchObject([
      { winner: "chance" },
    ]);
  });

  test("of a skill and a command: the command wins", () => {
    const [collision] = findCollisions(copy, content({ skills: ["review"] }), builtinClaims);
    expect(collision).toMatchObject({ entity: "skill", winner: "other" });
    expect(collision).toMatchObject({
      meeting: 'Skill "review" meets the command of OpenCode itself.',
      verdict: '/review runs the command, and the skill "review" is only found by agents.',
    });
    const [reverse] = findCollisions(copy, content({ commands: ["s"] }), [claim("skill", "s")]);
    expect(reverse).toMatchObject({ entity: "command", winner: "newcomer" });
    expect(reverse?.message).toContain('the skill of workflow "other"');
  });

  test("of a skill and a command of the same workflow are reported once", () => {
    expect(findCollisions(copy, content({ skills: ["x"], commands: ["x"] }), [])).toHaveLength(1);
  });

  test("with OpenCode itself are its commands, agents and skills", () => {
    const lists = {
      agents: ["build", "plan", "mine"],
      commands: ["init", "review", "mine"],
      skills: ["customize-opencode"],
    };
    const found = findCollisions(copy, content(lists), builtinClaims);
    expect(found.map((collision) => `${collision.entity} ${collision.name}`)).toEqual([
      "agent build",
      "agent plan",
      "command init",
      "command review",
      "skill customize-opencode",
    ]);
  });

  test("are sorted, each with everything that has the name", () => {
    const claims = [claim("agent", "b"), claim("agent", "a", inConfig), claim("agent", "a", otherPlugin)];
    const found = findCollisions(copy, content({ agents: ["b", "a"] }), claims);
    expect(found.map(({ name, with: by }) => `${name} ${by.kind}`)).toEqual(["a workflow", "a config", "b workflow"]);
  });

  test("that are properties of every object are names like others", () => {
    expect(
      findCollisions(copy, content({ agents: ["a"] }), configClaims("x.json", '{"agent": {"__proto__": {}}}')),
    ).toEqual([]);
  });
});

describe("the sources of names", () => {
  test("are files in both spellings of their folders", () => {
    const paths = [
      "agents/a.md",
      "agent/b/c.md",
      "mode/m.md",
      "modes/deep/x.md",
      "command/d.md",
      "commands/e.txt",
      "skill/group/s/SKILL.md",
      "skills/t/SKILL.md",
      "skills/t/notes.md",
      "plugins/x.ts",
    ];
    expect(fileClaims(paths, "earlier").map(({ type, name }) => `${type} ${name}`)).toEqual([
      "agent a",
      "agent b/c",
      "agent m",
      "command d",
      "skill s",
      "skill t",
    ]);
  });

  test("are the entries of a config", () => {
    const text = '{"agent": {"a": {}}, "mode": {"m": {}}, "command": {"c": {}}, "mcp": {"x": {}}} // end';
    expect(configClaims("opencode.json", text).map(({ type, name }) => `${type} ${name}`)).toEqual([
      "agent a",
      "agent m",
      "command c",
    ]);
    expect(configClaims("opencode.json", "")).toEqual([]);
  });

  test("cannot be read from a config that OpenCode refuses", () => {
    expect(refusal(() => configClaims("opencode.json", '{"agent": []}'))).toMatchObject({
      code: "config-invalid",
      at: "opencode.json:1:11",
    });
  });
});
