// `npm start`: the tour. Help and wrong arguments come before the setup, which takes a while the first time.
// Like the setup, it runs on nothing but Node and npm.
import { parseArgs } from "node:util";

const usage = `npm start             a tour of about a minute, in a temporary project
npm start -- --yes    answers its questions with yes
npm start -- --keep   keeps the project, and prints five things to try in it
npm start -- --help   shows this
`;

const args = process.argv.slice(2);
const option = { type: "boolean", default: false };
try {
  const { values } = parseArgs({ args, options: { yes: option, keep: option, help: option } });
  if (values.help) process.stdout.write(usage);
  else await start();
} catch (error) {
  if (!error.code?.startsWith("ERR_PARSE_ARGS")) throw error;
  const [message] = error.message.split(". ");
  process.stderr.write(`${message.replace(/\.?$/, ".")}\n\n${usage}`);
  process.exitCode = 2;
}

/** Both scripts do their work when they are imported. In this process, so that Ctrl-C reaches the tour through no other. */
async function start() {
  // Bun would keep a cache of the tour's sources in the home folder.
  process.env.BUN_RUNTIME_TRANSPILER_CACHE_PATH = "0";
  await import("./setup.mjs");
  process.argv.splice(2, args.length, "bun", "scripts/tour.ts", ...args);
  await import("./apart.mjs");
}
