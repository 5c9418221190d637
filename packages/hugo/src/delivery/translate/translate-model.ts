import { normalizeModel } from "@atomic/workflows/internal/entities/normalize/model";
import { KeyEdits } from "./key-edits.ts";

/** OpenCode wants `provider/model`, and nobody but the user knows who provides. */
export function translateModel(edits: KeyEdits, models: ReadonlyMap<string, string> | undefined): void {
  const { model } = edits.values;
  if (model === undefined || (typeof model === "string" && /^[^\s/]+\/\S+$/.test(model))) return;
  const { model: family, modelId } = normalizeModel(model);
  const mapped = models?.get(modelId ?? "") ?? (family === undefined ? undefined : models?.get(family));
  if (mapped !== undefined) {
    edits.replace("model", KeyEdits.text("model", mapped));
    return;
  }
  edits.remove("model");
  // To inherit is what OpenCode does anyway.
  if (family === "inherit" && modelId === undefined) return;
  edits.note("model", `The model ${JSON.stringify(modelId ?? model)} is not set in OpenCode: it uses the session's`);
}
