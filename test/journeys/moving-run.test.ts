// A run moves from one worker to another: two machines with nothing but our tarballs, a database and a git server.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { forgetTarballs, logIn, type Stranger, stranger, walks } from "./stranger.ts";

setDefaultTimeout(400_000);
afterAll(forgetTarballs);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const order = ["plan", "schema", "store"];
const asks = (id: string): string => `"id": "${id}"`;
const tasks = order.map((id, priority) => ({ id, name: `The ${id}`, status: "pending", priority, dependencies: [] }));

describe.each(walks())("$name", (walk) => {
  test.skipIf(!availability.available)(
    "the first machine is lost in the second task, and the other finishes it",
    async () => {
      await using server = await startPostgres();
      await using model = await modelServer();
      await using one = await stranger(walk, { "research/tasks.json": { version: "1.0", tasks } });
      await using two = await stranger(walk);
      const remote = one.project.path("~/server.git");
      const ran = async (person: Stranger, command: string): Promise<string> => {
        const { code, stdout, stderr } = await person.sh(command);
        expect(`${command}: ${code}${code === 0 ? "" : `\n${stderr}`}`).toBe(`${command}: 0`);
        return stdout;
      };
      const startWorker = async (person: Stranger): Promise<OwnedProcess> => {
        await ran(person, "mkdir -p ~/worker");
        const worker = await person.start(`atomic worker --runs 1 --engine '${server.url}'`, { cwd: "~/worker" });
        await worker.printed(/"event":"ready"/, 100_000);
        return worker;
      };
      for (const person of [one, two]) {
        await ran(person, "npm install -g @atomic/cli");
        await logIn(person, walk, model);
      }
      await ran(
        one,
        `git init -q --bare '${remote}' && git remote add origin '${remote}' && git push -q origin HEAD:main && git fetch -q origin`,
      );
      await ran(one, `atomic engine migrate --engine '${server.url}'`);
      for (const id of order) {
        if (id === "schema") model.expect(asks(id)).reply("Let me see").hang();
        model
          .expect(asks(id))
          .tool("bash", { command: `echo ${id} >> done.txt`, description: `Notes ${id}` })
          .then.reply(`The ${id} is done.\n\n<outcome>passing</outcome>`);
      }
      const first = await startWorker(one);
      const runId = (await ran(one, `atomic run ralph --detach --allow all --engine '${server.url}'`)).trim();
      await model.waitFor(asks("schema"), { deadline: 200_000 });
      first.kill();
      await first.exited;
      const second = await startWorker(two);
      await second.printed(/"event":"left".*"code":0/, 200_000);
      const saved = await ran(one, `git --git-dir '${remote}' show refs/atomic/${runId}:done.txt`);
      expect(saved.trim().split("\n")).toEqual(order);
      expect(await ran(two, `atomic show ${runId} --engine '${server.url}'`)).toContain("done");
      second.kill("SIGTERM");
      expect({ ...(await second.end(60_000)), stderr: second.stderr }).toMatchObject({ code: 0, stderr: "" });
    },
  );
});
