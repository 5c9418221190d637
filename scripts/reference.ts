/** `npm run reference`: writes docs/reference from the command tables, schemas, event types and errors of the sources, and docs/promises.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "@atomic/terminal/command";
import { exitCodes } from "@atomic/terminal/exit-codes";
import type { AtomicContext } from "../packages/atomic/src/context.ts";
import { atomicIn } from "../packages/atomic/src/main.ts";
import { commands } from "../packages/hugo/src/commands.ts";
import { hugoWith } from "../packages/hugo/src/main.ts";
import { magnusOpus } from "../packages/magnus-opus/src/cli/main.ts";
import { commandPage } from "./reference/command-pages.ts";
import { errorPage } from "./reference/error-page.ts";
import { eventPage } from "./reference/event-page.ts";
import { table } from "./reference/markdown.ts";
import { modulePage } from "./reference/module-page.ts";
import { promisePage } from "./reference/promise-page.ts";
import { settingsPage } from "./reference/settings-page.ts";

const folder = "docs/reference";
const note = "<!-- Written by `npm run reference`. Change the sources instead. -->";
// Only its commands would use the context, and none of them is run here.
const atomic = atomicIn({} as AtomicContext);

/** Every page, by its path in the repository. */
export async function referencePages(root: string): Promise<ReadonlyMap<string, string>> {
  const commandLine = readFileSync(join(root, folder, "command-line.md"), "utf8");
  const whole = {
    "hugo.md": await commandPage(hugoWith(commands) as Program<never>),
    "atomic.md": await commandPage(atomic as Program<never>),
    "magnus-opus.md": await commandPage(magnusOpus as Program<never>),
    "settings.md": settingsPage(root),
    "events.md": eventPage(root),
    "errors.md": errorPage(root),
    "modules.md": modulePage(root),
  };
  const pages = Object.entries(whole).map(([name, text]) => [`${folder}/${name}`, `${note}\n\n${text}\n`] as const);
  return new Map([
    ...pages,
    [`${folder}/command-line.md`, withOldestNode(withExitCodes(commandLine), root)],
    ["docs/promises.md", `${note}\n\n${promisePage(root)}\n`],
  ]);
}

/** The two generated parts of a page that people write. */
function withExitCodes(page: string): string {
  const rows = exitCodes.map(({ code, means }) => [String(code), means]);
  return page.replace(
    /(<!-- exit codes -->\n\n)[\s\S]*?(\n\n<!-- \/exit codes -->)/,
    (_, begin, end) => `${begin}${table(["exit code", "means"], rows)}${end}`,
  );
}

function withOldestNode(page: string, root: string): string {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return page.replace(/(run on Node )[\d.]+( or newer)/, `$1${engines.node.replace(">=", "")}$2`);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  for (const [path, text] of await referencePages(root)) {
    writeFileSync(join(root, path), text);
    process.stdout.write(`wrote ${path}\n`);
  }
}
