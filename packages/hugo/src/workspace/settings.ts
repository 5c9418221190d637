import { join } from "node:path";
import { modelName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { readJsonObject } from "../packages/json-part.ts";
import type { WorkspacePlace } from "./place.ts";
import { withoutForeignContent } from "./safe-place.ts";
import { SeenFiles, textIn } from "./seen-files.ts";

/** What users can set once for all packages. */
export interface HugoSettings {
  /** Their models for Claude's: `opus` becomes `anthropic/claude-opus-4-5`. */
  readonly models: ReadonlyMap<string, string>;
}

/** A name that files for Claude Code use for a model: `opus`, `claude-sonnet-4-5`. */
const CLAUDE_MODEL = /^[a-z][\w.:-]{0,99}$/i;
const FILE = "hugo-settings.json";

/**
 * The settings of the project and of the user, in files of their own: OpenCode refuses keys that it does not know in its
 * config. The project's win, name by name; with `-g`, only the user's count.
 */
export function readSettings(place: WorkspacePlace): HugoSettings {
  const files = [...new Set([place.configs.globalFolder, place.folder])].map((each) => join(each, FILE));
  try {
    return { models: new Map(files.flatMap((file) => [...modelsIn(file)])) };
  } catch (error) {
    throw withoutForeignContent(place, error, "does not contain valid settings");
  }
}

function modelsIn(file: string): ReadonlyMap<string, string> {
  const text = textIn(new SeenFiles(), file);
  if (text === undefined || text.trim() === "") return new Map();
  const hint = 'Fix it by hand, for example: { "models": { "opus": "provider/model" } }. Nothing was changed.';
  const root = readJsonObject(text, { file, code: "config-invalid", hint });
  root.refuseKeysBut(["models"]);
  const models = root.get("models");
  const entries = models.isMissing ? [] : models.entries();
  return new Map(
    entries.map(([name, model]) => {
      if (!CLAUDE_MODEL.test(name)) throw model.refuse("is not for a model that a file could name");
      return [name, modelName(model)];
    }),
  );
}
