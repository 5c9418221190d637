import { expect, test } from "bun:test";
import { asksPerson } from "../../src/turn/asks-person.ts";

test.each([
  "Shall I go on?",
  "**Which one?**\n",
  "続けますか？",
  "Soll ich die Tabelle löschen?\n\n- Ja\n- Nein",
  "Shall I drop the table `users_old`?\n\n1. Yes, drop it\n2. No, keep it\n\nLet me know.",
  "Shall I drop the table `users_old`? 1. Yes 2. No",
  "Which one do you prefer?\n\n1. A\n2. B",
  "Which one?\n\n- **A**: a table\n  with an index\n- **B**: a file\n\nI recommend A.",
  "Which one?\n\na) A table\nb) A file",
  "Should I proceed? (y/n)",
  "Should I proceed? [Y/n]:",
  "What do you think? 😀",
  "Should I delete it? I have a backup.",
  "Do you want me to run the migration now? It takes about a minute.",
  "Please confirm before I delete the table.",
  "Please confirm before I delete the table. I have a backup.",
  "The migration drops a column. Please let me know whether that is fine.",
  "Waiting for your answer.",
  "I'll wait for your decision.",
  "Before I continue, I need your approval.",
  'Reply "yes" to continue.',
  "Tell me which of them to use.",
  "It is your call.",
  "Let me know if I should continue.",
  "Let me know if you want me to continue.",
  "There are two ways:\n\n1. A table\n2. A file\n\nWhich of them is yours to decide. Please choose one.",
])("%j waits for a person", (said) => {
  expect(asksPerson(said)).toBe(true);
});

test.each([
  "",
  "Done for now.",
  "Why? Because it failed.",
  "Should it be a table? The plan says so.\n\nI have written the first part.",
  "I asked myself: is it fast? It is.",
  "I have done:\n\n1. The table\n2. The file",
  "The first part is done. Let me know if you have any questions.",
  "Let me know if anything is unclear!",
  "The button now asks `Delete?` before it deletes.",
  "```ts\nconst a = b ? c : d; // which one?\n```",
  "I waited for the server, and it answered.",
  "The dialog says: please confirm your order. It works.",
])("%j does not", (said) => {
  expect(asksPerson(said)).toBe(false);
});
