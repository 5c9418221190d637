// How a registry is reached: the user's certificates and proxy, as npm has them.
import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import * as tls from "node:tls";
import type { Context } from "../../context.ts";
import { proxyFor } from "./proxy.ts";
import { authorizationFor, type RegistrySettings } from "./settings.ts";
import { compareVersions } from "./version.ts";

/** `over` ends the waiting for a proxy. */
export async function openRequest(
  url: URL,
  settings: RegistrySettings,
  env: Context["env"],
  over: AbortSignal,
): Promise<http.ClientRequest> {
  const authorization = authorizationFor(url.href, settings);
  const headers = {
    accept: "application/json, */*",
    "user-agent": "hugo-pm",
    ...(authorization === undefined ? {} : { authorization }),
  };
  const proxy = proxyFor(url, settings, env);
  const trust = certificates(settings);
  const protocol = url.protocol === "http:" ? http : https;
  if (proxy === undefined) return protocol.get(url, { ...trust, headers });
  if (isOldBun) return protocol.get(url, { ...trust, headers, agent: agentOfOldBun(protocol, proxy) });
  if (url.protocol === "http:") {
    const path = url.href;
    return http.get({ ...address(proxy), path, headers: { ...headers, host: url.host, ...askingProxy(proxy) } });
  }
  const socket = await tunnel(proxy, url, over);
  const createConnection = (): Socket => tls.connect({ ...trust, socket, servername: url.hostname });
  return https.get(url, { ...trust, headers, createConnection });
}

/** Before 1.4, and so inside OpenCode, Bun can neither tunnel nor be given a socket, but looks at its agent's proxy. */
const isOldBun = process.versions.bun !== undefined && compareVersions(process.versions.bun, "1.4.0") < 0;

function agentOfOldBun({ Agent }: typeof http | typeof https, proxy: URL): http.Agent {
  return Object.assign(new Agent(), { proxy });
}

function certificates({ values }: RegistrySettings): tls.SecureContextOptions & { rejectUnauthorized?: boolean } {
  const text = (key: string): string | undefined => values.get(key)?.replaceAll("\\n", "\n");
  const file = values.get("cafile");
  const ca = file === undefined ? text("ca") : readFileSync(file, "utf8");
  const [cert, key] = [text("cert"), text("key")];
  return {
    ...(ca === undefined ? {} : { ca: [...process.getBuiltinModule("node:tls").rootCertificates, ca] }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(values.get("strict-ssl") === "false" ? { rejectUnauthorized: false } : {}),
  };
}

async function tunnel(proxy: URL, url: URL, over: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${url.port || 443}`;
  const request = http.request({
    ...address(proxy),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...askingProxy(proxy) },
  });
  over.addEventListener("abort", () => request.destroy(), { once: true });
  return await new Promise((resolve, reject) => {
    request.once("error", reject);
    request.once("connect", (response, socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answered with ${response.statusCode}`));
    });
    request.end();
  });
}

function address(proxy: URL): { host: string; port: number } {
  return { host: proxy.hostname, port: Number(proxy.port || 80) };
}

function askingProxy({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
