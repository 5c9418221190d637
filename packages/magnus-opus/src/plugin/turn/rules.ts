// The project's rules: those that always apply come with a message, those about some files with the first of them that an agent
// reads or changes. What OpenCode's own settings name is in the system prompt already.
import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { errnoOf } from "@atomic/durable-files/files/errno";
import { editedPaths } from "../../run/tool-kind.ts";
import { matchesGlob, type ProjectRule, readRule, ruleApplies, rulePlaces } from "../../turn/rules.ts";
import { say } from "../../words/template.ts";
import { TaskClient } from "../background/task-client.ts";
import { textOf } from "./text-of.ts";
import type { MakeTurnHook } from "./turn-hook.ts";

/** More are not rules any more. */
const mostRules = 50;

export const rules: MakeTurnHook = ({ context, settings, workplace: { directory } }, collector) => {
  const client = new TaskClient(context);
  /** By session: the rules that its conversation contains. */
  const given = new Map<string, Set<string>>();
  let known: readonly ProjectRule[] | undefined;
  const wordsOf = ({ path, text }: ProjectRule): string => say("turn/rule", { path, text });
  return {
    async onMessage({ session, typed }) {
      if (typed === "") return undefined;
      known = await rulesIn(directory, settings.instructions);
      const always = known.filter(({ globs }) => globs === undefined);
      if (known.length > 0 && !given.has(session)) given.set(session, await alreadyIn(client, session));
      for (const rule of always) {
        const isThere = given.get(session)?.has(rule.path) === true;
        const { path: id } = rule;
        if (!isThere) collector.register(session, { source: "rules", id, content: wordsOf(rule), priority: "normal" });
      }
      return undefined;
    },
    async afterTool({ session, tool, args, output }) {
      const touched = ["read", "edit", "write", "apply_patch"].includes(tool) ? (editedPaths(tool, args) ?? []) : [];
      if (touched.length === 0) return undefined;
      known ??= await rulesIn(directory, settings.instructions);
      const there = given.get(session) ?? new Set<string>();
      given.set(session, there);
      const paths = touched.map((path) => relative(directory, resolve(directory, path)).replaceAll("\\", "/"));
      const fresh = known.filter(
        (rule) => rule.globs !== undefined && !there.has(rule.path) && paths.some((path) => ruleApplies(rule, path)),
      );
      for (const { path } of fresh) there.add(path);
      return fresh.length === 0 ? undefined : [output, ...fresh.map(wordsOf)].join("\n\n");
    },
    onEvent(type, { sessionID = "" }) {
      if (type === "session.compacted") given.set(sessionID, new Set());
    },
    forget: (session) => void given.delete(session),
  };
};

/** What an earlier process has given. */
async function alreadyIn(client: TaskClient, session: string): Promise<Set<string>> {
  const messages = (await client.messages(session)) ?? [];
  const texts = messages.flatMap(({ parts }) => parts.flatMap(({ text = "", state }) => [text, state?.output ?? ""]));
  return new Set(texts.flatMap((text) => [...text.matchAll(/<rule path="([^"]*)">/g)].map(([, path = ""]) => path)));
}

/** `named`: what OpenCode's `instructions` name, which it gives to the model itself. */
async function rulesIn(directory: string, named: readonly string[]): Promise<readonly ProjectRule[]> {
  const found: ProjectRule[] = [];
  for (const place of rulePlaces) {
    const paths = place.endsWith("/") ? await filesIn(directory, place) : [place];
    for (const path of paths) {
      const isNamed = named.some(
        (glob) => matchesGlob(glob, path) || matchesGlob(glob, join(directory, path).slice(1)),
      );
      const text = isNamed || found.length >= mostRules ? "" : await textOf(join(directory, path));
      const rule = readRule(path, text);
      if (rule !== undefined) found.push(rule);
    }
  }
  return found;
}

async function filesIn(directory: string, folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(join(directory, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && /\.mdc?$/i.test(entry.name))
      .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
      .toSorted();
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
