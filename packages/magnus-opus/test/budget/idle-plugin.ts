/** What OpenCode does because there is any plugin at all. */
export default { id: "idle", server: async () => ({}) };
