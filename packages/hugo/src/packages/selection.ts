// Choosing parts of a package: by name, by pattern, or a whole plugin of a collection.
import { suggestion } from "@atomic/terminal/read-command-line";
import { shellWord } from "@atomic/terminal/shell-words";
import { HugoError } from "../errors.ts";
import type { ContentEntity, WorkflowContent } from "./manifest/content.ts";
import type { Manifest } from "./manifest.ts";
import type { ContentNames, ResolvedPackage } from "./resolved-package.ts";

const KINDS = ["agents", "commands", "skills", "workflows"] as const;

/** More names than this are listed by `hugo info`, not by an error. */
const MOST_NAMES = 20;
/** A package without a manifest and with more than this is a collection. */
const MANY = 20;

/** Whether hardly anyone wants all of it: several plugins, or a folder with very many agents, commands and skills. */
export function isCollection({ from, delivery, plugins = [], agents, commands, skills }: Manifest): boolean {
  if (delivery.kind === "plugin") return false;
  const isMany = agents.length + commands.length + skills.length > MANY;
  return plugins.length > 1 || (from === "folders" && isMany);
}

/** What the value of `--select` means, see `checkSelection`. A plugin is installed whole. */
export function selectionIn(
  select: string,
  { manifest, packageName }: Pick<ResolvedPackage, "manifest" | "packageName">,
  source: string,
): readonly string[] | undefined {
  if (manifest.delivery.kind === "plugin") {
    throw new HugoError("no-workflow", {
      message: `${packageName} is a plugin, and plugins cannot be partially installed`,
      hint: "Install it without --select, and disable individual agents in opencode.json.",
    });
  }
  return checkSelection(selectedWords(select), manifest, source);
}

/** The words in the value of `--select`; never none. */
export function selectedWords(select: string): readonly string[] {
  const words = select.split(",").map((word) => word.trim());
  const named = words.filter((word) => word !== "");
  if (named.length > 0) return named;
  throw refuse("--select names nothing", "Name what to install, such as --select skills/pdf.");
}

/**
 * What a user's words mean: a canonical list such as `["agents/reviewer", "plugins/docs"]`, or undefined for everything.
 * Refuses what the package does not have: it would silently install less than was asked for.
 *
 * @param words Such as `skills/pdf`, `pdf`, `python-*`, `plugin-name` or `*`.
 * @param source The package's spec for a shell, for the next command.
 */
export function checkSelection(
  words: readonly string[],
  manifest: WorkflowContent,
  source: string,
): readonly string[] | undefined {
  const chosen = words.map((word) => (/[*?]/.test(word) ? matching(word, manifest) : [meant(word, manifest, source)]));
  if (words.includes("*")) return undefined;
  return [...new Set(chosen.flat())].sort();
}

/** Everything that can be chosen, such as `skills/pdf` and `plugins/docs`. */
function namesOf(manifest: WorkflowContent): string[] {
  const entities = KINDS.flatMap((kind) => (manifest[kind] ?? []).map(({ name }) => `${kind}/${name}`));
  return [...(manifest.plugins ?? []).map(({ name }) => `plugins/${name}`), ...entities];
}

function meant(word: string, manifest: WorkflowContent, source: string): string {
  const known = namesOf(manifest);
  // A name may omit its folder if only one folder has it.
  const exact = known.includes(word) ? [word] : known.filter((name) => name.endsWith(`/${word}`));
  const isCalled = ({ was }: ContentEntity): boolean => was?.toLowerCase() === word.toLowerCase();
  const called = KINDS.flatMap((kind) => (manifest[kind] ?? []).filter(isCalled).map(({ name }) => `${kind}/${name}`));
  const found = exact.length > 0 ? exact : called;
  const plugin = manifest.plugins?.find(({ name }) => found.includes(`plugins/${name}`));
  // A plugin is often called like the one thing in it.
  const isPlugin = found.every((name) => name === `plugins/${plugin?.name}` || plugin?.members.includes(name));
  if (plugin !== undefined && isPlugin) {
    if (plugin.elsewhere !== undefined) {
      throw refuse(
        `The plugin "${plugin.name}" is in another repository`,
        `Install it with \`hugo install ${shellWord(plugin.elsewhere)}\``,
      );
    }
    if (plugin.members.length > 0) return `plugins/${plugin.name}`;
    throw refuse(
      `Nothing of the plugin "${plugin.name}" can be installed: ${plugin.problem}`,
      `Choose another one: \`hugo info ${source}\``,
    );
  }
  if (found.length === 1) return found[0]!;
  const near = suggestion(word, [...known, ...known.map((name) => name.slice(name.indexOf("/") + 1))]);
  const message =
    found.length === 0 ? `The package has no "${word}"${near}` : `The package has more than one "${word}"`;
  const choices = found.length === 0 ? known : found;
  throw refuse(
    message,
    choices.length > MOST_NAMES ? `See what it has: \`hugo info ${source}\`` : `Choose from: ${choices.join(", ")}.`,
  );
}

function matching(pattern: string, manifest: WorkflowContent): string[] {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const isMatch = new RegExp(`^(?:${source})$`, "i");
  const empty = new Set((manifest.plugins ?? []).filter(({ members }) => members.length === 0).map(({ name }) => name));
  const found = namesOf(manifest).filter((name) => {
    const [kind, short] = [name.slice(0, name.indexOf("/")), name.slice(name.indexOf("/") + 1)];
    return (isMatch.test(name) || isMatch.test(short)) && !(kind === "plugins" && empty.has(short));
  });
  if (found.length > 0) return found;
  throw refuse(
    `Nothing in the package matches "${pattern}"`,
    'Patterns may contain "*" and "?", as in skills/python-*.',
  );
}

function refuse(message: string, hint: string): HugoError {
  return new HugoError("no-workflow", { message, hint: `${hint.replace(/(?<![.?!])$/, ".")} Nothing was changed.` });
}

/** With only the chosen contents, and with all that belongs to a chosen plugin or skill. */
export function selectContents<Package extends Pick<ResolvedPackage, "manifest">>(
  resolved: Package,
  selection: readonly string[] | undefined,
): Package {
  if (selection === undefined) return resolved;
  const { manifest } = resolved;
  const plugins = manifest.plugins?.filter(({ name }) => selection.includes(`plugins/${name}`));
  const wanted = new Set([...selection, ...(plugins ?? []).flatMap(({ members }) => members)]);
  const chosen = (key: keyof ContentNames): readonly ContentEntity[] =>
    (manifest[key] ?? []).filter(({ name, within }) => wanted.has(`${key}/${name}`) || wanted.has(`${key}/${within}`));
  const contents = { agents: chosen("agents"), commands: chosen("commands"), skills: chosen("skills") };
  const workflows = chosen("workflows");
  return { ...resolved, manifest: { ...manifest, ...contents, workflows, ...(plugins !== undefined && { plugins }) } };
}

/** Refuses to install nothing: it would look like a success, and would remove what an earlier selection installed. */
export function refuseNothing(
  { manifest, packageName }: ResolvedPackage,
  {
    selection,
    stopped,
  }: {
    readonly selection?: readonly string[];
    readonly stopped: readonly { readonly entity: string; readonly because: string }[];
  },
): void {
  const isAnything = KINDS.some((kind) => (manifest[kind] ?? []).length > 0);
  if (isAnything || manifest.delivery.kind === "plugin" || (selection === undefined && stopped.length === 0)) return;
  const reasons = [...new Set(stopped.map(({ entity, because }) => `${entity}: ${because}`))];
  const what = selection === undefined ? packageName : `${packageName} with the selection ${selection.join(", ")}`;
  const why = reasons.length === 0 ? "the package no longer has any of it" : reasons.slice(0, MOST_NAMES).join("; ");
  throw new HugoError("no-workflow", {
    message: `Nothing of ${what} can be installed: ${why}`,
    hint: "Choose something else with --select. Nothing was changed.",
  });
}
