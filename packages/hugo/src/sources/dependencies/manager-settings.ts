import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { managerEnvironment } from "../program/environment.ts";
import type { RegistrySettings } from "../registry/settings.ts";

/**
 * Hands Hugo's reading of the user's npm settings to a package manager that sees neither the user's home nor the
 * project. The values travel in the environment, so that no token is written to the disk.
 */
export function handOver(
  settings: RegistrySettings,
  root: string,
  home: string,
  context: Context,
): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const lines: string[] = [];
  const secrets: Record<string, string> = {};
  for (const [i, [key, value]] of [...settings.values].entries()) {
    const variable = `HUGO_NPM_SETTING_${i}`;
    secrets[variable] = value;
    lines.push(`${key}=\${${variable}}`);
  }
  writeFileSync(join(root, ".npmrc"), `${lines.join("\n")}\n`, { mode: 0o600 });
  return { ...proxies(settings), ...managerEnvironment(context, home), ...secrets };
}

/** bun knows proxies from the environment only. */
function proxies({ values }: RegistrySettings): Record<string, string> {
  const pairs = [
    ["HTTP_PROXY", values.get("proxy")],
    ["HTTPS_PROXY", values.get("https-proxy") ?? values.get("proxy")],
    ["NO_PROXY", values.get("noproxy")],
  ] as const;
  return Object.fromEntries(pairs.filter((pair): pair is [(typeof pair)[0], string] => pair[1] !== undefined));
}
