// OpenCode is killed in the middle of a run, again and again; the run ends as if nothing had happened.
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { journalName } from "../../src/run/journal.ts";
import { nextStep } from "../../src/run/next-step.ts";
import { Sessions } from "../../src/sessions/sessions.ts";
import { reactiveCast } from "./reactive-cast.ts";
import { Studio } from "./studio.ts";

const studio = await Studio.open();
afterAll(() => studio[Symbol.asyncDispose]());

/** How many events the journal of the only run has. */
function events(): number {
  const [run] = new Sessions(studio.project.dir).list();
  const journal = join(run?.folder ?? "", journalName);
  return run !== undefined && existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length - 1 : 0;
}

/** When the journal has that many. */
async function reaches(count: number): Promise<void> {
  if (events() >= count) return;
  await new Promise<void>((resolve) => {
    const watcher = watch(studio.project.dir, { recursive: true }, () => {
      if (events() < count) return;
      watcher.close();
      resolve();
    });
  });
}

/** What a person does who finds the run as it is. */
async function goOn(session: string): Promise<void> {
  const step = nextStep(studio.state(session));
  if (step.do === "wait") await studio.type(session, "approve");
  else await studio.server.reopen(session).prompt("go on", { agent: "orchestrator" });
}

test("killed at many places, it goes through the same phases to the same end", async () => {
  reactiveCast(studio.model);
  const session = await studio.session();
  const points = process.env.SWEEP === "full" ? Array.from({ length: 60 }, (_, at) => at + 1) : [4, 14, 30];
  let begun = studio.type(session, "implement-api", "a mutation --skip-plan-review").catch(() => undefined);
  for (const point of points) {
    const reached = reaches(point).then(() => "reached");
    while ((await Promise.race([reached, begun.then(() => "idle")])) === "idle") {
      if (studio.state(session).status.kind === "done") break;
      begun = goOn(session).then(
        () => undefined,
        () => undefined,
      );
    }
    if (studio.state(session).status.kind === "done") break;
    await studio.server.restart();
    await begun;
    begun = goOn(session).then(
      () => undefined,
      () => undefined,
    );
  }
  await begun;
  for (let more = 0; more < 10 && studio.state(session).status.kind !== "done"; more++) await goOn(session);
  const { status, visits, refusals, ignored, artifacts, evidence } = studio.state(session);
  expect({ status, refusals, ignored }).toEqual({ status: { kind: "done" }, refusals: 0, ignored: 0 });
  expect(visits.map(({ phase }) => phase as string)).toEqual([
    ...["requirements", "architecture", "implementation", "code-review", "acceptance", "cleanup"],
  ]);
  expect(Object.keys(artifacts).toSorted()).toEqual([
    ...["final-summary.md", "implementation-plan.md", "quick-reference.md", "reviews/code-review/one.md"],
  ]);
  expect(evidence.at(-1)?.counts).toEqual({ passed: 3, failed: 0, skipped: 0 });
}, 300_000);
