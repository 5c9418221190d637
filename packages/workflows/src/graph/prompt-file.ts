import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * A prompt from a Markdown file, for nodes that send one. `{{name}}` in it is replaced by the value of that name. The file
 * is read when the node runs, inside the step that records the prompt.
 *
 * @example
 * const review = new URL("./prompts/review.md", import.meta.url);
 * agentNode({ prompt: promptFile(review, ({ input }) => ({ files: input.files })) });
 */
export function promptFile<S>(
  file: URL,
  values: (state: S) => Readonly<Record<string, string | number | undefined>> = () => ({}),
): (state: S) => string {
  return (state) => {
    const path = fileURLToPath(file);
    const given = values(state);
    return readFileSync(path, "utf8").replace(/\{\{\s*(\w+)\s*\}\}/g, (_whole, name: string) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined) throw new Error(`${path}: {{${name}}} has no value.`);
      return String(value);
    });
  };
}
