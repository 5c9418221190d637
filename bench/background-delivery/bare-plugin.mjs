// The least that a plugin can do: launch a child session, and prompt its parent as soon as it is idle. Nothing is remembered, checked
// or tried again, so it shows what OpenCode itself takes for a prompt.
export default {
  id: "bare",
  server: async ({ client }) => {
    const parents = new Map();
    return {
      tool: {
        bare_task: {
          description: "Launches an agent in the background.",
          args: {},
          execute: async (_, { sessionID }) => {
            const { data } = await client.session.create({ body: { parentID: sessionID } });
            parents.set(data.id, sessionID);
            const parts = [{ type: "text", text: "Do the background errand." }];
            await client.session.promptAsync({ path: { id: data.id }, body: { parts } });
            return "launched";
          },
        },
      },
      event: async ({ event: { type, properties } }) => {
        const parent = type === "session.idle" ? parents.get(properties.sessionID) : undefined;
        if (parent === undefined) return;
        parents.delete(properties.sessionID);
        const parts = [{ type: "text", text: "It is done.", synthetic: true }];
        await client.session.promptAsync({ path: { id: parent }, body: { parts } });
      },
    };
  },
};
