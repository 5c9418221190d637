// `/run`, each workflow under its own name, and hints for arguments in OpenCode's prompt.
import { homedir } from "node:os";
import { isExplained } from "@atomic/durable-files/explained-error";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { truncate } from "@atomic/terminal/width";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import { watchEntities } from "@atomic/workflows/internal/entities/watch";
import { box, mounted, painted, screenSize } from "@atomic/workflows/internal/view/elements";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import type { Notices } from "@atomic/workflows/internal/view/notices";
import type { TypedPrompt } from "@atomic/workflows/internal/view/prompt-input";
import { roomInLine } from "@atomic/workflows/internal/view/room-in-line";
import { screenState } from "@atomic/workflows/internal/view/screen-state";
import type {
  KeyBinding,
  PaletteCommand,
  TerminalApi,
  TerminalElement,
} from "@atomic/workflows/internal/view/terminal-api";
import { sentences } from "../report/sentences.ts";
import { startRun } from "./start-run.ts";
import { ours, takenNames } from "./taken-names.ts";
import { hintFor, type OwnNames, ownNames, typedRun, withCommand, withheldName } from "./typed-command.ts";

/** The keys that send a prompt, from the user's tui.json; Enter in an OpenCode that does not say. */
function submitKeys({ tuiConfig }: TerminalApi): readonly KeyBinding["key"][] {
  const keybinds = tuiConfig?.keybinds;
  if (keybinds?.get === undefined) return ["return"];
  const bindings = ["input.submit", "prompt.submit"].flatMap((command) => keybinds.get?.(command) ?? []);
  return [...new Set(bindings.map(({ key }) => key))];
}

function onlyText(attachments: readonly string[]): string {
  return `Workflows accept only text. Remove ${attachments.join(" ")}`;
}

/** How much of what you typed a message repeats. */
const typedColumns = 200;

export interface PromptCommands {
  readonly api: TerminalApi;
  readonly guard: Guard;
  readonly notices: Notices;
  readonly project: string;
  readonly prompt: TypedPrompt;
  /** The run has just been created. */
  readonly started: (runId: string) => void;
}

export async function addPromptCommands({
  api,
  guard,
  notices,
  project,
  prompt,
  started,
}: PromptCommands): Promise<void> {
  const watch = await watchEntities({
    projectPath: project,
    userPath: homedir(),
    env: process.env,
    onChange: (now) =>
      guard(() => {
        registry.set(now.registry);
        addCommands();
      }),
  });
  api.lifecycle.onDispose(async () => await watch[Symbol.asyncDispose]());
  const registry = screenState<EntityRegistry>(watch.registry);
  const workflows = screenState<OwnNames>(new Map());
  let remove = (): void => undefined;
  /** Gives each workflow a command with its name. */
  const addCommands = (): void => {
    const now = registry.get();
    // Until OpenCode has said what it has, it may have what its files and those of other tools say.
    const mayHave = (each: string): boolean =>
      !taken.isComplete() && (now.getCommand(each) ?? now.getSkill(each)) !== undefined;
    const own = ownNames(now.all("workflow"), (each) => taken.has(each) || mayHave(each));
    workflows.set(own);
    remove();
    remove = api.keymap.registerLayer({
      commands: [...own.values()].map((each) => {
        const description = now.getWorkflow(each)?.description ?? "";
        return insertCommand(each, safeLine(`${description} (workflow)`.trimStart()));
      }),
    });
  };
  /** OpenCode treats Tab and Enter on a suggestion alike, so both insert it: Tab must not start anything. */
  const insertCommand = (name: string, desc: string): PaletteCommand => ({
    ...{ name: `${ours}${name}`, title: `Atomic: run ${name}`, category: "Atomic", namespace: "palette", desc },
    slashName: name,
    run: () => setTimeout(() => guard(() => insert(name)), 1),
  });
  const insert = (name: string): void => {
    const { line, attachments } = prompt.read();
    const say = (message: string): void => notices.show({ variant: "info", message: safeLine(message) });
    if (!prompt.isForAgent()) say(`You are in shell mode. Press Esc before you type /${name}`);
    else if (attachments.length > 0) say(onlyText(attachments));
    else prompt.replace(withCommand(name, line));
  };
  const start = async (): Promise<void> => {
    const { text, line, attachments } = prompt.read();
    const words = typedRun(line, workflows.get());
    if (words === undefined) return;
    const tell = (variant: "success" | "error" | "info", message: string): void =>
      notices.show({ variant, message: safeLine(message) });
    const [workflow] = words;
    if (workflow === undefined) return tell("info", "Which workflow? Type /run <workflow>");
    // A quote that is closed is not part of a word.
    if (/^["']/.test(workflow)) return tell("info", `A quote is not closed: ${workflow}`);
    if (attachments.length > 0) return tell("info", onlyText(attachments));
    const putBack = prompt.take();
    try {
      const runId = await startRun(api, project, words);
      started(runId);
      tell("success", `${workflow} ${runId} started`);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const message = isExplained(error) ? sentences(problem, error.hint) : problem;
      // So that it can be corrected.
      if (putBack()) return tell("error", message);
      const typed = truncate(safeLine(text), typedColumns);
      notices.show({ variant: "error", message: `${safeLine(message)}\nYou typed: ${typed}`, duration: 20_000 });
    }
  };
  const taken = takenNames(api, guard, addCommands);
  addCommands();
  api.keymap.registerLayer({ commands: [insertCommand("run", "Run a workflow: /run <workflow> [arguments]")] });
  api.keymap.registerLayer({
    mode: "base",
    priority: 100,
    enabled: () => prompt.isForAgent() && typedRun(prompt.read().line, workflows.get()) !== undefined,
    bindings: submitKeys(api).map((key) => ({ key, desc: "Start the workflow", cmd: () => guard(start, "you") })),
  });

  const hint = (): string => {
    const text = prompt.text();
    return prompt.isForAgent() ? hintFor(text, registry.get(), workflows.get()) : "";
  };
  let shown = 0;
  let isOff = false;
  const element = () => {
    mounted(
      () => (shown += 1),
      () => (shown -= 1),
    );
    const size = screenSize();
    let width = size().width;
    let place: TerminalElement | undefined;
    const room = (): number => {
      const now = size().width;
      // When the screen has just become narrower, the last frame had more room.
      const lost = Math.max(0, width - now);
      width = now;
      return Math.max(0, (place === undefined ? 0 : roomInLine(place)) - lost);
    };
    place = box(
      {},
      painted(api, () => painter(true)("dim", truncate(hint(), room()))),
    );
    return place;
  };
  api.slots.register({ order: 90, slots: { home_prompt_right: element, session_prompt_right: element } });
  const told = new Set<string>();
  prompt.onChange(() => {
    if (!taken.isComplete() || !prompt.isForAgent()) return;
    const name = withheldName(prompt.text(), registry.get(), taken.has);
    if (name === undefined || told.has(name)) return;
    told.add(name);
    const message = `OpenCode or a plugin has its own /${name}. To start the workflow, type /run ${name}`;
    notices.show({ variant: "info", message: safeLine(message) });
  });
  prompt.onChange(() => {
    const isPrompt = ["home", "session"].includes(api.route.current.name);
    if (isOff || shown > 0 || !isPrompt || hint() === "") return;
    isOff = true;
    const message = "Another plugin has replaced OpenCode's prompt, so hints for arguments are off.";
    notices.show({ variant: "info", message });
  });
}
