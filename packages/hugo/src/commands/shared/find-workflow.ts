/** Whatever knows the installed workflows and their packages. */
export interface Known {
  readonly workflows: ReadonlyMap<string, { readonly package: string }>;
}

/** By its name, or by that of its package. */
export function findWorkflow({ workflows }: Known, name: string): string | undefined {
  if (workflows.has(name)) return name;
  for (const [workflow, { package: packageName }] of workflows) if (packageName === name) return workflow;
  return undefined;
}
