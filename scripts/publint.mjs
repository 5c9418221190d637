// Checks every package that will be published the way a stranger's tool will read it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

let problems = 0;
for (const name of readdirSync("packages").sort()) {
  const pkgDir = join("packages", name);
  if (!existsSync(join(pkgDir, "package.json"))) continue;
  const pkg = JSON.parse(readFileSync(join(pkgDir, "package.json"), "utf8"));
  if (pkg.private) continue;
  const { messages } = await publint({ pkgDir, strict: true });
  for (const message of messages) {
    if (message.type === "suggestion") continue;
    problems += 1;
    console.error(`${pkgDir}: ${formatMessage(message, pkg)}`);
  }
}
process.exitCode = problems > 0 ? 1 : 0;
