// `/model`: shows, lists and chooses the model that the host gets.
import { Interrupted } from "@atomic/terminal/console";
import { safeLine } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";
import { outputOf } from "../other-programs.ts";
import type { PromptSession } from "./enter-line.ts";
import { hostTitle, whyNotStarted } from "./line/host-command.ts";
import { isWholeName, knownModels, modelsCommand, readModelWords } from "./line/model-words.ts";
import { sayIfSlow } from "./say-if-slow.ts";

export async function enterModel(session: PromptSession, words: readonly string[]): Promise<string | undefined> {
  const { host, model } = session;
  const title = hostTitle(host);
  const asked = readModelWords(words);
  switch (asked.kind) {
    case "wrong":
      return asked.because;
    case "show":
      return model === undefined
        ? `${title} chooses its own model. /model select changes that.`
        : `${title} uses ${safeLine(model)}. /model default changes that.`;
    case "default":
      await session.remember({ model: "", of: host });
      return `${title} will choose its own model.`;
    case "set": {
      const known = await announcedModels(session);
      // Without a list, the host is the one to know.
      if (known.length > 0 && !known.includes(asked.model) && !isWholeName(host, asked.model)) {
        const [best] = didYouMean(asked.model, known);
        return `${title} has no model "${safeLine(asked.model)}".${best === undefined ? " /model list shows what it has." : ` Did you mean ${safeLine(best)}?`}`;
      }
      await session.remember({ model: asked.model, of: host });
      return `${title} will use ${safeLine(asked.model)}.`;
    }
  }
  const known = await announcedModels(session, asked.kind === "refresh" ? "refresh" : "list");
  if (known.length === 0) return `${title} does not list its models. /model <name> chooses one by its name.`;
  if (asked.kind === "refresh") return `${title} has ${known.length.toLocaleString("en")} models.`;
  if (asked.kind === "select") {
    session.offer("/model ", known);
    return undefined;
  }
  const provider = asked.kind === "list" ? asked.provider : undefined;
  const shown = provider === undefined ? known : known.filter((each) => each.startsWith(`${provider}/`));
  if (shown.length === 0) return `${title} has no models of "${safeLine(provider ?? "")}".`;
  session.print(shown.map((each) => `  ${safeLine(each)}${each === model ? "  (chosen)" : ""}\n`).join(""));
  return undefined;
}

/** Says that it looks them up, if that takes long. */
async function announcedModels(session: PromptSession, how?: "list" | "refresh"): Promise<readonly string[]> {
  return await sayIfSlow(session, "Looking up the models… Ctrl-C stops it.", modelsOf(session, how));
}

/** All that the host lists. */
export async function modelsOf(
  { context, host }: Pick<PromptSession, "context" | "host">,
  how: "list" | "refresh" = "list",
): Promise<readonly string[]> {
  const command = modelsCommand(host, how);
  if (command === undefined) return knownModels[host];
  const output = await outputOf(context, command).catch((error) => {
    // Ctrl-C is for the list that takes too long, not for the prompt line.
    if (!(error instanceof Interrupted) || error.interrupt !== "SIGINT") throw error;
    throw new Error(`\`${command.join(" ")}\` was interrupted.`);
  });
  if ("because" in output) throw new Error(whyNotStarted(host, output));
  if (output.code !== 0)
    throw new Error(`\`${command.join(" ")}\` exited with code ${output.code}: ${output.stderr.trim()}`);
  // One a line, such as `anthropic/claude-opus-4-5`; whatever else it says is not a model.
  return output.stdout.split("\n").filter((line) => /^[^\s/]+\/\S+$/.test(line));
}
