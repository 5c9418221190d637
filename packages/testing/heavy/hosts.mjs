// The only file that names the heavy packages: it stands beside their node_modules, so plain names resolve.
export const hosts = {
  claude: () => import("@anthropic-ai/claude-agent-sdk"),
  copilot: () => import("@github/copilot-sdk"),
};
