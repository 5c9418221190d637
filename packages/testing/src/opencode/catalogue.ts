/**
 * OpenCode's catalogue of known models, cut down to one that never answers: reading the real one takes more than a
 * second of every first prompt, and with an empty one OpenCode refuses to resolve agents.
 */
export const offlineCatalogue: object = {
  // The one provider that needs no account, and so is there without any config.
  opencode: {
    id: "opencode",
    name: "Offline",
    npm: "@ai-sdk/openai-compatible",
    api: "http://127.0.0.1:9/v1",
    env: [],
    models: {
      silent: {
        id: "silent",
        name: "Silent",
        attachment: false,
        reasoning: false,
        tool_call: true,
        temperature: false,
        release_date: "2026-01-01",
        cost: { input: 0, output: 0 },
        limit: { context: 200_000, output: 8_000 },
      },
    },
  },
};
