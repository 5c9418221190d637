// Replaces one file. Arguments: state folder, path, content.
import { DurableError } from "@atomic/durable-files/errors";
import { transaction } from "@atomic/durable-files/transaction/transaction";

const [state = "", path = "", content = ""] = process.argv.slice(2);
try {
  await transaction(state, [{ path, content }]);
} catch (error) {
  if (!(error instanceof DurableError)) throw error;
  console.log(`${error.code}: ${error.message}`);
  if (error.completed !== undefined) console.log(`completed: ${JSON.stringify(error.completed)}`);
  process.exitCode = 1;
}
