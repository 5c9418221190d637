// Who may talk to the server of `atomic ui`: a browser that was given the link, on this machine, and no other page in it.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The parts of a request that say where it comes from. */
export interface PageCaller {
  readonly method: string;
  readonly url: URL;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sent by every current browser: which page has made the request. */
  readonly fetchSite: string | undefined;
  readonly cookie: string | undefined;
}

export type Admission =
  | { readonly kind: "allowed" }
  /** The link was right: the browser gets the cookie. It never works again. */
  | { readonly kind: "admitted"; readonly cookie: string }
  | { readonly kind: "refused"; readonly status: 401 | 403 | 421; readonly reason: string };

export class LinkGuard {
  /**
   * Where the page is, and all that it asks for. A browser sends the cookies of one port to every other port of this machine, such as a
   * development server's, but only to paths below the one that they were made for. No other page can know this one.
   */
  readonly place: string = `/${randomBytes(12).toString("base64url")}/`;
  readonly #port: number;
  readonly #secret = randomBytes(32).toString("base64url");
  /** Undefined once a browser has used it: a token that is valid unseen could be used unseen. */
  #token: string | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Works once, and as long as no other is asked for. */
  newLink(): string {
    this.#token = randomBytes(32).toString("base64url");
    return `http://127.0.0.1:${this.#port}${this.place}?token=${this.#token}`;
  }

  judge({ method, url, host, origin, fetchSite, cookie }: PageCaller): Admission {
    const own = `127.0.0.1:${this.#port}`;
    // A name of the internet that leads to this machine is another page's: DNS rebinding.
    if (host !== own) return refused(421, `This server only accepts requests to ${own}.`);
    if (origin !== undefined && origin !== `http://${own}`) return refused(403, "Another page has sent this request.");
    if (method !== "GET" && origin === undefined)
      return refused(403, "A request that changes something needs an origin.");
    const isOpened = method === "GET" && url.pathname === this.place;
    // Any page may link to this one, and then the browser says so; all else comes from this page itself.
    if (fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none" && !isOpened) {
      return refused(403, "Another page has sent this request.");
    }
    if (!url.pathname.startsWith(this.place)) return refused(401, "Open the link that the terminal shows.");
    const prefix = `atomic-ui-${this.#port}=`;
    // Another port may have set a cookie of the same name, which comes first.
    const given = (cookie ?? "").split(/;\s*/).filter((each) => each.startsWith(prefix));
    // A browser that was admitted may open its old link again.
    if (given.some((each) => isSame(each.slice(prefix.length), this.#secret))) return { kind: "allowed" };
    const token = url.searchParams.get("token");
    if (!isOpened || token === null) return refused(401, "Open the link that the terminal shows.");
    if (this.#token === undefined || !isSame(token, this.#token)) {
      return refused(
        401,
        "This link is wrong, or another browser has used it. If that was not yours, stop atomic ui with Ctrl-C; otherwise press Enter there for another link.",
      );
    }
    this.#token = undefined;
    return { kind: "admitted", cookie: `${prefix}${this.#secret}; HttpOnly; SameSite=Strict; Path=${this.place}` };
  }
}

function refused(status: 401 | 403 | 421, reason: string): Admission {
  return { kind: "refused", status, reason };
}

/** Takes the same time whatever is given. */
function isSame(given: string, right: string): boolean {
  const [one, other] = [given, right].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one!, other!);
}
