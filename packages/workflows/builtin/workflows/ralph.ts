// Ralph works through a task file, one task at a time and each in a new session, or works toward one goal until it is reached.
import {
  agentNode,
  criteriaLoopNode,
  defineGraph,
  hasSignal,
  promptFile,
  taskLoopNode,
  toolNode,
} from "@atomic/workflows";

const taskPrompt = new URL("./ralph/task.md", import.meta.url);
const goalPrompt = new URL("./ralph/goal.md", import.meta.url);

export default defineGraph(
  {
    name: "ralph",
    description: "Works through a tasks.json, one task at a time in a fresh session, or toward one goal with --yolo.",
    argumentHint: "--yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>",
    arguments: {
      yolo: { type: "string", value: "prompt", description: "Work toward this goal, without a task file" },
      tasks: { type: "string", value: "path", default: "research/tasks.json", description: "The task file" },
      maxIterations: {
        type: "number",
        value: "n",
        default: 100,
        min: 1,
        whole: true,
        description: "Stop after this many sessions, finished or not",
      },
    },
  },
  (graph) =>
    graph
      .if(({ input }) => input.yolo !== undefined, { id: "mode" })
      .then(
        criteriaLoopNode({
          id: "goal",
          taskNodes: agentNode({
            id: "work",
            prompt: promptFile(goalPrompt, ({ input, iteration }) => ({ goal: input.yolo, iteration })),
          }),
          completionSignal: "COMPLETE",
          maxIterations: ({ input }) => input.maxIterations,
          onIncomplete: "fail",
        }),
      )
      .else()
      .then(
        taskLoopNode({
          id: "tasks",
          tasksPath: ({ input }) => input.tasks,
          taskNodes: [
            agentNode({
              id: "implement",
              prompt: promptFile(taskPrompt, ({ input, currentTask }) => ({
                file: input.tasks,
                task: JSON.stringify({ ...currentTask, status: undefined, claimedBy: undefined }, null, 2),
              })),
            }),
            toolNode({ id: "outcome", run: ({ outputs }) => checkOutcome(String(outputs.implement)) }),
          ],
          maxAttempts: 3,
          maxIterations: ({ input }) => input.maxIterations,
          onIncomplete: "fail",
        }),
      )
      .endif(),
);

/** The agent must state the outcome in a tag at the very end. Saying nothing does not count as passing. */
function checkOutcome(message: string): "passing" {
  if (hasSignal(message, "<outcome>failing</outcome>")) {
    const report = message.replaceAll("<outcome>failing</outcome>", "");
    throw new Error(`The agent reports that the task is failing: ${ending(report, 600)}`);
  }
  if (!hasSignal(message, "<outcome>passing</outcome>", { where: "last-line" })) {
    const lastWords = ending(message.replace(/\s+/g, " "), 300) || "(nothing)";
    throw new Error(`The agent did not say whether the task is passing; it ended with: ${lastWords}`);
  }
  return "passing";
}

/** Reports put the conclusion last, so keep the end: the next attempt gets it as the task's error. */
function ending(text: string, most: number): string {
  const characters = [...text.trim()];
  return characters.length > most ? `…${characters.slice(-most).join("")}` : characters.join("");
}
