// A lock as an object and as its file, for the tests of `hugo-lock`.
import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock, LockedFile, LockedWorkflow } from "../src/hugo-lock/lock.ts";
import { LockError } from "../src/hugo-lock/parse-lock.ts";

export const file = ".opencode/hugo.json";
export const hash = (digit: string): Hash => `sha256:${digit.repeat(64)}`;

export const plugin: LockedWorkflow = {
  package: "@org/code-review",
  source: "@org/code-review@^1.0.0",
  version: "1.2.0",
  integrity: "sha512-abc==",
  tree: hash("a"),
  delivery: {
    kind: "plugin",
    disabled: [{ file: "opencode.json", index: 2, spec: "@org/code-review@1.2.0", options: { strict: true } }],
  },
  agents: ["reviewer"],
  commands: ["review"],
  skills: [],
  workflows: ["notes", "release"],
};
export const copy: LockedWorkflow = {
  package: "debugging",
  source: "github:org/debugging#v2",
  version: "0123456789abcdef0123456789abcdef01234567",
  tree: hash("b"),
  delivery: {
    kind: "copy",
    parked: true,
    files: new Map<string, LockedFile>([
      ["skills/trace/SKILL.md", { kind: "installed", source: "skills/trace/SKILL.md", base: hash("c"), adopted: true }],
      [
        "agents/debugger.md",
        { kind: "installed", source: "agents/debugger.md", base: hash("d"), pending: hash("e"), deleted: true },
      ],
      ["commands/debug.md", { kind: "skipped", source: "commands/debug.md" }],
    ]),
  },
  agents: ["debugger"],
  commands: ["debug"],
  skills: ["trace"],
  selection: ["agents/debugger", "skills/trace"],
};
export const lock: Lock = {
  workflows: new Map([
    ["debugging", copy],
    ["code-review", plugin],
  ]),
  configs: new Map([["opencode.json", "array"]]),
  check: hash("c"),
};

export const text = `{
  "version": 1,
  "check": "${hash("c")}",
  "configs": {
    "opencode.json": "array"
  },
  "workflows": {
    "code-review": {
      "package": "@org/code-review",
      "source": "@org/code-review@^1.0.0",
      "version": "1.2.0",
      "integrity": "sha512-abc==",
      "tree": "${hash("a")}",
      "delivery": "plugin",
      "agents": [
        "reviewer"
      ],
      "commands": [
        "review"
      ],
      "skills": [],
      "workflows": [
        "notes",
        "release"
      ],
      "disabled": {
        "file": "opencode.json",
        "index": 2,
        "spec": "@org/code-review@1.2.0",
        "options": {
          "strict": true
        }
      }
    },
    "debugging": {
      "package": "debugging",
      "source": "github:org/debugging#v2",
      "version": "0123456789abcdef0123456789abcdef01234567",
      "tree": "${hash("b")}",
      "delivery": "copy",
      "agents": [
        "debugger"
      ],
      "commands": [
        "debug"
      ],
      "skills": [
        "trace"
      ],
      "selection": [
        "agents/debugger",
        "skills/trace"
      ],
      "parked": true,
      "files": {
        "agents/debugger.md": {
          "source": "agents/debugger.md",
          "base": "${hash("d")}",
          "pending": "${hash("e")}",
          "deleted": true
        },
        "commands/debug.md": {
          "source": "commands/debug.md",
          "skipped": true
        },
        "skills/trace/SKILL.md": {
          "source": "skills/trace/SKILL.md",
          "base": "${hash("c")}",
          "adopted": true
        }
      }
    }
  }
}
`;

export function refusal(act: () => unknown): LockError {
  try {
    act();
  } catch (error) {
    if (error instanceof LockError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}
