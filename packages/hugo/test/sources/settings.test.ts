import { expect, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import type { ProjectOptions } from "@atomic/testing/project";
import type { Context } from "../../src/context.ts";
import { redact } from "../../src/sources/redact.ts";
import { registrySettings } from "../../src/sources/registry/approved-settings.ts";
import { proxyFor } from "../../src/sources/registry/connection.ts";
import { expandVariables, parseNpmrc } from "../../src/sources/registry/npmrc.ts";
import { readPackument } from "../../src/sources/registry/packument.ts";
import { credentialsFor, type RegistrySettings, registryOf } from "../../src/sources/registry/settings.ts";
import { fetching } from "./fetching.ts";

const plain = { npm_config_registry: "" };

async function settingsOf(options: ProjectOptions) {
  await using it = await fetching({ ...options, env: { ...plain, ...options.env } });
  return await approvedSettings(it.context);
}

/** As for a user who approves everything. */
async function approvedSettings(context: Context) {
  return await registrySettings({ ...context, user: { ...context.user, approve: async () => "approved" } });
}

function authorizationFor(url: string, settings: RegistrySettings): string | undefined {
  return credentialsFor(url, settings).authorization;
}

test("the lines of an .npmrc are read as npm reads them", () => {
  const text =
    '; a comment\n# another\na=1\nb = two words\nc="quoted # no comment"\nd=x ; comment\nflag\na=2\r\n[section]\na=3\n';
  expect([...parseNpmrc(text)]).toEqual([
    ["a", "2"],
    ["b", "two words"],
    ["c", "quoted # no comment"],
    ["d", "x"],
    ["flag", "true"],
  ]);
});

test("variables are filled in, and what is not set stays visible", () => {
  const look = (name: string) => ({ A: "1" })[name];
  expect(expandVariables(`\${A}-\${B}-\${B?}-$A`, look)).toBe(`1-\${B}--$A`);
});

test("without settings, packages come from npm's registry, without credentials", async () => {
  const settings = await settingsOf({});
  expect(registryOf("review", settings)).toBe("https://registry.npmjs.org/");
  expect(authorizationFor("https://registry.npmjs.org/review", settings)).toBeUndefined();
});

test("the environment wins over the project's .npmrc, and that over the user's", async () => {
  const files = { "~/.npmrc": "registry=https://user.test/\n@org:registry=https://org.test" };
  expect(registryOf("x", await settingsOf({ files }))).toBe("https://user.test/");
  expect(registryOf("@org/x", await settingsOf({ files }))).toBe("https://org.test/");
  const both = { ...files, ".npmrc": "registry=https://project.test" };
  expect(registryOf("x", await settingsOf({ files: both }))).toBe("https://project.test/");
  const env = { npm_config_registry: "https://env.test", "npm_config_@org:registry": "https://envorg.test" };
  const all = await settingsOf({ files: both, env });
  expect([registryOf("x", all), registryOf("@org/x", all)]).toEqual(["https://env.test/", "https://envorg.test/"]);
});

test("a registry of the project counts and is announced, without what is secret in it", async () => {
  const npmrc = "registry=https://me:pass@project.test/\n@org:registry=https://org.test/\n//org.test/:_authToken=abc\n";
  const { notices, values } = await settingsOf({ files: { ".npmrc": npmrc } });
  expect(notices).toEqual([
    "Because of this project's .npmrc, packages come from https://***@project.test/",
    "Because of this project's .npmrc, packages in @org come from https://org.test/",
    "Because of this project's .npmrc, Hugo logs in to org.test/ with credentials from this file",
  ]);
  expect(values.get("//org.test/:_authToken")).toBe("abc");
});

test("a registry of the project that the user has chosen too is nothing to talk about", async () => {
  const files = { ".npmrc": "registry=https://same.test", "~/.npmrc": "registry=https://same.test/" };
  expect((await settingsOf({ files })).notices).toEqual([]);
});

test.each(["npm_config_registry", "NPM_CONFIG_REGISTRY", "BUN_CONFIG_REGISTRY"])(
  "a registry of the project that %s overrules is not announced, and one that it leaves alone is",
  async (name) => {
    const npmrc = "registry=https://project.test/\n@org:registry=https://org.test/\n";
    const { notices } = await settingsOf({ files: { ".npmrc": npmrc }, env: { [name]: "https://env.test" } });
    expect(notices).toEqual(["Because of this project's .npmrc, packages in @org come from https://org.test/"]);
  },
);

test("a project cannot have any variable sent to its registry, only those for npm", async () => {
  const npmrc = `//evil.test/:_authToken=\${AWS_SECRET}\n//own.test/:_authToken=\${NPM_TOKEN}\nregistry=https://x.test/\${HOME}\n`;
  const env = { AWS_SECRET: "key", NPM_TOKEN: "for npm" };
  const { values, notices } = await settingsOf({ files: { ".npmrc": npmrc }, env });
  expect([...values]).toEqual([["//own.test/:_authToken", "for npm"]]);
  expect(notices).toEqual([
    expect.stringContaining("it would send AWS_SECRET to a registry, but that is not an npm environment variable"),
    expect.stringContaining("it would send HOME"),
    "Because of this project's .npmrc, your NPM_TOKEN is sent to own.test/",
  ]);
});

test("the project's .npmrc sets only registries and logins, the user's also sets connections", async () => {
  const lines = "proxy=http://p.test\ncafile=/x\nscript-shell=/evil\nignore-scripts=false\nstrict-ssl=false\n";
  expect([...(await settingsOf({ files: { ".npmrc": lines } })).values]).toEqual([]);
  expect([...(await settingsOf({ files: { "~/.npmrc": lines } })).values.keys()]).toEqual([
    "proxy",
    "cafile",
    "strict-ssl",
  ]);
});

test("the .npmrc of a folder above counts up to the root of the worktree, and not beyond", async () => {
  await using it = await fetching({
    git: true,
    env: plain,
    files: { ".npmrc": "registry=https://root.test", "a/b/x": "" },
  });
  const at = async (cwd: string) =>
    registryOf("x", await approvedSettings({ ...it.context, cwd: it.project.path(cwd) }));
  expect(await at("a/b")).toBe("https://root.test/");
  await using other = await fetching({ env: plain, files: { ".npmrc": "registry=https://root.test", "a/b/x": "" } });
  const above = await approvedSettings({ ...other.context, cwd: other.project.path("a/b") });
  expect(registryOf("x", above)).toContain("npmjs");
});

test.each([
  ["//r.test/:_authToken=abc", "Bearer abc"],
  ["//r.test/:_auth=dTpw", "Basic dTpw"],
  ["//r.test/:username=u\n//r.test/:_password=cA==", `Basic ${btoa("u:p")}`],
  ["//r.test/:_authToken=far\n//r.test/npm/:_authToken=near", "Bearer near"],
  ["//r.test/other/:_authToken=abc", undefined],
  ["//r.tes/:_authToken=abc", undefined],
  ["_authToken=for-everybody", undefined],
])("with %j the registry gets %p", async (npmrc, header) => {
  const settings = await settingsOf({ files: { "~/.npmrc": npmrc } });
  expect(authorizationFor("https://r.test/npm/review", settings)).toBe(header);
  expect(authorizationFor("https://r.test.evil/npm/review", settings)).toBeUndefined();
});

test("a registry that is not an address is refused", async () => {
  const settings = await settingsOf({ env: { npm_config_registry: "file:///etc" } });
  expect(() => registryOf("x", settings)).toThrow(
    'The registry "file:///etc" in your npm settings is not an http or https address',
  );
});

test("a token goes to its own registry, and not to where that sends us", async () => {
  await using target = await npmRegistry();
  target.publish({ name: "review", version: "1.0.0" });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => Response.redirect(new URL(new URL(url).pathname, target.url).href, 302),
  });
  try {
    const here = `http://127.0.0.1:${server.port}/`;
    const npmrc = `registry=${here}\n${here.replace("http:", "")}:_authToken=sesame\n`;
    await using it = await fetching({ env: plain, files: { "~/.npmrc": npmrc } });
    expect(await it.fetch("review")).toMatchObject({ version: "1.0.0" });
    expect(target.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  } finally {
    await server.stop(true);
  }
});

test("a registry that another one sends us to does not get its own token either", async () => {
  await using target = await npmRegistry();
  target.publish({ name: "review", version: "1.0.0" });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => Response.redirect(new URL(new URL(url).pathname, target.url).href, 302),
  });
  try {
    const there = target.url.replace("http:", "");
    const npmrc = `registry=http://127.0.0.1:${server.port}/\n@own:registry=${target.url}\n${there}:_authToken=sesame\n`;
    await using it = await fetching({ env: plain, files: { "~/.npmrc": npmrc } });
    const context = { ...it.context };
    const settings = await registrySettings(context);
    await readPackument("review", settings, context);
    expect(target.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    // The control: asked by you, it gets it.
    await readPackument("@own/x", settings, context).catch(() => undefined);
    expect(target.requests.at(-1)?.headers.authorization).toBe("Bearer sesame");
  } finally {
    await server.stop(true);
  }
});

test("a private scope in npm's global settings is not asked for at the public registry", async () => {
  await using open = await npmRegistry();
  await using own = await npmRegistry();
  own.publish({ name: "@corp/notes", version: "1.0.0" });
  await using it = await fetching({ registry: open, files: { "~/globalrc": `@corp:registry=${own.url}\n` } });
  const { context } = it.withEnv({ npm_config_globalconfig: it.project.path("~/globalrc") });
  expect(await readPackument("@corp/notes", await registrySettings(context), context)).toMatchObject({
    versions: ["1.0.0"],
  });
  expect(open.requests).toEqual([]);
});

test.each([
  ["https://r.test/", { HTTPS_PROXY: "http://p.test:1" }, "http://p.test:1/"],
  ["https://r.test/", { http_proxy: "http://p.test:1" }, undefined],
  ["http://r.test/", { http_proxy: "http://p.test:1" }, "http://p.test:1/"],
  ["http://r.test/", { ALL_PROXY: "http://p.test:1" }, "http://p.test:1/"],
  ["https://a.r.test/", { HTTPS_PROXY: "http://p.test:1", NO_PROXY: "x, .r.test" }, undefined],
  ["https://ar.test/", { HTTPS_PROXY: "http://p.test:1", no_proxy: "r.test" }, "http://p.test:1/"],
  ["https://r.test/", { HTTPS_PROXY: "http://p.test:1", NO_PROXY: "*" }, undefined],
  ["https://r.test/", { HTTPS_PROXY: "socks5://p.test:1", NO_PROXY: "r.test" }, undefined],
  ["http://r.test/", { http_proxy: "", HTTP_PROXY: "http://p.test:1" }, "http://p.test:1/"],
])("%s with %j goes through %p", (url, env, proxy) => {
  expect(proxyFor(new URL(url), { values: new Map(), notices: [] }, env)?.href).toBe(proxy as string);
});

test.each([
  [{ HTTPS_PROXY: "socks5://me:secret@p.test:1" }, "HTTPS_PROXY is not the address of an HTTP proxy"],
  [{ https_proxy: "not an address" }, "https_proxy is not the address of an HTTP proxy"],
  [{ ALL_PROXY: "p.test:8080" }, "ALL_PROXY is not the address of an HTTP proxy"],
])("%j: nothing is fetched without the proxy", (env, problem) => {
  const settings = { values: new Map<string, string>(), notices: [] };
  expect(() => proxyFor(new URL("https://r.test/"), settings, env)).toThrow(problem);
});

test("a proxy in npm's settings is named as such, and can be switched off there", () => {
  const asked = (value: string) => () =>
    proxyFor(
      new URL("http://r.test/"),
      { values: new Map([["proxy", value]]), notices: [] },
      { HTTP_PROXY: "http://p" },
    );
  expect(asked("nowhere")).toThrow(`"proxy" in npm's settings is not the address of an HTTP proxy`);
  expect(asked("false")()).toBeUndefined();
});

test.each([
  ["https://user:pass@host/x", "https://***@host/x"],
  ["git+ssh://git:token@host/x and http://t@h", "git+ssh://***@host/x and http://***@h"],
  ["//host/:_authToken=abc123", "//host/:_authToken=***"],
  ["Authorization: Bearer abc.def", "Authorization: Bearer ***"],
  ['{"password":"x y"}', '{"password":"*** y"}'],
  ["?token=abc&x=1", "?token=***&x=1"],
  ["npm_abcdefghijklmnopqrstuvwxyz0123456789 ghp_abcdefghijklmnopqrstuvwxyz", "*** ***"],
  ["nothing to hide @ all", "nothing to hide @ all"],
])("%p is shown as %p", (text, shown) => {
  expect(redact(text)).toBe(shown);
});
