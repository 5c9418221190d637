import { expect, test } from "bun:test";
import { opencodeConfig } from "@atomic/testing/opencode/config";

const model = { v1: "http://127.0.0.1:1234/v1", models: ["small", "large"] };

test("the scripted model is the only provider, and its first model the default", () => {
  expect(opencodeConfig(model)).toEqual({
    $schema: "https://opencode.ai/config.json",
    model: "scripted/small",
    small_model: "scripted/small",
    enabled_providers: ["scripted"],
    share: "disabled",
    snapshot: false,
    provider: {
      scripted: {
        name: "Scripted",
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: "http://127.0.0.1:1234/v1", apiKey: "none" },
        models: {
          small: { name: "small", tool_call: true, limit: { context: 200_000, output: 8_000 } },
          large: { name: "large", tool_call: true, limit: { context: 200_000, output: 8_000 } },
        },
      },
    },
  });
});

test("the schema comes first, so OpenCode does not edit the file", () => {
  expect(Object.keys(opencodeConfig(model, { $schema: "mine", username: "Ada" }))[0]).toBe("$schema");
});

test("the test's own config wins, and other providers can be added", () => {
  const config = opencodeConfig(model, {
    model: "scripted/large",
    snapshot: true,
    plugin: ["file:///a.ts"],
    provider: { other: { npm: "@ai-sdk/openai" } },
  });
  expect(config).toMatchObject({ model: "scripted/large", snapshot: true, plugin: ["file:///a.ts"] });
  expect(Object.keys(config.provider ?? {})).toEqual(["scripted", "other"]);
});

test.each([
  ["chat-completions", "@ai-sdk/openai-compatible"],
  ["responses", "@ai-sdk/openai"],
  ["messages", "@ai-sdk/anthropic"],
] as const)("OpenCode speaks %s through %s", (wire, npm) => {
  expect(opencodeConfig(model, {}, wire).provider?.scripted?.npm).toBe(npm);
});
