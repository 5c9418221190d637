// Watches argv[2] as a project. "forget": leaves the watch open and ends. "wait": stays for one change, tells it, and ends.
import { watchEntities } from "../../src/entities/watch.ts";

const [, , project = "", what] = process.argv;
const watch = await watchEntities({
  projectPath: project,
  userPath: `${project}/home`,
  quietMs: 20,
  keepAlive: what === "wait",
});
console.log("watching");
if (what === "wait") {
  void (async () => {
    for await (const { added, changed, removed } of watch) {
      const names = [added, changed, removed].map((list) => list.map(({ name }) => name));
      console.log(JSON.stringify(names));
      if (removed.length > 0) break;
    }
    await watch[Symbol.asyncDispose]();
  })();
}
