import { describe, expect, test } from "bun:test";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { hashOf } from "../../src/packages/hash.ts";
import { readHugoKey, readStateJson } from "../../src/workspace/migrate.ts";
import { refusal } from "../refusal.ts";

const config = `{
  "$schema": "https://opencode.ai/config.json",
  "plugin": ["@org/code-review"], // mine
  "hugo": {
    "workflows": {
      "code-review": {
        "package": "@org/code-review",
        "version": "1.0.0",
        "agents": ["reviewer"],
        "commands": ["review"],
        "skills": ["analysis"]
      },
      "debugging": { "package": "@org/debugging", "version": "2.1.0", "agents": ["debugger"] }
    }
  }
}
`;

describe("the hugo key of an opencode.json", () => {
  test("becomes workflows, and an edit that removes it", () => {
    const migration = readHugoKey(config, "opencode.json")!;
    expect([...migration.workflows]).toEqual([
      [
        "code-review",
        {
          package: "@org/code-review",
          source: "@org/code-review",
          version: "1.0.0",
          delivery: { kind: "plugin" },
          agents: ["reviewer"],
          commands: ["review"],
          skills: ["analysis"],
        },
      ],
      [
        "debugging",
        {
          package: "@org/debugging",
          source: "@org/debugging",
          version: "2.1.0",
          delivery: { kind: "plugin" },
          agents: ["debugger"],
          commands: [],
          skills: [],
        },
      ],
    ]);
    expect(editJsonc(config, migration.edits!)).toBe(
      '{\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["@org/code-review"] // mine\n}\n',
    );
  });

  test.each(["{}", "", '{"plugin": []}'])("is not in %j", (text) => {
    expect(readHugoKey(text, "opencode.json")).toBeUndefined();
  });

  test("may be empty", () => {
    expect(readHugoKey('{"hugo": {}}', "opencode.json")?.workflows.size).toBe(0);
  });

  test.each([
    ['{"hugo": []}', "hugo is not an object"],
    ['{"hugo": {"workflows": []}}', "hugo.workflows is not an object"],
    ['{"hugo": {"workflows": {"constructor": {}}}}', "is not a valid workflow name"],
    ['{"hugo": {"workflows": {"a": {}}}}', "package is missing"],
    ['{"hugo": {"workflows": {"a": {"package": "-g", "version": "1"}}}}', "starts with a dash"],
    ['{"hugo": {"workflows": {"a": {"package": "a", "version": "npm:b@1.0.0"}}}}', "is not a version"],
    ['{"hugo": {"workflows": {"a": {"package": "a", "version": "1.0.0", "agents": [""]}}}}', "is not a valid name"],
  ])("%s is refused", (text, problem) => {
    const error = refusal(() => readHugoKey(text, "opencode.json"));
    expect(error.code).toBe("legacy-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toMatch(/^opencode\.json:1:\d+$/);
  });
});

describe("the state.json of copied files", () => {
  const digits = hashOf("x").slice("sha256:".length);
  const entry = (part: Record<string, unknown> = {}) => ({
    name: "code-review",
    source: { type: "registry", name: "@some-org/code-review-workflow@^2.0.0" },
    version: "2.1.0",
    syncedAt: "2026-01-01T00:00:00Z",
    files: [
      { source: "agents/reviewer.md", destination: "agents/reviewer.md", hash: digits },
      { source: "skills/git-diff/SKILL.md", destination: "skills/git-diff/SKILL.md", hash: `sha256-${digits}` },
      {
        source: "skills/git-diff/scripts/a.sh",
        destination: "skills/git-diff/scripts/a.sh",
        hash: digits.toUpperCase(),
      },
      { source: "commands/review-pr.md", destination: "commands/review-pr.md", hash: digits },
    ],
    ...part,
  });
  const read = (...entries: unknown[]) => readStateJson(JSON.stringify({ workflows: entries }), "state.json").workflows;

  test("becomes workflows with the hashes as merge bases", () => {
    const base = hashOf("x");
    expect([...read(entry())]).toEqual([
      [
        "code-review",
        {
          package: "@some-org/code-review-workflow",
          source: "@some-org/code-review-workflow@^2.0.0",
          version: "2.1.0",
          delivery: {
            kind: "copy",
            parked: false,
            files: new Map(
              entry().files.map(({ source, destination }) => [destination, { kind: "installed", source, base }]),
            ),
          },
          agents: ["reviewer"],
          commands: ["review-pr"],
          skills: ["git-diff"],
        },
      ],
    ]);
  });

  test("may name git sources", () => {
    const source = { type: "git", url: "git+ssh://git@github.com:org/repo.git", ref: "v1" };
    expect(read(entry({ source })).get("code-review")).toMatchObject({
      package: "code-review",
      source: "git+ssh://git@github.com/org/repo.git#v1",
    });
    expect(read(entry({ source: { type: "git", url: "github:o/r" } })).get("code-review")?.source).toBe("github:o/r");
  });

  test.each<[Record<string, unknown>, string]>([
    [{ name: ".." }, "is not a valid workflow name"],
    [{ source: { type: "ftp" } }, "must be one of registry, git"],
    [{ source: { type: "git", url: "ext::sh" } }, "cannot be installed"],
    [{ version: undefined }, "version is missing"],
    [{ files: [{ source: "a", destination: "../x", hash: digits }] }, "not in a folder that Hugo copies to"],
    [{ files: [{ source: "../a", destination: "agents/x.md", hash: digits }] }, "not a plain relative path"],
    [{ files: [{ source: "a", destination: "agents/x.md", hash: "12" }] }, "is not a SHA-256 hash"],
  ])("%j is refused", (part, problem) => {
    const error = refusal(() => read(entry(part)));
    expect(error.code).toBe("legacy-invalid");
    expect(error.message).toContain(problem);
  });
});
