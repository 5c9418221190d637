// Which tsconfig covers a project's workflows. TypeScript leaves folders that begin with a dot out of `**`.
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { type JsonValue, toValue } from "@atomic/durable-files/jsonc/value";

/** The project's tsconfig.json and what it extends, the strongest first. */
export interface TsconfigChain {
  readonly text: string;
  /** Undefined where one cannot be found. */
  readonly extended: readonly (string | undefined)[];
  /** package.json has `"type": "module"`. */
  readonly isModule: boolean;
}

/** `apart`: the workflows need a tsconfig of their own. */
export type TsconfigPlan =
  | { readonly kind: "covered" }
  | { readonly kind: "include"; readonly text: string }
  | { readonly kind: "apart"; readonly because: string };

/**
 * Adds the workflows to the project's tsconfig.json if it only checks types, in a way that understands them. A tsconfig
 * that compiles stays as it is: with more files it would write more files, and into other folders.
 */
export function planTsconfig({ text, extended, isModule }: TsconfigChain): TsconfigPlan {
  const own = objectIn(text, "tsconfig.json");
  const include = own.include;
  if (Array.isArray(include) && include.some(isOurs)) return { kind: "covered" };
  const apart = (because: string): TsconfigPlan => ({ kind: "apart", because });
  if (Array.isArray(own.files) && own.files.length === 0) return apart("it only refers to other projects");
  if (extended.includes(undefined)) return apart("it extends a file that cannot be found");
  const chain = [own, ...extended.map((each) => objectIn(each ?? "", "a tsconfig that it extends"))];
  if (include === undefined && chain.some((each) => each.include !== undefined)) {
    return apart("it extends the one that lists its files");
  }
  const option = (name: string): string => {
    const all = chain.map(({ compilerOptions }) => (isObject(compilerOptions) ? compilerOptions[name] : undefined));
    return String(all.find((value) => value !== undefined) ?? "").toLowerCase();
  };
  if (option("noEmit") !== "true") return apart("it also compiles");
  // Our types need more of the platform than an old `lib` has, and Node's types.
  if (option("skipLibCheck") !== "true") return apart("it also checks the types of packages (skipLibCheck is off)");
  if (!/^(?:|\.\/?|\$\{configdir\}\/?)$/.test(option("rootDir"))) return apart("its rootDir does not contain .atomic");
  // A workflow exports a graph, whose type TypeScript has to infer.
  if (option("isolatedDeclarations") === "true")
    return apart("it requires a type on every export (isolatedDeclarations)");
  const resolution = option("moduleResolution") || option("module");
  if (!/^(?:bundler|preserve|node(?:next|16|18|20))$/.test(resolution)) {
    return apart("its moduleResolution does not read what packages export");
  }
  if (resolution.startsWith("node") && !isModule) return apart("it treats the project's files as CommonJS");
  const excludes = chain.find(({ exclude }) => exclude !== undefined)?.exclude;
  if (Array.isArray(excludes) && excludes.some((each) => /(?:^|\/)\./.test(String(each).replace(/^\.\//, "")))) {
    return apart("it excludes folders that begin with a dot");
  }
  // Without a list, TypeScript takes everything below; with `files`, only those.
  const everything = include === undefined && own.files === undefined ? ["**/*"] : [];
  const added = [...everything, ".atomic/**/*"];
  const edits =
    include === undefined
      ? [{ op: "set", path: ["include"], value: added } as const]
      : added.map((value) => ({ op: "insert", path: ["include"], value }) as const);
  return { kind: "include", text: editJsonc(text, edits, { file: "tsconfig.json" }) };
}

/** `./.atomic/**` and the like. TypeScript takes `.atomic` alone for a file, because of its dot. */
function isOurs(pattern: JsonValue): boolean {
  return /^(?:\.\/)?\.atomic\/./.test(String(pattern));
}

function objectIn(text: string, file: string): { readonly [key: string]: JsonValue } {
  const { root } = parseJsonc(text, { file, empty: "absent" });
  const value = root === undefined ? {} : toValue(root);
  return isObject(value) ? value : {};
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
