// How to reach a registry: with the user's certificates and proxy, as in npm's settings.
import { existsSync, readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import * as tls from "node:tls";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { credentialsFor, type RegistrySettings } from "./settings.ts";
import { compareVersions } from "./version.ts";

interface RequestSurroundings {
  readonly settings: RegistrySettings;
  readonly env: Context["env"];
  readonly over: AbortSignal;
  readonly isSentHere: boolean;
}

/** `over` stops waiting for a proxy. A host that another one has sent us to gets no credentials. */
export async function openRequest(
  url: URL,
  { settings, env, over, isSentHere }: RequestSurroundings,
): Promise<http.ClientRequest> {
  const { authorization, certfile, keyfile } = isSentHere ? {} : credentialsFor(url.href, settings);
  const headers = {
    accept: "application/json, */*",
    "user-agent": "hugo-pm",
    ...(authorization === undefined ? {} : { authorization }),
  };
  const proxy = proxyFor(url, settings, env);
  const { values } = settings;
  const text = (key: string): string | undefined => values.get(key)?.replaceAll("\\n", "\n");
  const ca = textIn(values.get("cafile")) ?? text("ca");
  const [cert, key] = [textIn(certfile) ?? text("cert"), textIn(keyfile) ?? text("key")];
  const trust = {
    ...(ca === undefined ? {} : { ca: [...process.getBuiltinModule("node:tls").rootCertificates, ca] }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(values.get("strict-ssl") === "false" ? { rejectUnauthorized: false } : {}),
  };
  const protocol = url.protocol === "http:" ? http : https;
  if (proxy === undefined) return protocol.get(url, { ...trust, headers });
  if (isOldBun) return protocol.get(url, { ...trust, headers, agent: Object.assign(new protocol.Agent(), { proxy }) });
  if (url.protocol === "http:") {
    const path = url.href;
    return http.get(throughProxy(proxy, { path, headers: { ...headers, host: url.host } }));
  }
  const socket = await tunnel(proxy, url, over);
  return https.get(url, {
    ...trust,
    headers,
    createConnection: () => tls.connect({ ...trust, socket, servername: url.hostname }),
  });
}

/** Like npm, which does without a file of certificates that is not there. */
function textIn(file: string | undefined): string | undefined {
  return file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Before 1.4, and so inside OpenCode, Bun can neither tunnel nor take a socket, but it uses its agent's proxy. */
const isOldBun = process.versions.bun !== undefined && compareVersions(process.versions.bun, "1.4.0") < 0;

async function tunnel(proxy: URL, url: URL, over: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${url.port || 443}`;
  const request = http.request(throughProxy(proxy, { method: "CONNECT", path: target, headers: { host: target } }));
  over.addEventListener("abort", () => request.destroy(), { once: true });
  return await new Promise((resolve, reject) => {
    request.once("error", reject);
    request.once("connect", (response, socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} returned status ${response.statusCode}`));
    });
    request.end();
  });
}

/** A request to a proxy, with the name and password from its address. */
function throughProxy(
  { hostname, port, username, password }: URL,
  asked: { method?: string; path: string; headers: Record<string, string> },
): http.RequestOptions {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const asking = { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
  const headers = { ...asked.headers, ...(username === "" ? {} : asking) };
  return { host: hostname, port: Number(port || 80), ...asked, headers };
}

/** The proxy for a URL, if any: npm's own settings first, then the usual variables. */
export function proxyFor(url: URL, { values }: RegistrySettings, env: Context["env"]): URL | undefined {
  const variable = (name: string): ProxySetting | undefined => {
    const used = [name.toLowerCase(), name].find((each) => env[each]);
    return used === undefined ? undefined : { name: used, value: env[used] ?? "" };
  };
  const setting = (key: string): ProxySetting | undefined => {
    const value = values.get(key);
    return value === undefined ? undefined : { name: `"${key}" in npm's settings`, value };
  };
  const never = values.get("noproxy") ?? variable("NO_PROXY")?.value ?? "";
  const host = url.hostname;
  const isExempt = never.split(/[\s,]+/).some((name) => {
    const suffix = name.replace(/^\*?\.?/, "").replace(/:\d+$/, "");
    return name !== "" && (name === "*" || host === suffix || host.endsWith(`.${suffix}`));
  });
  if (isExempt) return undefined;
  const plain = setting("proxy") ?? variable("HTTP_PROXY");
  const secure = setting("https-proxy") ?? variable("HTTPS_PROXY") ?? setting("proxy");
  const proxy = (url.protocol === "https:" ? secure : plain) ?? variable("ALL_PROXY");
  return proxy === undefined || proxy.value === "false" ? undefined : proxyAddress(proxy);
}

interface ProxySetting {
  /** The variable or the setting that says so. */
  readonly name: string;
  readonly value: string;
}

/** A user who sets a proxy does not want connections without it. The address may contain a password, so it is not shown. */
function proxyAddress({ name, value }: ProxySetting): URL {
  if (/^https?:\/\//.test(value) && URL.canParse(value)) return new URL(value);
  throw new HugoError("setting-invalid", {
    message: `${name} is not the address of an HTTP proxy`,
    hint: "Set it to an address such as http://proxy.example:8080, or unset it.",
  });
}
