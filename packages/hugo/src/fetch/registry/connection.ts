// How a registry is reached: the user's certificates and proxy, as npm has them.
import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import * as tls from "node:tls";
import type { Context } from "../../context.ts";
import { proxyFor } from "./proxy.ts";
import { authorizationFor, type RegistrySettings } from "./settings.ts";

export async function openRequest(
  url: URL,
  settings: RegistrySettings,
  env: Context["env"],
): Promise<http.ClientRequest> {
  const authorization = authorizationFor(url.href, settings);
  const headers = {
    accept: "application/json, */*",
    "user-agent": "hugo-pm",
    ...(authorization === undefined ? {} : { authorization }),
  };
  // Bun takes the proxy from the environment on its own and knows no other connection.
  const proxy = process.versions.bun === undefined ? proxyFor(url, settings, env) : undefined;
  if (url.protocol === "http:") {
    if (proxy === undefined) return http.get(url, { headers });
    return http.get({
      ...address(proxy),
      path: url.href,
      headers: { ...headers, host: url.host, ...askingProxy(proxy) },
    });
  }
  const trust = certificates(settings);
  if (proxy === undefined) return https.get(url, { ...trust, headers });
  const socket = await tunnel(proxy, url);
  return https.get(url, {
    ...trust,
    headers,
    agent: false,
    createConnection: () => tls.connect({ ...trust, socket, servername: url.hostname }),
  });
}

function certificates({ values }: RegistrySettings): tls.SecureContextOptions & { rejectUnauthorized?: boolean } {
  const text = (key: string): string | undefined => values.get(key)?.replaceAll("\\n", "\n");
  const file = values.get("cafile");
  const ca = file === undefined ? text("ca") : readFileSync(file, "utf8");
  const [cert, key] = [text("cert"), text("key")];
  return {
    ...(ca === undefined ? {} : { ca: [...tls.rootCertificates, ca] }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(values.get("strict-ssl") === "false" ? { rejectUnauthorized: false } : {}),
  };
}

async function tunnel(proxy: URL, url: URL): Promise<Socket> {
  const target = `${url.hostname}:${url.port || 443}`;
  const request = http.request({
    ...address(proxy),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...askingProxy(proxy) },
  });
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
