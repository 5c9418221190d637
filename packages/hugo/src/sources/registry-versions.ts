import type { Context } from "../context.ts";
import type { RegistryVersions } from "./fetched.ts";
import { readPackument } from "./registry/packument.ts";
import { readRegistrySettings } from "./registry/settings.ts";

/** What the registry has of a package: for outdated, update and info. */
export async function registryVersions(name: string, context: Context): Promise<RegistryVersions> {
  context.person.progress(`Asking the registry for ${name}`);
  return await readPackument(name, readRegistrySettings(context), context);
}
