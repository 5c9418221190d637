import { expect, test } from "bun:test";
import { LinkGuard, type PageCaller } from "../../src/page/link-guard.ts";

const own = "127.0.0.1:4711";

/** @param path Below the page's place. */
function request({ place }: LinkGuard, path: string, more: Partial<Omit<PageCaller, "url">> = {}): PageCaller {
  const url = new URL(place + path, "http://127.0.0.1");
  return { method: "GET", url, host: own, origin: undefined, fetchSite: undefined, cookie: undefined, ...more };
}

/** A guard whose link has been used, and the cookie of that browser. */
function admitted(): { readonly guard: LinkGuard; readonly cookie: string } {
  const guard = new LinkGuard(4711);
  const verdict = guard.judge(request(guard, new URL(guard.newLink()).search));
  if (verdict.kind !== "admitted") throw new Error(verdict.kind);
  return { guard, cookie: verdict.cookie.split(";")[0]! };
}

test("a link admits one browser, and no other link works until one is asked for", () => {
  const guard = new LinkGuard(4711);
  for (const early of ["?token=", "?token=undefined"]) {
    expect(guard.judge(request(guard, early))).toMatchObject({ kind: "refused", status: 401 });
  }
  const { search } = new URL(guard.newLink());
  expect(guard.place).toMatch(/^\/[\w-]{16}\/$/);
  expect(guard.judge(request(guard, search))).toEqual({
    kind: "admitted",
    cookie: expect.stringMatching(/^atomic-ui-4711=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/[\w-]{16}\/$/),
  });
  expect(guard.judge(request(guard, search))).toMatchObject({ kind: "refused", status: 401 });
  const replaced = new URL(guard.newLink()).search;
  const next = new URL(guard.newLink()).search;
  expect(guard.judge(request(guard, replaced))).toMatchObject({ kind: "refused", status: 401 });
  expect(guard.judge(request(guard, next))).toMatchObject({ kind: "admitted" });
});

test("the cookie admits the browser that has it, from this page only", () => {
  const { guard, cookie } = admitted();
  const post = { method: "POST", cookie, origin: `http://${own}`, fetchSite: "same-origin" };
  expect(guard.judge(request(guard, "", { cookie }))).toEqual({ kind: "allowed" });
  // A server on another port can set a cookie of the same name.
  expect(guard.judge(request(guard, "", { cookie: `atomic-ui-4711=theirs; ${cookie}` }))).toEqual({ kind: "allowed" });
  // Its used link, clicked once more in the terminal; the next one stays valid for another browser.
  expect(guard.judge(request(guard, "?token=used", { cookie }))).toEqual({ kind: "allowed" });
  const { search } = new URL(guard.newLink());
  expect(guard.judge(request(guard, search, { cookie }))).toEqual({ kind: "allowed" });
  expect(guard.judge(request(guard, search))).toMatchObject({ kind: "admitted" });
  expect(guard.judge(request(guard, "events", { cookie, fetchSite: "same-origin" }))).toEqual({ kind: "allowed" });
  expect(guard.judge(request(guard, "runs/calm-otter", post))).toEqual({ kind: "allowed" });
});

test.each([
  ["no cookie", "events", {}, 401],
  ["another cookie", "events", { cookie: "atomic-ui-4711=guessed" }, 401],
  ["a wrong token", "?token=guessed", {}, 401],
  ["a wrong token beside another cookie", "?token=guessed", { cookie: "atomic-ui-4711=guessed" }, 401],
  ["a name that leads to this machine", "", { hasCookie: true, host: "rebound.test:4711" }, 421],
  ["localhost by its name", "", { hasCookie: true, host: "localhost:4711" }, 421],
  ["another port", "", { hasCookie: true, host: "127.0.0.1:80" }, 421],
  ["no host", "", { hasCookie: true, host: undefined }, 421],
  ["another origin", "runs/a", { hasCookie: true, method: "POST", origin: "http://evil.test" }, 403],
  ["another port's page", "runs/a", { hasCookie: true, method: "POST", origin: "http://127.0.0.1:80" }, 403],
  ["a page without an origin", "runs/a", { hasCookie: true, method: "POST", origin: "null" }, 403],
  ["a change without an origin", "runs/a", { hasCookie: true, method: "POST" }, 403],
  ["a picture in another page", "events", { hasCookie: true, fetchSite: "cross-site" }, 403],
  ["a path beside the page's", "../events", { hasCookie: true }, 401],
  ["the root", "..", { hasCookie: true }, 401],
  ["another port's request", "events", { hasCookie: true, fetchSite: "same-site" }, 403],
] as const)(
  "%s is refused",
  (_, path, { hasCookie, ...more }: Partial<PageCaller> & { hasCookie?: boolean }, status) => {
    const { guard, cookie } = admitted();
    const verdict = guard.judge(request(guard, path, { ...(hasCookie && { cookie }), ...more }));
    expect(verdict).toMatchObject({ kind: "refused", status });
  },
);
