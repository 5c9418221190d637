// The same on all that Hugo runs on: Node, Bun, and the Bun inside OpenCode.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { gitRepo } from "@atomic/testing/git";
import { listenOnLoopback } from "@atomic/testing/loopback";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { rootCertificate, selfSignedCertificate, tlsServer } from "@atomic/testing/tls-server";
import { type Fetching, fetching } from "./fetching.ts";

setDefaultTimeout(120_000);

const withoutOpenssl = Bun.which("openssl") === null;
if (withoutOpenssl) console.warn("skipped: proxies are tested with a certificate, and there is no openssl to make one");

const runtimes = [
  { name: "Node", command: "node", env: {} },
  { name: "Bun", command: process.execPath, env: {} },
  { name: "the Bun inside OpenCode", command: opencodeBinary, env: { BUN_BE_BUN: "1" } },
];

await using bundle = await temporaryFolder("hugo-runtimes-");
await Bun.build({
  entrypoints: [join(import.meta.dir, "fixtures/fetch.ts")],
  outdir: bundle.path,
  target: "node",
  conditions: ["bun"],
  naming: "[name].mjs",
});
const script = await Bun.file(join(bundle.path, "fetch.mjs")).text();

for (const { name, command, env } of runtimes) {
  const run = async (it: Fetching, spec: string, more: Record<string, string> = {}) => {
    const into = it.project.path(`../tmp/${crypto.randomUUID()}`);
    await mkdir(into);
    await it.project.write("~/fetch.mjs", script);
    return await it.project.run([command, it.project.path("~/fetch.mjs"), spec, into], { env: { ...env, ...more } });
  };

  test(`packages arrive from everywhere on ${name}`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "review", version: "1.0.0", files: { big: new Uint8Array(2_000_000).fill(7) } });
    await using repo = await gitRepo({ files: { "agents/a.md": "x" } });
    await using it = await fetching({
      registry,
      files: {
        "w/package.json": { name: "plug", version: "3.0.0", dependencies: { review: "1" } },
        "w/workflow.json": {},
      },
    });
    for (const [spec, version] of [
      ["review", "1.0.0"],
      [repo.packageUrl, await repo.git("rev-parse", "main")],
      ["./w", "3.0.0"],
    ]) {
      const { stdout, stderr } = await run(it, spec ?? "");
      expect([stderr, JSON.parse(stdout || "{}").version]).toEqual(["", version]);
    }
  });

  test.each([
    ["a broken connection", { kind: "reset", at: "body" }, "cannot be used"],
    ["a cut tarball", { kind: "truncated" }, "is damaged"],
    ["silence", { kind: "slow", on: "tarball" }, "did not respond within 1 seconds"],
    ["wrong bytes", { kind: "wrong-integrity" }, "does not match the registry's checksum"],
  ] as const)(`%s is named on ${name}`, async (_what, fault, message) => {
    await using registry = await npmRegistry();
    registry.publish({
      name: "review",
      version: "1.0.0",
      files: { big: crypto.getRandomValues(new Uint8Array(60_000)) },
    });
    using _fault = registry.fault("review", fault);
    await using it = await fetching({ registry });
    const { code, stderr } = await run(it, "review", { HUGO_FETCH_TIMEOUT: "1" });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  test.each([
    ["self-signed", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["incomplete chain", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["unknown authority", "SELF_SIGNED_CERT_IN_CHAIN"],
  ] as const)(
    `a certificate (%s) that ${name} does not trust is named, and trusted if you say so`,
    async (kind, code) => {
      const known = [rootCertificate, selfSignedCertificate] as const;
      const [theirs = "", other = ""] = kind === "self-signed" ? known.toReversed() : known;
      await using server = await tlsServer(kind, (_, response) => response.writeHead(404).end());
      await using it = await fetching({
        env: { npm_config_registry: server.url },
        files: { "~/theirs.pem": theirs, "~/other.pem": other },
      });
      const { stderr } = await run(it, "review");
      expect(stderr).toContain(
        `The registry ${new URL(server.url).host} cannot be used: its certificate is signed by an authority that Node does not know (${code})`,
      );
      expect(stderr).toContain("set NODE_EXTRA_CA_CERTS to its path or run `npm config set cafile <file>`.");
      const missing = await run(it, "review", { npm_config_cafile: "/nowhere/root.pem" });
      expect(missing.stderr).toContain("`cafile` names that file, but it does not exist.");
      const another = await run(it, "review", { npm_config_cafile: it.project.path("~/other.pem") });
      expect(another.stderr).toContain(`to ${it.project.path("~/other.pem")}, the \`cafile\` in npm's settings.`);
      for (const variable of ["NODE_EXTRA_CA_CERTS", "npm_config_cafile"]) {
        const trusted = await run(it, "review", { [variable]: it.project.path("~/theirs.pem") });
        expect(trusted.stderr).toContain("does not have the package review");
      }
    },
  );

  test(`a certificate that has expired is named on ${name}`, async () => {
    await using server = await tlsServer("expired", (_, response) => response.end("{}"));
    await using it = await fetching({
      env: { npm_config_registry: server.url },
      files: { "root.pem": rootCertificate },
    });
    const { stderr } = await run(it, "review", { npm_config_cafile: it.project.path("root.pem") });
    expect(stderr).toContain("cannot be used: its certificate has expired (CERT_HAS_EXPIRED)");
    expect(stderr).toContain("Check this machine's date.");
  });

  test.skipIf(withoutOpenssl)(`a proxy is asked for what the user's npm asks it for, on ${name}`, async () => {
    await using registry = await npmRegistry();
    registry.publish({ name: "review", version: "1.0.0" });
    await using secure = await secured(registry);
    await using proxy = await proxyTo({ http: registry.url, https: secure.url });
    for (const [address, npmrc] of [
      ["http://registry.test/", `proxy=http://me:pass@${proxy.host}/`],
      ["https://registry.test/", `https-proxy=http://me:pass@${proxy.host}/\ncafile=${secure.certificate}`],
    ]) {
      await using it = await fetching({
        env: { npm_config_registry: "" },
        files: { "~/.npmrc": `registry=${address}\n${npmrc}\n` },
      });
      const { stdout, stderr } = await run(it, "review");
      expect([stderr, JSON.parse(stdout || "{}").version]).toEqual(["", "1.0.0"]);
    }
    const first = proxy.asked.map((text) => text.split(" ").slice(0, 2).join(" "));
    expect(new Set(first)).toEqual(
      new Set([
        "GET http://registry.test/review",
        "GET http://registry.test/review/-/review-1.0.0.tgz",
        "CONNECT registry.test:443",
      ]),
    );
    for (const text of proxy.asked)
      expect(text.toLowerCase()).toContain(`proxy-authorization: basic ${btoa("me:pass")}`.toLowerCase());
  });
}

/** The registry under another name: with https, and with tarballs at that name. */
async function secured(registry: NpmRegistry) {
  const folder = await temporaryFolder("certificate-");
  const [key, certificate] = [join(folder.path, "key.pem"), join(folder.path, "certificate.pem")];
  const made = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=registry.test"],
    ...["-addext", "subjectAltName=DNS:registry.test", "-keyout", key, "-out", certificate],
  ]);
  if (!made.success) throw new Error(`openssl made no certificate: ${made.stderr}`);
  const [keyText, certificateText] = await Promise.all([key, certificate].map((file) => Bun.file(file).text()));
  const server = createSecureServer({ key: keyText, cert: certificateText }, async ({ url = "" }, response) => {
    const answer = await fetch(new URL(url, registry.url), { decompress: false });
    response.writeHead(answer.status).end(await renamed(answer, registry.url, "https://registry.test/"));
  });
  const url = `https://127.0.0.1:${await listenOnLoopback(server)}/`;
  return {
    url,
    certificate,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function renamed(answer: Response, from: string, to: string): Promise<Buffer> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  return bytes[0] === 0x1f ? bytes : Buffer.from(bytes.toString().replaceAll(from, to));
}

/** A proxy that knows where `registry.test` is, and remembers the head of all that it was asked. */
async function proxyTo(targets: { http: string; https: string }) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => client.destroy());
    client.once("data", async (data) => {
      const head = data.toString();
      asked.push(head);
      const [method, url = ""] = head.split(" ");
      if (method === "CONNECT") {
        const upstream = connect(Number(new URL(targets.https).port), "127.0.0.1", () => {
          client.write("HTTP/1.1 200 Connection established\r\n\r\n");
          upstream.pipe(client).pipe(upstream);
        });
        sockets.add(upstream);
        upstream.on("error", () => client.destroy());
        return;
      }
      const answer = await fetch(new URL(new URL(url).pathname, targets.http), { decompress: false });
      const body = await renamed(answer, targets.http, "http://registry.test/");
      client.write(`HTTP/1.1 ${answer.status} Said\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`);
      client.end(body);
    });
  });
  const host = `127.0.0.1:${await listenOnLoopback(server)}`;
  return {
    host,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
