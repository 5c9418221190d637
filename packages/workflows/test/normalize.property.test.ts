import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Provider, Restrictions, ToolRule } from "../src/entities/entity.ts";
import { normalizePermission } from "../src/entities/normalize/permission.ts";
import { combineTools, type NormalizedTools } from "../src/entities/normalize/restrictions.ts";
import { normalizeDisallowedTools, normalizeTools } from "../src/entities/normalize/tools.ts";
import { matchesWildcard } from "../src/permission/wildcard.ts";

const provider = fc.constantFrom<Provider>("claude", "opencode", "copilot", "atomic", "agent-skills", "hugo");

const known = [
  "Bash",
  "read",
  "Edit",
  "write",
  "grep",
  "search",
  "web",
  "execute",
  "agent",
  "mcp__gh__x",
  "gh/*",
  "MyTool",
  "edit/editFiles",
  "runCommands",
];
const piece = fc.constantFrom(...known, "(git:*)", "(a, b)", "(", ")", ",", " ", '"', "'", "*", ";", "\u200b", "()");
const listText = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
const toolMap = fc.dictionary(
  fc.constantFrom(...known, "*", "web*", "", "a b"),
  fc.oneof(fc.boolean(), fc.constant("x")),
);
/** Values of `tools` as people write them, as they get them wrong, and anything at all. */
const toolsValue = fc.oneof(listText, fc.array(listText, { maxLength: 4 }), toolMap, fc.anything());

/** What a name may stand for, written down a second time on purpose. */
const meanings = new Map<string, readonly string[]>([
  ["agent", ["task"]],
  ["custom-agent", ["task"]],
  ["apply_patch", ["patch"]],
  ["askuserquestion", ["question"]],
  ["ls", ["list"]],
  ["multiedit", ["edit"]],
  ["execute", ["bash"]],
  ["shell", ["bash"]],
  ["powershell", ["bash"]],
  ["edit", ["write", "notebookedit"]],
  ["read", ["notebookread"]],
  ["search", ["grep", "glob"]],
  ["todo", ["todowrite"]],
  ["web", ["websearch", "webfetch"]],
]);

/** The same for names that only Copilot's files have, or that mean more there. */
const copilotMeanings = new Map<string, readonly string[]>([
  ["write", ["edit", "notebookedit"]],
  ["edit/editfiles", ["edit"]],
  ["runcommands", ["bash"]],
]);

/** Every name in the value for which a `true` or a place in a list stands. */
function namedTools(value: unknown, provider: Provider): Set<string> {
  const strings =
    typeof value === "string"
      ? [value]
      : Array.isArray(value)
        ? value.filter((item) => typeof item === "string")
        : Object.entries(value ?? {}).flatMap(([name, isOn]) => (isOn === true ? [name] : []));
  const names = strings.flatMap((text) => withoutPatterns(text).match(/[\p{L}\p{N}_.:/@*-]+/gu) ?? []);
  return new Set(
    names.flatMap((name) => {
      const lower = name.toLowerCase();
      const mcp = name.startsWith("mcp__") ? [name.slice(5).replace("__", "/"), `${name.slice(5)}/*`] : [];
      const copilots = provider === "copilot" ? (copilotMeanings.get(lower) ?? []) : [];
      return [name, lower, ...mcp, ...(meanings.get(lower) ?? []), ...copilots];
    }),
  );
}

function withoutPatterns(text: string): string {
  const outer = text.replace(/\([^()]*\)/g, "");
  return outer === text ? text : withoutPatterns(outer);
}

function mentionsEverything(value: unknown): boolean {
  const strings = typeof value === "string" ? [value] : Array.isArray(value) ? value : Object.keys(value ?? {});
  return strings.some((text) => typeof text === "string" && text.includes("*"));
}

describe("for any value of `tools`", () => {
  test("the allowed tools are among those that it names", () => {
    fc.assert(
      fc.property(toolsValue, provider, (value, provider) => {
        const result = normalizeTools(value, { provider });
        if (result.kind !== "restricted") return;
        const named = namedTools(value, provider);
        for (const { tool } of result.restrictions.allow ?? []) expect(named).toContain(tool);
      }),
      { numRuns: 5_000 },
    );
  });

  test("only its absence, a star or an empty map allows everything", () => {
    fc.assert(
      fc.property(toolsValue, provider, (value, provider) => {
        if (normalizeTools(value, { provider }).kind !== "unrestricted") return;
        const isEmptyMap = typeof value === "object" && value !== null && Object.keys(value).length === 0;
        expect(value === undefined || isEmptyMap || mentionsEverything(value)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  test("an unreadable one gives an error, and a readable one never does", () => {
    fc.assert(
      fc.property(toolsValue, provider, (value, provider) => {
        for (const normalize of [normalizeTools, normalizeDisallowedTools]) {
          const { kind, diagnostics } = normalize(value, { provider });
          expect(diagnostics.some(({ severity }) => severity === "error")).toBe(kind === "unreadable");
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

type Action = "allow" | "ask" | "deny";
const strictness = { deny: 0, ask: 1, allow: 2 };

const tool = fc.constantFrom("bash", "read", "webfetch", "websearch", "edit", "my_tool");
const argument = fc.constantFrom("git log", "git push", "rm x", "docs/a");
const action = fc.constantFrom<Action>("allow", "ask", "deny");
const pattern = fc.constantFrom("*", "git *", "rm *", "docs/*", "git push");
const setting = fc.oneof(action, fc.dictionary(pattern, action, { maxKeys: 4 }));
const permissionName = fc.constantFrom(
  "*",
  "bash",
  "read",
  "web*",
  "webfetch",
  "edit",
  "write",
  "my_*",
  "?ash",
  "Bash",
);
const permission = fc.oneof(action, fc.dictionary(permissionName, setting, { maxKeys: 5 }));

/** What OpenCode decides: the last rule that matches both the permission and the argument. */
function decidedByOpenCode(
  value: string | Record<string, Action | Record<string, Action>>,
  tool: string,
  argument: string,
): Action {
  let decision: Action = "allow";
  const entries = typeof value === "string" ? [["*", value as Action] as const] : Object.entries(value);
  for (const [name, setting] of entries) {
    for (const [pattern, action] of typeof setting === "string" ? [["*", setting] as const] : Object.entries(setting)) {
      if (matchesWildcard(name, tool) && matchesWildcard(pattern, argument)) decision = action;
    }
  }
  return decision;
}

/** What our restrictions mean: deny always wins, then the most specific of allow and ask, and of two alike ask. */
function decide({ allow, ask = [], deny = [] }: Restrictions, tool: string, argument: string): Action {
  const matches = (rule: ToolRule): boolean =>
    matchesWildcard(rule.tool, tool) && (rule.pattern === undefined || matchesWildcard(rule.pattern, argument));
  if (deny.some(matches)) return "deny";
  const specificity = (rule: ToolRule): number => (rule.tool === tool ? 2 : 0) + (rule.pattern === undefined ? 0 : 1);
  const best = (rules: readonly ToolRule[]): number => Math.max(-1, ...rules.filter(matches).map(specificity));
  const named = [...(allow ?? []), ...ask].some((rule) => rule.tool === tool);
  const candidates = (rules: readonly ToolRule[]): readonly ToolRule[] =>
    named && allow !== undefined ? rules.filter((rule) => rule.tool === tool) : rules;
  const [asked, allowed] = [best(candidates(ask)), best(candidates(allow ?? []))];
  if (asked === -1 && allowed === -1) return allow === undefined ? "allow" : "deny";
  return asked >= allowed ? "ask" : "allow";
}

const restrictionsOf = (result: NormalizedTools): Restrictions =>
  result.kind === "restricted" ? result.restrictions : result.kind === "unreadable" ? { allow: [] } : {};

describe("for any permission", () => {
  test("nothing is allowed that OpenCode would ask about or deny", () => {
    fc.assert(
      fc.property(permission, tool, argument, (value, tool, argument) => {
        const ours = decide(restrictionsOf(normalizePermission(value)), tool, argument);
        expect(strictness[ours]).toBeLessThanOrEqual(strictness[decidedByOpenCode(value, tool, argument)]);
      }),
      { numRuns: 20_000 },
    );
  });

  test("without wildcards in names or patterns that overlap, it is exactly what OpenCode decides", () => {
    const plainName = fc.constantFrom("*", "bash", "read", "webfetch", "my_tool");
    const plainSetting = fc.oneof(action, fc.dictionary(fc.constantFrom("*", "git *", "rm *", "docs/*"), action));
    const plain = fc.oneof(action, fc.dictionary(plainName, plainSetting, { maxKeys: 5 }));
    fc.assert(
      fc.property(plain, fc.constantFrom("bash", "read", "webfetch", "my_tool"), argument, (value, tool, argument) => {
        const isSimple = typeof value === "string" || typeof value["*"] !== "object";
        fc.pre(isSimple);
        const ours = decide(restrictionsOf(normalizePermission(value)), tool, argument);
        expect(ours).toBe(decidedByOpenCode(value, tool, argument));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe("for any two restrictions", () => {
  test("together they allow at most what each of them allows", () => {
    const one = fc.oneof(
      permission.map((value) => normalizePermission(value)),
      listText.map((value) => normalizeTools(value, { provider: "claude" })),
      listText.map((value) => normalizeDisallowedTools(value, { provider: "claude" })),
    );
    fc.assert(
      fc.property(one, one, tool, argument, (left, right, tool, argument) => {
        const both = decide(restrictionsOf(combineTools(left, right)), tool, argument);
        const limit = Math.min(
          strictness[decide(restrictionsOf(left), tool, argument)],
          strictness[decide(restrictionsOf(right), tool, argument)],
        );
        expect(strictness[both]).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 10_000 },
    );
  });
});
