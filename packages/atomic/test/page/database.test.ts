// The page for runs in a database: they are listed, followed and answered, whichever process works on them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { tmpProject } from "@atomic/testing/project";
import { build } from "../program.ts";
import { newFleet, workflow } from "../runs/fleet.ts";
import { serveUi } from "./opened.ts";

setDefaultTimeout(120_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

describe.skipIf(!availability.available)("atomic ui with a database", () => {
  let server: Postgres;
  beforeAll(async () => {
    await build();
    server = await startPostgres();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  test("a run that a worker works on is shown and answered there, and the page follows it to its end", async () => {
    const files = workflow("asks", `.start(waitNode({ id: "ok", prompt: "Ok?" }))`);
    await using there = await tmpProject({ git: false, files });
    await using here = await tmpProject({ git: false });
    const fleet = await newFleet(server, there);
    const worker = await fleet.startWorker(there);
    const runId = (await fleet.atomic(there, "run", "asks", "--detach")).stdout.trim();
    await worker.printed(new RegExp(`"run":"${runId}","code":4`), 60_000);
    const ui = await serveUi(here, "--engine", fleet.url);
    const opened = await fetch(ui.link, { redirect: "manual" });
    const headers = { cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "", origin: ui.origin };
    const stream = (await fetch(`${ui.address}events?run=${runId}`, { headers })).body!.getReader();
    const decoder = new TextDecoder();
    let heard = "";
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(heard)) {
        const { value, done } = await stream.read();
        if (done) throw new Error(`The stream ended before ${pattern}: ${heard}`);
        heard += decoder.decode(value, { stream: true });
      }
    };
    await until(new RegExp(`"runs":\\[\\{"runId":"${runId}"`));
    await until(/"wait-started"/);
    const post = async () => {
      const createdAt = Number(/"createdAt":(\d+)/.exec(heard)?.[1]);
      const body = JSON.stringify({ do: "answer", key: "ok", words: "yes", createdAt });
      const response = await fetch(`${ui.address}runs/${runId}`, { method: "POST", headers, body });
      return { status: response.status, reply: await response.json() };
    };
    expect(await post()).toMatchObject({ status: 200, reply: { ok: true } });
    expect(await post()).toMatchObject({ status: 409 });
    await until(/"run-ended"/);
    expect(await fleet.statusOf(there, runId)).toMatchObject({ kind: "done" });
    await stream.cancel();
    expect(await ui.stop()).toBe(130);
    await worker.stop();
  });
});
