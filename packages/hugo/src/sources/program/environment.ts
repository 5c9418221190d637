import { trustedPath } from "./find-program.ts";

type World = Parameters<typeof trustedPath>[0];

/**
 * What programs need to reach the network as their user does. Everything else is dropped, above all what makes them
 * run something: GIT_SSH_COMMAND, GIT_ASKPASS, GIT_CONFIG_*, NODE_OPTIONS, LD_PRELOAD, npm_config_script_shell.
 */
const KEPT: ReadonlySet<string> = new Set([
  "USER",
  "LOGNAME",
  "LANG",
  "TZ",
  "SYSTEMROOT",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
]);

/** In addition for git: the user's own configuration and keys. */
const KEPT_FOR_GIT: ReadonlySet<string> = new Set([
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "SSH_AUTH_SOCK",
  "GIT_CONFIG_NOSYSTEM",
  "DBUS_SESSION_BUS_ADDRESS",
]);

/** For git. It never prompts: without a credential helper or a key, it fails with an error. */
export function gitEnvironment(world: World): Record<string, string> {
  return {
    ...kept(world, (name) => KEPT.has(name) || KEPT_FOR_GIT.has(name)),
    HOME: world.home,
    // Errors are recognized by their English text.
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "file:git:https:ssh",
    // A repository around the folder that git runs in is ignored.
    GIT_CEILING_DIRECTORIES: "/",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_LFS_SKIP_SMUDGE: "1",
  };
}

/** For a package manager: Hugo passes on the user's settings, so it gets a separate home folder. */
export function managerEnvironment(world: World, home: string): Record<string, string> {
  // No dependency comes from git, so a package manager that would start it fails.
  const noGit = { GIT_ALLOW_PROTOCOL: "none" };
  return { ...kept(world, (name) => KEPT.has(name)), ...noGit, HOME: home, TMPDIR: home, LC_ALL: "C" };
}

function kept(world: World, isKept: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(world.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && isKept(name.toUpperCase()) ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(entries), PATH: trustedPath(world) };
}
