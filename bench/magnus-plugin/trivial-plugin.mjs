/** One agent, and nothing else. */
const server = async () => ({
  config: async (config) => {
    config.agent = { ...config.agent, trivial: { description: "Does little", mode: "subagent", prompt: "Do little." } };
  },
});

export default { id: "trivial", server };
