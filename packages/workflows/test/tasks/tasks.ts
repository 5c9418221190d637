// Tasks for tests: only what a test is about.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import type { TaskLoopJson } from "../../src/graph/graph-json.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";
import type { Task } from "../../src/tasks/task.ts";

export function task(id: string, more: Partial<Task> = {}): Task {
  return { id, name: `do ${id}`, status: "pending", ...more };
}

export function tasksText(...tasks: readonly Task[]): string {
  return `${JSON.stringify({ version: "1.0", tasks }, null, 2)}\n`;
}

export interface TasksFolder extends TemporaryFolder {
  readonly file: string;
  text(): Promise<string>;
  tasks(): Promise<readonly Task[]>;
  /** `a passing, b failing`, as they stand in the file. */
  statuses(): Promise<string>;
  write(content: string): Promise<void>;
}

/** A project with a tasks file. */
export async function tasksFolder(...content: readonly Task[] | readonly [string]): Promise<TasksFolder> {
  const folder = await temporaryFolder();
  const file = join(folder.path, "research/tasks.json");
  const write = async (text: string): Promise<void> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const [first] = content;
  if (first !== undefined) await write(typeof first === "string" ? first : tasksText(...(content as readonly Task[])));
  const text = (): Promise<string> => readFile(file, "utf8");
  const tasks = async (): Promise<readonly Task[]> => JSON.parse(await text()).tasks;
  const statuses = async (): Promise<string> => (await tasks()).map(({ id, status }) => `${id} ${status}`).join(", ");
  return Object.assign(folder, { file, text, tasks, statuses, write });
}

export function loop(more: Partial<TaskLoopJson> = {}): TaskLoopJson {
  return {
    kind: "task-loop",
    id: "L",
    nodes: [],
    maxIterations: 100,
    onIncomplete: "continue",
    tasksPath: { value: "research/tasks.json" },
    limit: 1,
    maxAttempts: 1,
    ...more,
  };
}

export interface TestInfo extends StepInfo {
  readonly notes: string[];
}

/** The info that a run passes to a step. */
export function info(idemKey: string): TestInfo {
  const notes: string[] = [];
  const note = (text: unknown): void => void notes.push(String(text));
  const ask = (): Promise<never> => Promise.reject(new Error("no one is there to answer"));
  const { signal } = new AbortController();
  return {
    folder: "",
    attempt: 1,
    countedBefore: { usd: 0, tokens: 0 },
    idemKey,
    signal,
    note,
    spend: () => undefined,
    ask,
    notes,
  };
}
