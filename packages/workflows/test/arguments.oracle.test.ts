// The real tools, asked: what they send to the model is what our rules say.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { heavyHost } from "@atomic/testing/heavy";
import { expandArguments } from "../src/entities/arguments.ts";
import type { Provider } from "../src/entities/entity.ts";
import {
  type ArgumentCase,
  claudeCases,
  claudeDifferences,
  copilotCases,
  opencodeCases,
  opencodeDifferences,
} from "./arguments-cases.ts";
import { expandInClaude } from "./oracle/expand-in-claude.ts";
import { expandInCopilot } from "./oracle/expand-in-copilot.ts";
import { expandInOpenCode } from "./oracle/expand-in-opencode.ts";

setDefaultTimeout(120_000);

const asked = (cases: readonly ArgumentCase[], texts: readonly string[]): unknown =>
  cases.map(({ body, input }, i) => ({ body, input, text: texts[i] }));

function ours(cases: readonly ArgumentCase[], provider: Provider): string[] {
  return cases.map(({ body, input, names = [] }) => expandArguments(body, input, { provider, names }));
}

describe("arguments, as expanded by the real", () => {
  const claude = heavyHost("claude");
  if (!claude.available) console.warn(`skipped: arguments as expanded by Claude Code: ${claude.reason}`);
  test.skipIf(!claude.available)(`Claude Code: ${claudeCases.length} cases, and where we stop short`, async () => {
    const texts = await expandInClaude([...claudeCases, ...claudeDifferences]);
    expect(asked(claudeCases, texts)).toEqual(asked(claudeCases, ours(claudeCases, "claude")));
    const theirs = claudeDifferences.map(({ inClaude }) => inClaude);
    expect(asked(claudeDifferences, texts.slice(claudeCases.length))).toEqual(asked(claudeDifferences, theirs));
  });

  const copilot = heavyHost("copilot");
  if (!copilot.available) console.warn(`skipped: arguments as expanded by Copilot: ${copilot.reason}`);
  test.skipIf(!copilot.available)(`Copilot: ${copilotCases.length} cases`, async () => {
    const texts = await expandInCopilot(copilotCases);
    expect(asked(copilotCases, texts)).toEqual(asked(copilotCases, ours(copilotCases, "copilot")));
  });

  test(`OpenCode: ${opencodeCases.length} cases, and where we differ on purpose`, async () => {
    const texts = await expandInOpenCode([...opencodeCases, ...opencodeDifferences]);
    expect(asked(opencodeCases, texts)).toEqual(asked(opencodeCases, ours(opencodeCases, "opencode")));
    const mangled = opencodeDifferences.map(({ inOpenCode }) => inOpenCode);
    expect(asked(opencodeDifferences, texts.slice(opencodeCases.length))).toEqual(asked(opencodeDifferences, mangled));
  });
});
