// What `npm start` shows (start.mjs reads its arguments): a tour of the product on the real programs, in a temporary project, with no account and no network.
import { join } from "node:path";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { hugoPart } from "./tour/hugo.ts";
import { keepProject } from "./tour/keep.ts";
import { magnusPart } from "./tour/magnus.ts";
import { chapter, during, say, write } from "./tour/output.ts";
import { run } from "./tour/programs.ts";
import { ralphPart } from "./tour/ralph.ts";
import { stand } from "./tour/stand.ts";

const root = join(import.meta.dirname, "..");

interface TourOptions {
  readonly yes: boolean;
  readonly keep: boolean;
}

/** What there is to end and to remove, also after Ctrl-C. */
let made: Promise<Project> | undefined;
let isStopping = false;

async function tour({ yes, keep }: TourOptions): Promise<void> {
  if (Bun.which("git") === null) throw new Error("The tour needs git. Install it, then run `npm start` again.");
  say(
    "A lemonade stand needs a better till. Real programs will build it: OpenCode, Hugo, Atomic and Magnus Opus. Only the model is scripted, so there is no account, no key and no network.",
  );
  await using registry = await npmRegistry();
  made = tmpProject({ registry, files: stand });
  const project = await during("a temporary project …", made);
  await using model = await modelServer();
  // It takes seconds, and is needed in the last chapter only.
  const published = publishFolder(registry, project, join(root, "packages/magnus-opus"));

  published.catch(() => undefined); // awaited later; if the tour has failed by then, that is the error to show

  chapter(1, "Install a workflow, make it yours, update it");
  await hugoPart(project, registry);

  chapter(2, "Let an agent work through a list, and pull the plug");
  const runId = await ralphPart(project, model);

  chapter(3, "Build a feature that you approve");
  await during("magnus-opus is packed …", published);
  await run(project, "hugo", "install", "magnus-opus", "--yes");
  say("Magnus Opus lets no agent write code before you approve the plan. One of the scripted agents tries to anyway.");
  const name = await magnusPart(project, model, yes);

  model.verify();
  if (keep) write(await keepProject(project, { runId, name }));
  else {
    await clean();
    say(
      'Everything ran on this machine, and the project has been deleted; `npm start -- --keep` keeps it. To use the programs in your own project, see "Install" in README.md.',
    );
  }
}

async function clean(): Promise<void> {
  // If it could not be made, that has been reported.
  const project = await made?.catch(() => undefined);
  made = undefined;
  await project?.[Symbol.asyncDispose]();
}

/** Everything that was started ends, and the project is deleted. A second Ctrl-C does not wait: the project's guard does the rest. */
async function stop(code: number): Promise<void> {
  if (isStopping) process.exit(code);
  isStopping = true;
  write("");
  await clean();
  process.stderr.write("\nStopped. The tour's processes and its project are gone.\n");
  process.exit(code);
}

async function main(args: readonly string[]): Promise<number> {
  try {
    await tour({ yes: args.includes("--yes"), keep: args.includes("--keep") });
    return 0;
  } catch (error) {
    // What Ctrl-C killed fails, as expected.
    if (isStopping) return await new Promise(() => undefined);
    await clean();
    process.stderr.write(`\n${(error as Error).message}\n`);
    return 1;
  }
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)
  process.on(signal, () => void stop(code));
process.exitCode = await main(process.argv.slice(2));
