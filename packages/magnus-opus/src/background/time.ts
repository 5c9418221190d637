// What happens if nothing happens: deadlines, and answers that do not come.
import { checking, end, silent, withParent, withTask } from "./change.ts";
import { dueNotices } from "./next.ts";
import { answerMs, type BackgroundLimits, type BackgroundState, mostTries, parentSilenceMs } from "./task.ts";

export function timePassed(state: BackgroundState, limits: BackgroundLimits): BackgroundState {
  const { at } = state;
  let next = state;
  for (const { id, stage, notice, heardAt, waitsForPerson } of state.tasks.values()) {
    if (stage.kind === "starting" || stage.kind === "running") {
      const limit = waitsForPerson ? limits.personMs : limits.silenceMs;
      if (at - heardAt >= limit) next = withTask(next, id, { stage: checking("silence", at, "") });
    } else if (stage.kind === "checking" && stage.isAsked && at - stage.since >= answerMs) {
      const tries = stage.tries + 1;
      if (tries < mostTries) next = withTask(next, id, { stage: { ...stage, isAsked: false, since: at, tries } });
      else if (stage.because === "restart") next = end(next, id, { kind: "interrupted" }, true);
      else if (stage.because === "silence") next = end(next, id, silent(next, id), true);
      else next = end(next, id, { kind: "failed", why: stage.why || "OpenCode did not return its result" }, true);
    }
    if (notice.kind === "sending" && !notice.isUnsure && at - notice.since >= answerMs)
      next = withTask(next, id, { notice: { ...notice, isUnsure: true } });
  }
  for (const [session, parent] of next.parents) {
    const silence = at - parent.heardAt;
    if (parent.isUnsure && parent.isAsked && silence >= answerMs)
      next = withParent(next, session, { ...parent, isAsked: false });
    else if (!parent.isUnsure && parent.isBusy && silence >= parentSilenceMs && dueNotices(next, session).length > 0)
      next = withParent(next, session, { ...parent, isUnsure: true, isAsked: false });
  }
  return next;
}

/** When time alone will change something; undefined if it will not. */
export function dueAt(state: BackgroundState, limits: BackgroundLimits): number | undefined {
  const times: number[] = [];
  for (const { stage, notice, heardAt, waitsForPerson } of state.tasks.values()) {
    if (stage.kind === "starting" || stage.kind === "running")
      times.push(heardAt + (waitsForPerson ? limits.personMs : limits.silenceMs));
    if (stage.kind === "checking" && stage.isAsked) times.push(stage.since + answerMs);
    if (notice.kind === "sending" && !notice.isUnsure) times.push(notice.since + answerMs);
  }
  for (const [session, parent] of state.parents) {
    if (parent.isUnsure && parent.isAsked) times.push(parent.heardAt + answerMs);
    if (dueNotices(state, session).length === 0 || parent.isGone || parent.isStopped) continue;
    if (!parent.isUnsure && parent.isBusy) times.push(parent.heardAt + parentSilenceMs);
    if (!parent.isBusy && parent.retryAt > state.at) times.push(parent.retryAt);
  }
  return times.length === 0 ? undefined : Math.min(...times);
}
