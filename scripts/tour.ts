// `npm start`: the product shown on the real programs, in a temporary project, without an account and without a network.
import { modelServer } from "@atomic/testing/model-server";
import { opencode, opencodeRun } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";

const question = "What is a workflow?";
const answer = "Plain files: agents, skills, commands, and a graph that names them.";

async function tour(): Promise<void> {
  say("This tour runs the real OpenCode on a scripted model: no account, no key, no network.");

  await using project = await step("project", "a temporary git project with its own home", () => tmpProject());
  await using model = await step("model", "a scripted model on loopback", () => modelServer());
  model.expect(question).reply(answer);

  const { stdout: version } = await step("opencode", "the real binary", () => opencode(project, ["--version"]));
  const reply = await step("prompt", `asked OpenCode ${version.trim()}`, () =>
    opencodeRun(project, { model, prompt: question }),
  );
  if (reply.code !== 0) throw new Error(`opencode run ended with ${reply.code}:\n${reply.stderr}`);

  say(`you       ${question}\nopencode  ${reply.text}`);
  if (reply.text !== answer) throw new Error(`OpenCode answered something that the script did not say.`);
  say("Everything above ran on this machine, and the temporary project is gone. Next: README.md, then npm test.");
}

/** One line for each thing that happens; on a terminal the line is there while it happens. */
async function step<T>(name: string, what: string, work: () => Promise<T>): Promise<T> {
  const label = name.padEnd(10);
  if (process.stdout.isTTY) process.stdout.write(`${label}${what} …`);
  const started = performance.now();
  const result = await Promise.race([work(), interrupted]);
  const line = `${label}${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`;
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${line}\n` : `${line}\n`);
  return result;
}

function say(text: string): void {
  process.stdout.write(`\n${text}\n\n`);
}

// Ctrl-C ends the step it meets, so that what the tour started is ended and removed on the way out.
const interruption = new Error("interrupted");
const interrupted = new Promise<never>((_, reject) => process.once("SIGINT", () => reject(interruption)));
let stopped = false;
interrupted.catch(() => {
  stopped = true;
});

try {
  await tour();
} catch (error) {
  process.stderr.write(stopped ? "\nStopped; what the tour had started is gone.\n" : `\n${(error as Error).message}\n`);
  process.exitCode = stopped ? 130 : 1;
}
