// What the user decides, sent to the server. Every answer goes into the run's inbox, like those from a terminal.
import type { AskedQuestion, PageReply, PageRequest, RunAction } from "../draw/messages.ts";
import type { PageActions, PageState } from "../draw/page-state.ts";

/** What the page knows, as it changes. */
export type MutableState = { -readonly [Key in keyof PageState]: PageState[Key] } & {
  readonly toggled: Map<string, boolean>;
  readonly whole: Set<string>;
};

export function actionsOf(state: MutableState, draw: () => void): PageActions {
  const send = async (action: RunAction): Promise<boolean> => {
    const { run } = state.route;
    const createdAt = state.run?.view?.state.createdAt;
    if (run === undefined || createdAt === undefined || state.isBusy) return false;
    state.isBusy = true;
    draw();
    const reply = await post(`runs/${encodeURIComponent(run)}`, { ...action, createdAt });
    state.isBusy = false;
    // By now, you may be looking at another run.
    const text = state.route.run === run ? reply.message : `${run}: ${reply.message}`;
    state.notice = { text, isProblem: !reply.ok };
    draw();
    return reply.ok;
  };
  const drafts = new Map<string, string>();
  return {
    typed: (field) => {
      const id = JSON.stringify([state.route.run, state.run?.view?.state.createdAt, field]);
      return {
        value: drafts.get(id),
        oninput: (event: Event) =>
          drafts.set(id, (event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value),
      };
    },
    answer: (question) => (event: SubmitEvent) => {
      event.preventDefault();
      void send(requestOf(question, event));
    },
    askCancel: (isAsked) => () => {
      state.isCancelling = isAsked;
      draw();
    },
    cancel: () => {
      state.isCancelling = false;
      void send({ do: "cancel" });
    },
    resume: () => void send({ do: "resume" }),
    raise: (event: SubmitEvent) => {
      event.preventDefault();
      const form = event.currentTarget as HTMLFormElement;
      const fields = new FormData(form);
      const typed = (name: string): string => String(fields.get(name) ?? "").trim();
      const wrong = [...fields.keys()].map(typed).find((text) => text !== "" && amountIn(text) === undefined);
      if (wrong !== undefined) {
        state.notice = { text: `“${wrong}” is not an amount. Write it like 1000 or 7.5.`, isProblem: true };
        return draw();
      }
      const amount = (name: string, times = 1): number | undefined => {
        const found = amountIn(typed(name));
        return found === undefined ? undefined : found * times;
      };
      const budget = {
        usd: amount("usd"),
        tokens: amount("tokens"),
        wallMs: amount("minutes", 60_000),
        steps: amount("steps"),
      };
      void send({ do: "raise", budget: JSON.parse(JSON.stringify(budget)) }).then((isDone) => isDone && form.reset());
    },
    toggle: (path, isOpen) => () => {
      state.toggled.set(path, isOpen);
      draw();
    },
    showWhole: (path) => () => {
      state.whole.add(path);
      draw();
    },
    filter: (event: Event) => {
      state.filter = (event.currentTarget as HTMLInputElement).value;
      draw();
    },
    onlyProblems: (event: Event) => {
      state.isOnlyProblems = (event.currentTarget as HTMLInputElement).checked;
      draw();
    },
    copy: (text) => () => {
      void navigator.clipboard.writeText(text).then(() => {
        state.copied = text;
        draw();
      });
    },
    dismissBrowsers: () => {
      state.newBrowsers = 0;
      draw();
    },
    dismiss: () => {
      state.notice = undefined;
      draw();
    },
  };
}

function requestOf({ key, kind }: AskedQuestion, event: SubmitEvent): RunAction {
  const fields = new FormData(event.currentTarget as HTMLFormElement);
  const say = event.submitter instanceof HTMLButtonElement ? event.submitter.value : "";
  if (kind === "text") return { do: "answer", key, words: String(fields.get("words") ?? "") };
  if (kind === "choice") return { do: "answer", key, chosen: fields.getAll("chosen").map(Number) };
  if (say === "always") return { do: "answer", key, words: "always" };
  if (say !== "no") return { do: "answer", key };
  const reason = String(fields.get("reason") ?? "").trim();
  return { do: "answer", key, deny: true, words: reason === "" ? undefined : reason };
}

/** A comma is a point, unless it may group thousands: 1,000 is not 1. */
function amountIn(text: string): number | undefined {
  return /^\d+(?:\.\d+|,(?!\d{3}$)\d+)?$/.test(text) ? Number(text.replace(",", ".")) : undefined;
}

async function post(path: string, request: PageRequest): Promise<PageReply> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const text = await response.text();
    const isReply = response.headers.get("content-type") === "application/json";
    return isReply ? (JSON.parse(text) as PageReply) : { ok: false, message: text.trim() };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { ok: false, message: "The server did not answer. Is `atomic ui` still running?" };
  }
}
