// Known when OpenCode starts; what the tools do is loaded with the first session.
export const backgroundToolNames = [
  "delegate_task",
  "background_task",
  "background_output",
  "background_cancel",
  "background_list",
] as const;

/** The workflow's tools. An agent only sees those that `agents/*.md` allows it. */
export const toolNames = [
  "magnus_start",
  "magnus_next",
  "magnus_review",
  "magnus_status",
  "magnus_sessions",
  "run_tests",
  "submit_review",
  ...backgroundToolNames,
] as const;
