import { expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test("the compiled model server, project and OpenCode work together on Node", async () => {
  await using project = await tmpProject({ git: false, files: { "package.json": { type: "module" } } });
  await project.run(["ln", "-s", at("../../../node_modules"), "node_modules"]);
  const build = ["tsc", "-p", at(".."), "--outDir", "dist", "--tsBuildInfoFile", "dist/build-info", "--noCheck"];
  expect(await project.run(build)).toMatchObject({ code: 0, stdout: "" });
  await project.write(
    "main.js",
    `import { modelServer } from "./dist/model-server.js";
     import { opencodeServe } from "./dist/opencode.js";
     import { tmpProject } from "./dist/project.js";
     const model = await modelServer();
     const project = await tmpProject();
     const server = await opencodeServe(project, { model });
     const gate = model.gate();
     model.expect("count").tool("bash", { command: "seq 3", description: "Counts" }).then.slow(["one ", "two"], gate);
     const answer = server.ask("count");
     gate.open();
     console.log(process.versions.bun ?? "node", (await answer).text, model.prompts.at(-1).toolResults);
     model.expect("hang").reply("wait").hang();
     const session = await server.session();
     const hanging = session.prompt("hang");
     const request = await model.waitFor("hang");
     await server.waitForEvent("message.part.delta", { sessionID: session.id });
     await session.abort();
     console.log(await request.ended, (await hanging).error.name);
     model.expect("cut").reply("half").drop();
     const body = JSON.stringify({ stream: true, messages: [{ role: "user", content: "cut" }] });
     const cut = await fetch(model.v1 + "/chat/completions", { method: "POST", body });
     let seen = "";
     try {
       for await (const chunk of cut.body) seen += Buffer.from(chunk).toString();
     } catch (error) {
       console.log(error.message, seen.includes("half"));
     }
     for (const resource of [server, project, model]) await resource[Symbol.asyncDispose]();`,
  );
  const { code, stdout, stderr } = await project.run(["node", "main.js"]);
  expect({ code, stdout, stderr }).toEqual({
    ...{
      code: 0,
      stderr: "",
      stdout: "node one two [ '1\\n2\\n3\\n' ]\naborted MessageAbortedError\nterminated true\n",
    },
  });
});
