import { existsSync } from "node:fs";
import type { RegistrySettings } from "./settings.ts";

/** Why a certificate was refused, and what you can do; undefined for any other error. A second attempt would not help. */
export function certificateProblem(
  code: string,
  { values }: Pick<RegistrySettings, "values">,
): { readonly reason: string; readonly hint: string } | undefined {
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    const what = code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet";
    return {
      reason: `its certificate ${what}`,
      hint: "Check this machine's date. If it is right, ask the administrator of the registry or proxy for a new certificate.",
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      reason: "its certificate is for another address",
      hint: "Check the registry's address in .npmrc, and your proxy.",
    };
  }
  if (!UNKNOWN_AUTHORITY.has(code)) return undefined;
  const file = values.get("cafile");
  const root = "the root certificate of your company, proxy or registry";
  return {
    reason: "its certificate is signed by an authority that Node does not know",
    hint:
      file === undefined
        ? `Save ${root} as a file, then set NODE_EXTRA_CA_CERTS to its path or run \`npm config set cafile <file>\`.`
        : existsSync(file)
          ? `Add ${root} to ${file}, the \`cafile\` in npm's settings.`
          : `Save ${root} as ${file}: npm's setting \`cafile\` names that file, but it does not exist.`,
  };
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);
