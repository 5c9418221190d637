import { DurableError } from "@atomic/durable-files/errors";
import { TasksError } from "./tasks-error.ts";

/** What the file system refuses becomes a problem of this file. */
export async function explained<T>(file: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    const { message, hint, at = file } = error;
    const said = message.replace(/[.\s]*$/, ".");
    throw new TasksError([{ code: "file", at, message: said, ...(hint !== undefined && { hint }) }], error);
  }
}
