import { expect, test } from "bun:test";
import type { HookConfig } from "../../src/plugin/opencode.ts";
import { addRules, isAllowed, patternOf, settingsFor } from "../../src/plugin/permission-rules.ts";
import { askingTools } from "../../src/plugin/tools.ts";

const install = askingTools.find(({ command }) => command === "install")!;

/** What OpenCode does: the last rule that matches wins, in the general rules and then in the agent's. */
function verdict(config: HookConfig, { agent, subject = "@org/review" }: { agent?: string; subject?: string } = {}) {
  const { permission: own } = (config.agent?.[agent ?? ""] ?? {}) as { readonly permission?: object };
  const rules = [config.permission ?? {}, own ?? {}].flatMap((permission) =>
    Object.entries(permission).flatMap(([key, setting]: [string, string | Record<string, string>]) =>
      typeof setting === "string" ? [[key, "*", setting]] : Object.entries(setting).map((rule) => [key, ...rule]),
    ),
  );
  const matches = (pattern: string, text: string): boolean => {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    return new RegExp(`^${escaped}$`, "s").test(text);
  };
  const [name, pattern] = ["hugo_install: Install it", patternOf(subject, "Install it\nWhat it can do:")];
  return rules.findLast(([key = "", about = ""]) => matches(key, name) && matches(about, pattern))?.[2] ?? "allow";
}

function configured(permission: unknown, agent?: Readonly<Record<string, unknown>>): HookConfig {
  const config: HookConfig = { permission, ...(agent !== undefined && { agent }) };
  addRules(config, askingTools, settingsFor(askingTools, permission));
  return config;
}

test.each([
  [undefined, "ask"],
  ["allow", "ask"],
  ["deny", "deny"],
  [{ "*": "allow" }, "ask"],
  [{ "*": "deny" }, "deny"],
  [{ edit: "deny", bash: { "*": "allow" } }, "ask"],
  [{ hugo_install: "allow" }, "allow"],
  [{ hugo_install: "allow", "*": "deny" }, "allow"],
  [{ hugo_install: "deny", "*": "allow" }, "deny"],
  [{ "hugo_*": "deny" }, "deny"],
  [{ "hugo_*": "allow", hugo_install: "ask" }, "ask"],
  [{ hugo_remove: "allow" }, "ask"],
  [{ hugo_install: { "@org/*": "allow" } }, "allow"],
  [{ hugo_install: { "@org/review": "allow" } }, "allow"],
  [{ hugo_install: { "@else/*": "allow" } }, "ask"],
  [{ hugo_install: { "*": "allow", "@org/*": "deny" } }, "deny"],
  [{ hugo_install: 7, "*": [] }, "ask"],
])("with %j of the user's, an installation is: %s", (permission, expected) => {
  expect(verdict(configured(permission))).toBe(expected as never);
});

test.each([
  [{ "*": "allow" }, undefined, "ask"],
  [{ hugo_install: "allow" }, undefined, "ask"],
  [{ "hugo_*": { "*": "allow" } }, undefined, "ask"],
  [{ "*": "allow" }, { hugo_install: "allow" }, "allow"],
  [{ "*": "deny" }, { hugo_install: "allow" }, "deny"],
  [{ hugo_install: "deny" }, undefined, "deny"],
  [{ hugo_install: { "@org/review": "deny" } }, { hugo_install: "allow" }, "deny"],
  [{ "*": "deny", hugo_install: "allow" }, undefined, "ask"],
  [{ "*": "allow", hugo_install: { "@org/*": "allow" } }, { hugo_install: { "@org/*": "deny" } }, "deny"],
  [{ "*": "ask" }, { hugo_install: "allow" }, "ask"],
  [{ edit: "allow" }, undefined, "ask"],
  ["allow", undefined, "ask"],
])("for an agent with %j, above %j of the user's, it is: %s", (own, general, expected) => {
  expect(verdict(configured(general, { free: { permission: own } }), { agent: "free" })).toBe(expected as never);
});

test("rules for other things, and agents without rules, stay as they are", () => {
  const config = configured({ bash: { "git *": "allow" } }, { plain: { mode: "primary" }, odd: "text" });
  expect(config.permission).toMatchObject({ bash: { "git *": "allow" } });
  expect(config.agent).toEqual({ plain: { mode: "primary" }, odd: "text" });
});

test("a call that passes without a question counts only if the user allowed it by name", () => {
  const allows = (permission: unknown, ...patterns: string[]): boolean =>
    isAllowed(settingsFor(askingTools, permission), install, patterns);
  expect(allows({ "*": "allow" }, "a\nreport")).toBe(false);
  expect(allows({ hugo_install: "allow" }, "a\nreport")).toBe(true);
  expect(allows({ hugo_install: { a: "allow" } }, "a\nreport", "b")).toBe(false);
  expect(allows({ hugo_install: { a: "allow", b: "allow" } }, "a\nreport", "b")).toBe(true);
});
