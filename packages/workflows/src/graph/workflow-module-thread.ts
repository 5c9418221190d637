// The hooks as Node 20 takes them: in a thread of their own. Later versions run them where the imports are.
import {
  isMarkedTypeScript,
  loadTypeScript,
  type ResolveContext,
  type Resolved,
  resolving,
} from "./workflow-module-hooks.ts";
import { type StripTypes, typeStripper } from "./workflow-module-types.ts";

type NextResolve = (specifier: string, context: ResolveContext) => Promise<Resolved>;
type NextLoad = (url: string, context: object) => Promise<object>;

export async function resolve(specifier: string, context: ResolveContext, next: NextResolve): Promise<Resolved> {
  const asked = resolving(specifier, context);
  return asked.after(await next(specifier, asked.context));
}

let stripper: Promise<StripTypes> | undefined;

export async function load(url: string, context: object, next: NextLoad): Promise<object> {
  if (!isMarkedTypeScript(url)) return await next(url, context);
  stripper ??= typeStripper();
  return loadTypeScript(url, await stripper) ?? (await next(url, context));
}
