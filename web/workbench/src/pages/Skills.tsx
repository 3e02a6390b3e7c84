// The lessons that were learnt: those that wait for a person first, each with what it rests on.
//
// Must never decide for the person, or show a lesson without its evidence.
import { useSignal } from "@preact/signals";
import type { LearntSkill, SessionError, SkillDecision } from "../../../shared/src/server-client.ts";
import { Clipped } from "../parts/Clipped.tsx";
import { Failure } from "../parts/Failure.tsx";
import { useResource } from "../parts/resource.ts";
import { say } from "../state/notice.ts";
import { failureOf, server } from "../state/session.ts";
import { named, shown, t } from "../texts.ts";

/** So many sources of a lesson are shown. */
const SOURCES = 5;

/** So many lessons are drawn. */
const SHOWN = 200;

export function Skills() {
  const list = useResource(() => server.value.skills(), []);
  const search = useSignal("");
  const wanted = search.value.trim().toLowerCase();
  const fitting = (list.value?.skills ?? []).filter(({ id, section, content }) => `${id} ${section} ${content}`.toLowerCase().includes(wanted));
  const waiting = fitting.filter(({ waits }) => waits);
  const others = fitting.filter(({ waits }) => !waits);
  return (
    <div class="page">
      <div class="list-head">
        <h1>{t("skills.title")}</h1>
        <input type="search" aria-label={t("common.search")} placeholder={t("common.search")} value={search.value} onInput={(event) => (search.value = event.currentTarget.value)} />
      </div>
      <p class="lead">{t("skills.text")}</p>
      {list.failure && <Failure failure={list.failure} retry={() => void list.reload()} />}
      {list.value && list.value.skills.length === 0 && <p class="empty">{t("skills.none", { file: shown(list.value.skillbook) })}</p>}
      {(list.value?.conflicts ?? []).map(({ one, other }) => <p key={`${one} ${other}`} class="warning">{t("skills.conflict", { one: shown(one), other: shown(other) })}</p>)}
      {waiting.length > 0 && (
        <section>
          <h2>{t("skills.waiting")} <span class="count">{waiting.length}</span></h2>
          <ul class="cards">{waiting.slice(0, SHOWN).map((skill) => <Skill key={skill.id} skill={skill} decided={() => void list.reload()} />)}</ul>
        </section>
      )}
      {others.length > 0 && (
        <section>
          <h2>{t("skills.shown")} <span class="count">{others.length}</span></h2>
          <ul class="cards">{others.slice(0, SHOWN).map((skill) => <Skill key={skill.id} skill={skill} decided={() => void list.reload()} />)}</ul>
        </section>
      )}
      {fitting.length > 2 * SHOWN && <p class="muted">{t("skills.many")}</p>}
    </div>
  );
}

function Skill({ skill, decided }: { readonly skill: LearntSkill; readonly decided: () => void }) {
  const { id, section, content, status, waits, quarantine, justification, evidence, helpful, harmful, neutral, sessions, sources, revision } = skill;
  const isBusy = useSignal(false);
  const failure = useSignal<SessionError | undefined>(undefined);
  const words = useSignal<string | undefined>(undefined);
  const decide = async (decision: SkillDecision) => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await server.value.decideSkills([decision]);
      say(t("skills.done", { id: shown(id) }));
      decided();
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  const button = (decision: "accept" | "retire" | "decline", isPrimary = false) => (
    <button type="button" class={isPrimary ? "button primary small" : "button small"} disabled={isBusy.value} aria-label={`${t(`skills.${decision}`)}: ${id}`} onClick={() => void decide({ decision, id })}>
      {t(`skills.${decision}`)}
    </button>
  );
  return (
    <li class="card">
      <p class="row muted small-text">
        <code>{shown(id)}</code> <span>{shown(section)}</span>
        <span class={status === "active" ? "tag good" : "tag warn"}>{named("skills.status", status)}</span>
        {quarantine.map((why) => <span key={why} class="tag bad">{shown(why.replaceAll("_", " "))}</span>)}
      </p>
      <p><Clipped text={content} most={1_000} /></p>
      {justification !== "" && <p class="muted small-text"><Clipped text={justification} most={600} /></p>}
      {revision && <p class="warning">{revision.content === "" ? t("skills.proposedGone") : t("skills.proposed", { words: shown(revision.content.slice(0, 600)) })}</p>}
      <details>
        <summary>{t("skills.evidence", { helpful, harmful, neutral, sessions })}</summary>
        {evidence !== "" && <p class="small-text"><Clipped text={evidence} most={600} /></p>}
        <ul class="evidence">
          {sources.slice(0, SOURCES).map((source, at) => (
            <li key={at} class="small-text">
              <code>{shown(source.file ?? source.trace)}{source.seen?.line ? `:${source.seen.line}` : ""}</code> <Clipped text={source.evidence} most={400} />
            </li>
          ))}
        </ul>
        {sources.length > SOURCES && <p class="muted small-text">{t("skills.moreSources", { count: sources.length - SOURCES })}</p>}
      </details>
      {failure.value && <Failure failure={failure.value} dismiss={() => (failure.value = undefined)} />}
      {words.value === undefined ? (
        <p class="row">
          {waits && button("accept", true)}
          {revision && status === "active" ? button("decline") : button("retire")}
          <button type="button" class="button quiet small" disabled={isBusy.value} aria-label={`${t("skills.edit")}: ${id}`} onClick={() => (words.value = content)}>{t("skills.edit")}</button>
        </p>
      ) : (
        <form
          class="new-task"
          onSubmit={(event) => {
            event.preventDefault();
            if ((words.value ?? "").trim() !== "") void decide({ decision: "edit", id, content: (words.value ?? "").trim() });
          }}
        >
          <label>
            <span>{t("skills.words")}</span>
            <textarea rows={3} required value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
          </label>
          <p class="row">
            <button class="button primary small" disabled={isBusy.value || words.value.trim() === ""}>{t("skills.keep")}</button>
            <button type="button" class="button small" disabled={isBusy.value} onClick={() => (words.value = undefined)}>{t("common.cancel")}</button>
          </p>
        </form>
      )}
    </li>
  );
}
