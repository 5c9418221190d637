// Background tasks are loaded when they are first needed: by a tool, or because an earlier process left some.
import type { BackgroundLimits } from "../../background/task.ts";
import { defaultLimits } from "../../background/task.ts";
import type { Config } from "../../config/schema.ts";
import type { Magnus } from "../live/magnus.ts";
import type { BackgroundTasks } from "./background-tasks.ts";

const loaded = new WeakMap<Magnus, Promise<BackgroundTasks>>();
const ready = new WeakMap<Magnus, BackgroundTasks>();

export async function backgroundOf(magnus: Magnus): Promise<BackgroundTasks> {
  const known = loaded.get(magnus);
  if (known !== undefined) return await known;
  const loading = load(magnus);
  loaded.set(magnus, loading);
  return await loading;
}

/** If they are loaded. */
export function readyBackgroundOf(magnus: Magnus): BackgroundTasks | undefined {
  return ready.get(magnus);
}

/** If they are loaded, or about to be. */
export async function usedBackgroundOf(magnus: Magnus): Promise<BackgroundTasks | undefined> {
  return await loaded.get(magnus);
}

async function load(magnus: Magnus): Promise<BackgroundTasks> {
  const { openBackground } = await import("./open-background.ts");
  const background = openBackground(magnus, limitsOf(magnus.settings.config));
  ready.set(magnus, background);
  await background.restore();
  return background;
}

function limitsOf({ background = {} }: Config): BackgroundLimits {
  const { perModel, perSession, slots, open, depth, silenceMinutes, wake } = background;
  return {
    perModel: perModel ?? defaultLimits.perModel,
    perRoot: perSession ?? defaultLimits.perRoot,
    slots: slots ?? defaultLimits.slots,
    open: open ?? defaultLimits.open,
    depth: depth ?? defaultLimits.depth,
    silenceMs: silenceMinutes === undefined ? defaultLimits.silenceMs : silenceMinutes * 60_000,
    personMs: defaultLimits.personMs,
    wake: wake ?? defaultLimits.wake,
    kept: defaultLimits.kept,
  };
}
