// Types a person's command over OpenCode's port, in a session of its own: `type-command.mjs <url> <command> <words> [<mode>…]`.
// Modes: `later <session>`, once nothing works in that session; `gone`, ends as soon as OpenCode has the request;
// with `wait`, until OpenCode is gone; `title <words>`, makes a session of that title in the end. The command `wait` only waits, `title` only makes a session.
const [url, command, words, ...modes] = process.argv.slice(2);
const headers = { "content-type": "application/json" };
const post = async (path, body) => await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
const mode = (name) => (modes.includes(name) ? modes[modes.indexOf(name) + 1] : undefined);

const laterThan = mode("later");
while (laterThan && Object.hasOwn(await (await fetch(`${url}/session/status`)).json(), laterThan)) {
  await new Promise(setImmediate);
}
const answers = async () =>
  await fetch(`${url}/session/status`).then(
    () => true,
    () => false,
  );
while (command === "wait" && modes.includes("gone") && (await answers())) await new Promise(setImmediate);
if (command === "title") await post("/session", { title: words });
else if (command !== "wait") await type();
if (mode("title")) await post("/session", { title: mode("title") });

async function type() {
  const { id } = await (await post("/session", {})).json();
  const typed = post(`/session/${id}/command`, { command, arguments: words });
  if (!modes.includes("gone")) return await typed;
  const isThere = async () => (await (await fetch(`${url}/session/${id}/message`)).text()).includes(command);
  while (!(await isThere())) await new Promise(setImmediate);
  process.exit();
}
