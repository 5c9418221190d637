// Deletes one file and the folders that leaves empty. Arguments: state folder, path, folder to stop at.
import { DurableError } from "@atomic/durable-files/errors";
import { transaction } from "@atomic/durable-files/transaction/transaction";

const [state = "", path = "", pruneEmptyUpTo = ""] = process.argv.slice(2);
try {
  console.log(JSON.stringify(await transaction(state, [{ path, delete: true }], { pruneEmptyUpTo })));
} catch (error) {
  if (!(error instanceof DurableError)) throw error;
  console.log(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
