// `/run`, each workflow under its own name, and hints for arguments in OpenCode's prompt.
import { homedir } from "node:os";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { truncate } from "@atomic/terminal/width";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import { watchEntities } from "@atomic/workflows/internal/entities/watch";
import { mounted, painted } from "@atomic/workflows/internal/view/elements";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import type { TypedPrompt } from "@atomic/workflows/internal/view/prompt-input";
import { screenState } from "@atomic/workflows/internal/view/screen-state";
import type { PaletteCommand, TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import type { Notices } from "./notices.ts";
import { startRun } from "./start-run.ts";
import { hintFor, typedRun } from "./typed-command.ts";

/** Commands of OpenCode that it does not list in its terminal, and our own. */
const taken: readonly string[] = ["init", "review", "run", "runs"];
const ours = "atomic.run.";

/** What OpenCode, or another plugin, does at a slash and a name. Only some commands exist on a page, so what was seen once counts. */
function takenNames({ keymap }: TerminalApi, before: ReadonlySet<string>): ReadonlySet<string> {
  const found = keymap.getCommandEntries({ namespace: "palette" }).flatMap(({ command }) => {
    const { name, slashName, slashAliases } = command;
    return name.startsWith(ours) ? [] : [slashName ?? [], slashAliases ?? []].flat();
  });
  return new Set([...before, ...found]);
}

/** What is left beside the agent and the model in the narrowest prompt of a usual terminal. */
const hintColumns = 44;

export interface PromptCommands {
  readonly api: TerminalApi;
  readonly guard: Guard;
  readonly notices: Notices;
  readonly project: string;
  readonly prompt: TypedPrompt;
  /** Workers execute what is started. */
  readonly hasWorkers: boolean;
  /** Starts a process that works on the run. */
  readonly carryOn: (runId: string) => void;
}

export async function addPromptCommands({
  api,
  guard,
  notices,
  project,
  prompt,
  hasWorkers,
  carryOn,
}: PromptCommands): Promise<void> {
  const watch = await watchEntities({
    projectPath: project,
    userPath: homedir(),
    env: process.env,
    onChange: ({ registry }) => guard(() => take(registry)),
  });
  api.lifecycle.onDispose(async () => await watch[Symbol.asyncDispose]());
  const registry = screenState<EntityRegistry>(watch.registry);
  let workflows: ReadonlySet<string> = new Set();
  let others: ReadonlySet<string> = new Set(taken);
  let remove = (): void => undefined;
  const take = (now: EntityRegistry): void => {
    registry.set(now);
    others = takenNames(api, others);
    const found = now.all("workflow").filter(({ name }) => {
      const isCommand = now.getCommand(name) !== undefined || now.getSkill(name) !== undefined;
      return !isCommand && !others.has(name);
    });
    const named = new Map(found.map((each) => [each.name, each]));
    workflows = new Set(named.keys());
    remove();
    remove = api.keymap.registerLayer({
      commands: [...named.values()].map(({ name, description }) =>
        insertCommand(name, safeLine(`${description ?? ""} (workflow)`.trimStart())),
      ),
    });
  };
  /** OpenCode treats Tab and Enter on a suggestion alike, so both insert it: Tab must not start anything. */
  const insertCommand = (name: string, desc: string): PaletteCommand => ({
    ...{ name: `${ours}${name}`, title: `Atomic: run ${name}`, category: "Atomic", namespace: "palette", desc },
    slashName: name,
    run: () => setTimeout(() => guard(() => prompt.replace(`/${name} `)), 1),
  });
  const start = async (): Promise<void> => {
    const text = prompt.text();
    const words = typedRun(text, workflows);
    if (words === undefined) return;
    const tell = (variant: "success" | "error" | "info", message: string): void =>
      notices.show({ variant, message: safeLine(message) });
    const [workflow] = words;
    if (workflow === undefined) return tell("info", "Which workflow? Type /run <workflow>");
    prompt.replace("");
    try {
      const runId = await startRun(api, project, words);
      if (!hasWorkers) carryOn(runId);
      tell("success", `${workflow} ${runId} started`);
    } catch (error) {
      tell("error", error instanceof Error ? error.message : String(error));
      // So that it can be corrected.
      if (prompt.text() === "") prompt.replace(text);
    }
  };
  take(watch.registry);
  api.keymap.registerLayer({ commands: [insertCommand("run", "Run a workflow: /run <workflow> [arguments]")] });
  api.keymap.registerLayer({
    mode: "base",
    priority: 100,
    enabled: () => typedRun(prompt.text(), workflows) !== undefined,
    bindings: [{ key: "return", desc: "Start the workflow", cmd: () => guard(start, "you") }],
  });

  const hint = (): string => hintFor(prompt.text(), registry.get());
  let shown = 0;
  let isOff = false;
  const element = () => {
    mounted(
      () => (shown += 1),
      () => (shown -= 1),
    );
    return painted(api, () => painter(true)("dim", truncate(hint(), hintColumns)));
  };
  api.slots.register({ order: 90, slots: { home_prompt_right: element, session_prompt_right: element } });
  prompt.onChange(() => {
    const isPrompt = ["home", "session"].includes(api.route.current.name);
    if (isOff || shown > 0 || !isPrompt || hint() === "") return;
    isOff = true;
    const message = "Another plugin has replaced OpenCode's prompt, so hints for arguments are off.";
    notices.show({ variant: "info", message });
  });
}
