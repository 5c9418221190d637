import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { normalizeModel } from "../src/entities/normalize/model.ts";

describe("a model's class", () => {
  test.each([
    // The design's table.
    ["opus", "opus"],
    ["sonnet", "sonnet"],
    ["haiku", "haiku"],
    ["anthropic/claude-opus-4-5", "opus"],
    ["anthropic/claude-3-sonnet", "sonnet"],
    ["anthropic/claude-3-5-haiku", "haiku"],
    ["claude-opus-4-5", "opus"],
    ["gpt-4o", "inherit"],
    ["gemini-1.5-pro", "inherit"],
    // Dated, hosted and short forms.
    ["claude-3-5-haiku-20241022", "haiku"],
    ["claude-3-5-sonnet@20240620", "sonnet"],
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", "sonnet"],
    ["arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-1-v1:0", "opus"],
    ["claude-opus-4-5[1m]", "opus"],
    ["opus[1m]", "opus"],
    ["sonnet-4.5", "sonnet"],
    ["haiku-latest", "haiku"],
    ["github-copilot/claude-sonnet-4", "sonnet"],
    ["Claude Sonnet 4.5 (copilot)", "sonnet"],
    ["OPUS", "opus"],
    ["  sonnet  ", "sonnet"],
    // Words that only look like it.
    ["fable", "inherit"],
    ["opusplan", "inherit"],
    ["octopus", "inherit"],
    ["my-sonnetish-model", "inherit"],
    ["mistral-haiku-writer", "inherit"],
    ["claude-opus-sonnet-merge", "inherit"],
    ["claude", "inherit"],
    ["constructor", "inherit"],
  ] as const)("%s is %s", (written, model) => {
    expect(normalizeModel(written).model).toBe(model);
  });

  test("keeps the model as written, whatever its class", () => {
    expect(normalizeModel("anthropic/claude-opus-4-5").modelId).toBe("anthropic/claude-opus-4-5");
    expect(normalizeModel(" gpt-4o ").modelId).toBe("gpt-4o");
    expect(normalizeModel("fable").modelId).toBe("fable");
  });

  test.each(["inherit", "Inherit", "", "  "])("%j leaves the choice to the session and names no model", (written) => {
    expect(normalizeModel(written)).toEqual({ model: "inherit", diagnostics: [] });
  });

  test.each([undefined, null])("%p says nothing about the model", (written) => {
    expect(normalizeModel(written)).toEqual({ diagnostics: [] });
  });

  test.each([
    [42, "of type number"],
    [true, "of type boolean"],
    [["opus", "sonnet"], "a list"],
    [{ name: "opus" }, "of type object"],
  ])("%p is reported and sets no model", (written, what) => {
    const { model, modelId, diagnostics } = normalizeModel(written);
    expect({ model, modelId }).toEqual({ model: undefined, modelId: undefined });
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "model-not-a-string" }]);
    expect(diagnostics[0]?.message).toContain(what);
  });

  test("letters around a family's name never make a class", () => {
    const letters = fc.stringMatching(/^[a-z]{1,5}$/);
    fc.assert(
      fc.property(letters, fc.constantFrom("opus", "sonnet", "haiku"), letters, (before, family, after) => {
        expect(normalizeModel(`claude-${before}${family}-4`).model).toBe("inherit");
        expect(normalizeModel(`claude-${family}${after}-4`).model).toBe("inherit");
      }),
    );
  });

  test("any value gives a result, and only a string gives a class", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const { model, diagnostics } = normalizeModel(value);
        if (typeof value !== "string") expect(model).toBeUndefined();
        expect(diagnostics.length).toBe(typeof value === "string" || value === undefined || value === null ? 0 : 1);
      }),
    );
  });
});
