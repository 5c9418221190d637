// Appends five events to a journal and prints the number of each once it is on disk. Argument: the journal.
import { openJournal } from "@atomic/durable-files/journal/journal";

const journal = await openJournal(process.argv[2]!);
const said = (n: number): void => console.log(n);
await Promise.all([1, 2, 3].map((step) => journal.append({ type: "step", step, text: "ünï".repeat(50) }).then(said)));
said(journal.appendSync({ type: "step", step: 4 }));
await journal.append({ type: "step", step: 5 }).then(said);
journal.close();
