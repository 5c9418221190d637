// Checks every package that will be published the way a stranger's tool will read it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

let problems = 0;
const folders = ["atomic", "hugo", "magnus-opus"].map((name) => join("packages", name));
for (const pkgDir of [...folders, join(".build", "packages", "workflows")]) {
  const pkg = JSON.parse(readFileSync(join(pkgDir, "package.json"), "utf8"));
  if (pkg.private) throw new Error(`${pkgDir} is private, so it cannot be published.`);
  const { messages } = await publint({ pkgDir, strict: true });
  for (const message of messages) {
    if (message.type === "suggestion") continue;
    problems += 1;
    console.error(`${pkgDir}: ${formatMessage(message, pkg)}`);
  }
}
process.exitCode = problems > 0 ? 1 : 0;
