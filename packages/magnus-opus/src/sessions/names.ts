/** In the project; one folder for each run. */
export const sessionsFolder = "ai-docs/sessions";
/** In a run's folder. */
export const journalName = "journal.jsonl";
