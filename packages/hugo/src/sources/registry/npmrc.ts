/** The lines of an `.npmrc`, later ones over earlier ones. Keys keep their spelling. */
export function parseNpmrc(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const pairs = lines.flatMap((line): [string, string][] => {
    if (line === "" || /^[;#[]/.test(line)) return [];
    const at = line.indexOf("=");
    if (at === -1) return [[line, "true"]];
    return [[line.slice(0, at).trim(), unquoted(line.slice(at + 1).trim())]];
  });
  return new Map(pairs);
}

function unquoted(value: string): string {
  const [, double, single] = /^(?:"(.*)"|'(.*)')$/.exec(value) ?? [];
  return double ?? single ?? value.replace(/\s[;#].*$/, "").trim();
}

/** Fills in `${NAME}` and `${NAME?}`. What `lookUp` does not know stays as it is, or is empty with the question mark. */
export function expandVariables(value: string, lookUp: (name: string) => string | undefined): string {
  return value.replace(/\$\{([^${}?]+)(\?)?\}/g, (whole, name: string, optional: string | undefined) => {
    return lookUp(name) ?? (optional === undefined ? whole : "");
  });
}

const AUTH_KEY = /^(\/\/[^\s]+):(_authToken|_auth|username|_password)$/;

/** `//host/path/` and what it is about, if the line tells a registry who is asking. */
export function readAuthKey(key: string): { readonly place: string; readonly field: string } | undefined {
  const [, place, field] = AUTH_KEY.exec(key) ?? [];
  return place === undefined || field === undefined ? undefined : { place: withSlash(place), field };
}

export function isRegistryKey(key: string): boolean {
  return key === "registry" || /^@[^\s/:]+:registry$/.test(key);
}

export function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
