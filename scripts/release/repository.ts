// Where the repository is on the web: `repository` in the root package.json is the only place that says so.

export interface RepositoryAddress {
  /** `https://…`, without a slash at the end. */
  readonly url: string;
  /** It has not been filled in yet. Names below `.invalid` never exist, so nothing can be published by accident. */
  readonly isPlaceholder: boolean;
}

export function repositoryAddress({
  repository,
}: {
  readonly repository?: { readonly url?: string };
}): RepositoryAddress {
  const url = (repository?.url ?? "").replace(/^git\+/, "").replace(/\.git$/, "");
  if (!/^https:\/\/[^/]+\/.+[^/]$/.test(url))
    throw new Error(`package.json: "repository.url" is ${JSON.stringify(repository?.url)}, not an https address.`);
  return { url, isPlaceholder: new URL(url).hostname.endsWith(".invalid") };
}

export const placeholderProblem =
  'package.json: "repository.url" is still a placeholder. Set it to the address of the public repository.';
