/** Removes secrets from the output of programs and hosts: errors end up in logs and bug reports. */
export function redact(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1***@")
    .replace(/\b(Bearer|Basic)\s+[\w+/=.~-]+/gi, "$1 ***")
    .replace(/((?:_authToken|_auth|_password|token|password|secret)["']?\s*[=:]\s*["']?)[^\s"'&]+/gi, "$1***")
    .replace(/\b(?:npm_[a-z0-9]{16,}|gh[pousr]_[a-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})/gi, "***");
}
