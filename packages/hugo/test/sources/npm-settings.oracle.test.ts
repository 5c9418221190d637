// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how npm's files name variables.
// Hugo reads npm's settings from the same places as the real npm, which is asked about every layout here.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { npmRegistry } from "@atomic/testing/npm-registry";
import type { FileContent, Project } from "@atomic/testing/project";
import { tmpProject } from "@atomic/testing/project";
import type { Context, User } from "../../src/context.ts";
import { registrySettings } from "../../src/sources/registry/approved-settings.ts";
import { readPackument } from "../../src/sources/registry/packument.ts";

setDefaultTimeout(180_000);

interface Layout {
  readonly files?: Readonly<Record<string, FileContent>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Below the project. */
  readonly cwd?: string;
}

const KEYS = [
  "registry",
  "@corp:registry",
  "@other:registry",
  "cafile",
  "proxy",
  "https-proxy",
  "noproxy",
  "strict-ssl",
];
/** What npm reports for an unset setting. */
const UNSET: Readonly<Record<string, string>> = { "strict-ssl": "true", noproxy: "" };

async function projectWith({ files = {}, env = {}, cwd = "." }: Layout): Promise<Project> {
  const project = await tmpProject({
    files: { "package.json": "{}\n", ...files },
    env: { npm_config_registry: "", ...env },
  });
  await mkdir(project.path(cwd), { recursive: true });
  return project;
}

async function bothSay(project: Project, cwd = ".") {
  const asked = await project.run(["npm", "config", "get", ...KEYS], { cwd: project.path(cwd) });
  if (asked.code !== 0) throw new Error(asked.stderr);
  const npm = Object.fromEntries(
    asked.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
  const user: User = { approve: async () => "approved", progress: () => undefined };
  const context: Context = { cwd: project.path(cwd), home: project.home, env: project.env, user };
  const { values } = await registrySettings(context);
  const registry = "https://registry.npmjs.org/";
  const hugo = Object.fromEntries(
    KEYS.map((key) => [key, values.get(key) ?? UNSET[key] ?? (key === "registry" ? registry : undefined)]),
  );
  // npm writes "null" or "undefined" for what is not set, and takes an empty registry for none.
  const known = Object.entries(npm).map(([key, value]): [string, string | undefined] => {
    const isUnset = /^(?:null|undefined)$/.test(String(value)) || (value === "" && key.endsWith("registry"));
    return [key, isUnset ? undefined : String(value)];
  });
  return { npm: Object.fromEntries(known), hugo };
}

const layers = {
  global: { files: { "~/globalrc": "registry=https://global.test/\n@corp:registry=https://global-corp.test/\n" } },
  user: { files: { "~/.npmrc": "registry=https://user.test/\n@corp:registry=https://user-corp.test/\n" } },
  project: { files: { ".npmrc": "registry=https://project.test/\n@corp:registry=https://project-corp.test/\n" } },
  environment: {
    env: { npm_config_registry: "https://env.test/", "npm_config_@corp:registry": "https://env-corp.test/" },
  },
} as const satisfies Record<string, Layout>;

const names = Object.keys(layers) as (keyof typeof layers)[];
const subsets = Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, i) => bits & (1 << i)));

test.each(subsets.map((subset) => [subset.join(", ") || "nothing", subset] as const))(
  "with %s, Hugo and npm agree on every registry",
  async (_, subset) => {
    const chosen = subset.map((name): Layout => layers[name]);
    const files = Object.assign({}, ...chosen.map((layer) => layer.files));
    const env = Object.assign({}, ...chosen.map((layer) => layer.env));
    await using project = await projectWith({ files, env: {} });
    Object.assign(project.env, env, { npm_config_globalconfig: project.path("~/globalrc") });
    const { npm, hugo } = await bothSay(project);
    expect(hugo).toEqual(npm);
  },
);

const corp = "@corp:registry=https://corp.test/\nregistry=https://global.test/\n";

test.each<[what: string, layout: Layout, says: string]>([
  [
    "a prefix in ~/.npmrc",
    { files: { "~/.npmrc": "prefix=~/node\n", "~/node/etc/npmrc": corp } },
    "https://corp.test/",
  ],
  [
    "npm_config_prefix",
    { files: { "~/node/etc/npmrc": corp }, env: { npm_config_prefix: "~/node" } },
    "https://corp.test/",
  ],
  ["PREFIX", { files: { "~/node/etc/npmrc": corp }, env: { PREFIX: "HOME/node" } }, "https://corp.test/"],
  [
    "globalconfig in ~/.npmrc",
    { files: { "~/.npmrc": "globalconfig=${HOME}/rc\n", "~/rc": corp } },
    "https://corp.test/",
  ],
  [
    "NPM_CONFIG_GLOBALCONFIG",
    { files: { "~/rc": corp }, env: { NPM_CONFIG_GLOBALCONFIG: "~/rc" } },
    "https://corp.test/",
  ],
  [
    "npm_config_userconfig",
    { files: { "~/.npmrc": "registry=https://no.test/\n", "~/mine": corp }, env: { npm_config_userconfig: "~/mine" } },
    "https://corp.test/",
  ],
])("the global or user file is where %s says", async (_, { files = {}, env = {} }, says) => {
  await using project = await projectWith({ files });
  delete (project.env as Record<string, string>).npm_config_globalconfig;
  const home = (value: string) => value.replace("HOME", project.home);
  Object.assign(project.env, Object.fromEntries(Object.entries(env).map(([key, value]) => [key, home(value)])));
  const { npm, hugo } = await bothSay(project);
  expect(hugo).toEqual(npm);
  expect(hugo["@corp:registry"]).toBe(says);
});

test("the global file of this machine's own npm is found", async () => {
  await using project = await projectWith({});
  delete (project.env as Record<string, string>).npm_config_globalconfig;
  const { npm, hugo } = await bothSay(project);
  expect(hugo).toEqual(npm);
});

test.each<[what: string, text: string]>([
  ["comments", "; one\n# two\nregistry=https://a.test/ ; three\n@corp:registry=https://b.test/#four\n"],
  ["escaped marks", "registry=https://a.test/\\#x\n@corp:registry=https://b.test/\\;y\nnoproxy=a\\b\n"],
  ["quotes", 'registry="https://a.test/"\n@corp:registry=\'https://b.test/\'\n"@other:registry"=https://c.test/\n'],
  ["half a quote", 'noproxy="a.test\nregistry=https://a.test/\n'],
  ["quoted escapes", 'noproxy="a.test\\u002cb.test"\n'],
  ["spaces", "  registry   =   https://a.test/   \n\t@corp:registry\t=\thttps://b.test/\t\n"],
  ["a key twice", "registry=https://a.test/\nregistry=https://b.test/\n"],
  ["a section", "registry=https://a.test/\n[corp]\nregistry=https://b.test/\n@corp:registry=https://c.test/\n"],
  ["equal signs", "registry=https://a.test/?a=b=c\n=https://b.test/\n"],
  ["carriage returns", "registry=https://a.test/\r\n@corp:registry=https://b.test/\r@other:registry=https://c.test/\r"],
  [
    "variables",
    "registry=https://${HOST}/\n@corp:registry=https://${NONE}/${NONE?}\n@${SCOPE}:registry=https://o.test/\n",
  ],
  ["escaped variables", "noproxy=\\${HOST},\\\\${HOST}\nregistry=https://a.test/\n"],
  ["a home folder", "cafile=~/ca.pem\n"],
  ["a relative file", "cafile=ca.pem\n"],
  ["a proxy", "proxy=http://p.test:1/\nhttps-proxy=http://q.test:2/\nnoproxy=a.test,b.test\n"],
  ["a proxy that is off", "proxy=null\nhttps-proxy=null\nstrict-ssl=false\n"],
  ["capital letters", "Registry=https://a.test/\n@Corp:registry=https://b.test/\n"],
  ["a byte order mark", "\ufeffregistry=https://a.test/\n@corp:registry=https://b.test/\n"],
  ["an empty registry", "@corp:registry=\n"],
])("a user's file with %s means the same to Hugo as to npm", async (_, text) => {
  await using project = await projectWith({
    files: { "~/.npmrc": text, "~/ca.pem": "", "ca.pem": "" },
    env: { HOST: "host.test", SCOPE: "other" },
  });
  const { npm, hugo } = await bothSay(project);
  expect(hugo).toEqual(npm);
});

test.each<[env: Readonly<Record<string, string>>]>([
  [{ NPM_CONFIG_REGISTRY: "https://a.test/" }],
  [{ "npm_config_@Corp:registry": "https://a.test/" }],
  [{ "npm_config_@corp_x:registry": "https://a.test/", npm_config_https_proxy: "http://q.test:2/" }],
  [{ npm_config_noproxy: "a.test,b.test", npm_config_strict_ssl: "false", npm_config_cafile: "~/ca.pem" }],
  [{ npm_config_registry: "https://${HOST}/", HOST: "host.test" }],
])("the variables %j mean the same to Hugo as to npm", async (env) => {
  await using project = await projectWith({ env });
  const { npm, hugo } = await bothSay(project);
  expect(hugo).toEqual(npm);
});

test.each<[what: string, npmrc: (place: string) => string]>([
  ["a token", (place) => `${place}:_authToken=abc\n`],
  ["a name and a password", (place) => `${place}:username=u\n${place}:_password=${btoa("p")}\n`],
  ["both in one", (place) => `${place}:_auth=${btoa("u:p")}\n`],
  [
    "a token, a name and a password",
    (place) => `${place}:_authToken=abc\n${place}:username=u\n${place}:_password=cA==\n`,
  ],
  [
    "both in one, a name and a password",
    (place) => `${place}:_auth=dTpx\n${place}:username=u\n${place}:_password=cA==\n`,
  ],
  ["a token without the last slash", (place) => `${place.slice(0, -1)}:_authToken=abc\n`],
  ["a name without a password", (place) => `${place}:username=u\n`],
  ["a token for another port", (place) => `${place.replace(/:\d+/, ":1")}:_authToken=abc\n`],
  ["a token in a variable", (place) => `${place}:_authToken=\${NPM_TOKEN}\n`],
])("with %s, the registry gets the same from Hugo as from npm", async (_, npmrc) => {
  await using registry = await npmRegistry();
  registry.publish({ name: "review", version: "1.0.0" });
  const place = registry.url.replace("http:", "");
  await using project = await projectWith({
    files: { "~/.npmrc": `registry=${registry.url}\n${npmrc(place)}` },
    env: { NPM_TOKEN: "from the environment" },
  });
  await project.run(["npm", "view", "review", "version"]);
  const user: User = { approve: async () => "nobody", progress: () => undefined };
  const context: Context = { cwd: project.dir, home: project.home, env: project.env, user };
  await readPackument("review", await registrySettings(context), context);
  const [npm, hugo] = registry.requests.filter(({ path }) => path === "/review");
  expect(hugo?.headers.authorization).toEqual(npm?.headers.authorization);
});
