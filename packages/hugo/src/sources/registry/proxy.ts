import type { Context } from "../../context.ts";
import type { RegistrySettings } from "./settings.ts";

/** The proxy through which a URL is asked for, if any: npm's own settings first, then the usual variables. */
export function proxyFor(url: URL, { values }: RegistrySettings, env: Context["env"]): URL | undefined {
  const variable = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const never = values.get("noproxy") ?? variable("NO_PROXY") ?? "";
  if (isExempt(url.hostname, never)) return undefined;
  const plain = values.get("proxy") ?? variable("HTTP_PROXY");
  const secure = values.get("https-proxy") ?? variable("HTTPS_PROXY") ?? values.get("proxy");
  const proxy = (url.protocol === "https:" ? secure : plain) ?? variable("ALL_PROXY");
  return proxy && /^https?:\/\//.test(proxy) && URL.canParse(proxy) ? new URL(proxy) : undefined;
}

function isExempt(host: string, list: string): boolean {
  const names = list.split(/[\s,]+/).filter((name) => name !== "");
  return names.some((name) => {
    const suffix = name.replace(/^\*?\.?/, "").replace(/:\d+$/, "");
    return name === "*" || host === suffix || host.endsWith(`.${suffix}`);
  });
}
