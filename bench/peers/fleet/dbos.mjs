// DBOS with the same job as our engines: `dbos.mjs <url> <pid of the database>`. Prints a sample.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { treeUsage } from "../../fleet/process-tree.ts";
import { ownPeakRss } from "../../harness/peak-rss.ts";

const [, , url, postmaster] = process.argv;

const workflow = DBOS.registerWorkflow(
  async () => {
    let began = 0;
    for (let step = 0; step < 10; step++) began = await DBOS.runStep(async () => Date.now(), { name: `s${step}` });
    return began;
  },
  { name: "ten" },
);

DBOS.setConfig({
  ...{ name: "bench", systemDatabaseUrl: url.replace(/\/postgres$/, "/dbos"), logLevel: "error" },
  systemDatabasePoolSize: 20,
});
await DBOS.launch();

let runs = 0;
const execute = async (most) => {
  while (runs < most) {
    runs += 1;
    await (await DBOS.startWorkflow(workflow)()).getResult();
  }
};
const lanes = async (most) => await Promise.all(Array.from({ length: 20 }, () => execute(most)));
await lanes(10);
const [began, cpu, database] = [performance.now(), process.cpuUsage(), treeUsage(Number(postmaster)).cpuMs];
const first = runs;
await lanes(first + 100);
const { user, system } = process.cpuUsage(cpu);
const count = (runs - first) * 10;
const used = (user + system) / 1000 + treeUsage(Number(postmaster)).cpuMs - database;
const wallMs = (performance.now() - began) / count;
await DBOS.shutdown();
console.log(JSON.stringify({ wallMs, cpuMs: used / count, rssBytes: ownPeakRss(), rssAtMost: false, calls: count }));
process.exit();
