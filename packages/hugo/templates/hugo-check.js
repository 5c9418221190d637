// Written by Hugo, and removed by it with this project's last plugin. OpenCode says nothing about a plugin whose files are
// missing, as in a clone before `hugo ci`. This file says it, and does nothing else.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export default {
  id: "hugo-check",
  server: async ({ client }) => {
    let message;
    return {
      config: async ({ plugin = [] }) => {
        const paths = plugin.map((entry) => String(Array.isArray(entry) ? entry[0] : entry));
        const stored = paths.filter((path) => path.startsWith("file:") && path.includes("/.hugo/store/"));
        const missing = stored.filter((path) => !existsSync(fileURLToPath(path)));
        if (missing.length === 0) return;
        const names = missing.map((path) =>
          path
            .split("/node_modules/")
            .at(-1)
            .replace(/[^\w@./-]/g, "?"),
        );
        const many = names.length === 1 ? "This plugin of the project is" : "These plugins of the project are";
        message = `${many} not installed here: ${names.join(", ")}. Run \`hugo ci\` (or \`npx hugo-pm ci\`), then restart OpenCode.`;
        // Where OpenCode draws on the terminal, a line in between would spoil the picture.
        if (["run", "serve", "web"].includes(process.argv[2])) console.error(`Hugo: ${message}`);
        void client.app.log({ body: { service: "hugo", level: "error", message } }).catch(() => undefined);
      },
      event: async () => {
        if (message === undefined) return;
        const body = { title: "Hugo", message, variant: "error", duration: 20_000 };
        message = undefined;
        await client.tui.showToast({ body }).catch(() => undefined);
      },
    };
  },
};
