import type { WireName } from "@atomic/testing/model/wire";

/** How each wire says the same things. */
export interface WireSample {
  readonly path: string;
  /** A first prompt with a system text and one tool on offer. */
  readonly first: object;
  /** The same conversation after `bash` was called with the id `call_1_2` and printed `a.txt`. */
  readonly second: object;
  readonly assistantText: (whole: unknown) => unknown;
}

/** The parameters of the one tool on offer. */
export const schema = { type: "object", properties: { command: { type: "string" } } };

export const wireSamples: Record<WireName, WireSample> = {
  "chat-completions": {
    path: "/v1/chat/completions",
    first: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "go" }] },
      ],
      tools: [{ type: "function", function: { name: "bash", description: "Runs", parameters: schema } }],
    },
    second: {
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: "I look",
          reasoning_content: "hm",
          tool_calls: [{ id: "call_1_2", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
        },
        { role: "tool", tool_call_id: "call_1_2", content: "a.txt" },
      ],
      tools: [{ type: "function", function: { name: "bash", description: "Runs", parameters: schema } }],
    },
    assistantText: (whole) => (whole as { choices: [{ message: { content: string } }] }).choices[0].message.content,
  },
  responses: {
    path: "/v1/responses",
    first: {
      instructions: "Be brief.",
      input: "go",
      tools: [{ type: "function", name: "bash", description: "Runs", parameters: schema }],
    },
    second: {
      input: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: [{ type: "input_text", text: "go" }] },
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look" }] },
        { type: "function_call", call_id: "call_1_2", name: "bash", arguments: '{"command":"ls"}' },
        { type: "function_call_output", call_id: "call_1_2", output: "a.txt" },
        { type: "item_reference", id: "rs_1" },
      ],
      tools: [{ type: "function", name: "bash", description: "Runs", parameters: schema }],
    },
    assistantText: (whole) =>
      (whole as { output: { type: string; content: [{ text: string }] }[] }).output.find(
        (item) => item.type === "message",
      )?.content[0].text,
  },
  messages: {
    path: "/v1/messages?beta=true",
    first: {
      system: "Be brief.",
      messages: [{ role: "user", content: "go" }],
      tools: [{ name: "bash", description: "Runs", input_schema: schema }],
    },
    second: {
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "go" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "scripted" },
            { type: "text", text: "I look" },
            { type: "tool_use", id: "call_1_2", name: "bash", input: { command: "ls" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1_2", content: "a.txt" }] },
      ],
      tools: [{ name: "bash", description: "Runs", input_schema: schema }],
    },
    assistantText: (whole) =>
      (whole as { content: { type: string; text: string }[] }).content.find((block) => block.type === "text")?.text,
  },
};
