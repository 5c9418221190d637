/** Which skills an agent has unless `agents.<name>.skills` says otherwise. */
export const agentSkills: Readonly<Record<string, readonly string[]>> = {
  orchestrator: ["multi-agent-coordination", "todowrite-orchestration", "quality-gates"],
  architect: ["quality-gates"],
  developer: ["sveltekit", "shadcn-svelte"],
  backend: ["convex"],
  "ui-developer": ["sveltekit", "shadcn-svelte"],
};
