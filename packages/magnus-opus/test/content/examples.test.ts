// The examples in the skills are code that people will copy: they compile, and the real Svelte compiler has no warning.
import { describe, expect, test } from "bun:test";
import { compile, compileModule } from "svelte/compiler";
import { publishedFiles } from "./published-files.ts";

interface Example {
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

const examples = Object.entries(await publishedFiles()).flatMap(([path, text]) => examplesIn(path, text));
const inLanguage = (language: string): [string, string][] =>
  examples.filter((example) => example.language === language).map(({ place, code }) => [place, code]);

test("the skills contain examples, and each names its language", () => {
  expect(inLanguage("svelte").length).toBeGreaterThanOrEqual(6);
  expect(inLanguage("ts").length).toBeGreaterThanOrEqual(10);
  const known = ["svelte", "ts", "css", "json", "sh", ""];
  expect(examples.filter(({ language }) => !known.includes(language))).toEqual([]);
});

describe("Svelte compiles", () => {
  test.each(inLanguage("svelte"))("%s", (place, code) => {
    for (const generate of ["client", "server"] as const) {
      const { warnings } = compile(code, { filename: nameIn(code), generate, runes: true });
      expect(warnings.map(({ code: warning }) => `${place}: ${warning}`)).toEqual([]);
    }
  });
});

describe("TypeScript is parsed", () => {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "browser" });
  test.each(inLanguage("ts"))("%s", (_place, code) => {
    const script = transpiler.transformSync(code);
    if (nameIn(code).endsWith(".svelte.ts")) compileModule(script, { filename: nameIn(code) });
  });

  test("a runaway brace is found", () => {
    expect(() => transpiler.transformSync("export const x = {;")).toThrow();
  });
});

test.each(inLanguage("json"))("JSON is parsed: %s", (_place, code) => {
  JSON.parse(code);
});

test.each(examples.map(({ place, code }) => [place, code]))("nothing of Svelte 4 is shown: %s", (_place, code) => {
  expect(code).not.toMatch(/export let |\bon:[a-z]+|<slot\b|\$app\/stores|createEventDispatcher|\$:/);
});

function examplesIn(path: string, text: string): Example[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: code = "", index }) => ({
    place: `${path.replace(".opencode/", "")}:${text.slice(0, index).split("\n").length}`,
    language,
    code,
  }));
}

/** Examples begin with the file they would be. */
function nameIn(code: string): string {
  return /^(?:\/\/|<!--|\/\*) (\S+)/.exec(code)?.[1] ?? "example.svelte";
}
