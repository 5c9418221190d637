// `npm search`: words match name, description and keywords; `keywords:a,b` asks for keywords only.
import type { PackumentJson } from "./packument.ts";
import type { PublishedPackages, PublishedVersion } from "./published.ts";

export interface SearchQuery {
  text: string;
  size: number;
  from: number;
}

export function searchQuery(params: URLSearchParams): SearchQuery {
  return {
    text: params.get("text") ?? "",
    size: wholeNumber(params.get("size")) ?? 20,
    from: wholeNumber(params.get("from")) ?? 0,
  };
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

export function search(published: PublishedPackages, { text, size, from }: SearchQuery): PackumentJson {
  const terms = text
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== "");
  const found = published
    .names()
    .sort()
    .map((name) => published.findRelease(name, "latest"))
    .filter((release) => terms.every((term) => matches(release, term)));
  return {
    objects: found.slice(from, from + size).map((release) => searchResult(release)),
    total: found.length,
    time: found[0]?.publishedAt ?? "",
  };
}

function matches({ manifest }: PublishedVersion, term: string): boolean {
  const keywords = keywordsOf(manifest).map((keyword) => keyword.toLowerCase());
  const wanted = /^keywords:(.+)$/.exec(term)?.[1];
  if (wanted !== undefined) return wanted.split(",").every((keyword) => keywords.includes(keyword));
  const text = [manifest.name, manifest.description ?? "", ...keywords].join("\n").toLowerCase();
  return text.includes(term);
}

function searchResult({ manifest, publishedAt }: PublishedVersion): PackumentJson {
  const { name, version } = manifest;
  const tester = { username: "tester", email: "tester@example.test" };
  return {
    package: {
      name,
      scope: /^@([^/]+)\//.exec(name)?.[1] ?? "unscoped",
      version,
      description: manifest.description ?? "",
      keywords: keywordsOf(manifest),
      date: publishedAt,
      links: {},
      publisher: tester,
      maintainers: [tester],
    },
    score: { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } },
    searchScore: 1,
  };
}

function keywordsOf(manifest: PackumentJson): string[] {
  const { keywords } = manifest;
  return Array.isArray(keywords) ? keywords.map(String) : [];
}
