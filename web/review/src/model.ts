// What the page shows, and what a decision of the person does.
//
// Must never decide by itself, call anything that the host has not offered, or say that a change is made before the server did.
import { signal } from "@preact/signals";
import type { ChangeRow } from "../../workbench/src/document/rows.ts";
import type { Host, HostAbilities, Json } from "./host.ts";
import { listIn, textIn } from "./list.ts";
import type { ChangeList } from "./list.ts";
import { t } from "./texts.ts";

export type Side = "accept" | "reject";

/** What there is to see. */
export type Scene =
  | { readonly kind: "waiting" }
  | { readonly kind: "alone" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly list: ChangeList };

export interface Notice {
  readonly isBad: boolean;
  readonly text: string;
}

export class ReviewModel {
  readonly scene = signal<Scene>({ kind: "waiting" });
  readonly notice = signal<Notice | undefined>(undefined);
  readonly isBusy = signal(false);
  /** What the host does; nothing while that is not known. */
  readonly abilities = signal<HostAbilities>({ callsTools: false, tellsModel: false });
  #path = "";
  #done: string[] = [];

  /** A call of a tool has begun. */
  begun(given: Json): void {
    this.notice.value = undefined;
    const path = given["path"] ?? given["before"];
    this.#path = typeof path === "string" ? path : "";
    if (this.scene.value.kind !== "list") this.scene.value = { kind: "waiting" };
  }

  /** It has ended. */
  ended(result: Json): void {
    const list = listIn(result);
    if (list) this.#show(list);
    else this.scene.value = { kind: "text", text: textIn(result) };
  }

  cancelled(): void {
    if (this.scene.value.kind === "waiting") this.scene.value = { kind: "cancelled" };
  }

  alone(): void {
    this.scene.value = { kind: "alone" };
  }

  /** The document that is looked at. */
  get path(): string {
    const scene = this.scene.value;
    return scene.kind === "list" ? scene.list.path : this.#path;
  }

  /** Accepts or rejects changes: those of the rows, or all. */
  async decide(host: Host, side: Side, rows: readonly ChangeRow[] | "all"): Promise<void> {
    const scene = this.scene.value;
    if (scene.kind !== "list" || this.isBusy.value || !this.abilities.value.callsTools) return;
    const { path, inPlace, total } = scene.list;
    const count = rows === "all" ? total : rows.length;
    this.isBusy.value = true;
    this.notice.value = undefined;
    try {
      const chosen = rows === "all" ? {} : { ids: rows.flatMap((row) => row.ids) };
      const result = await host.call("resolve_changes", { path, action: side, ...chosen, ...(inPlace ? { output: path } : {}) });
      const list = listIn(result);
      if (result["isError"] === true || !list) {
        this.notice.value = { isBad: true, text: textIn(result) || t("failed") };
        // Somebody may have changed the document meanwhile.
        if (result["isError"] === true) await this.#reread(host, path);
        return;
      }
      this.#show(list);
      this.notice.value = { isBad: false, text: t(side === "accept" ? "accepted" : "rejected", { count, file: list.path }) };
      this.#tell(host, side, count, list);
    } catch (error) {
      this.notice.value = { isBad: true, text: t("unanswered", { why: error instanceof Error ? error.message : "" }) };
    } finally {
      this.isBusy.value = false;
    }
  }

  /** Reads the list anew. */
  async refresh(host: Host): Promise<void> {
    if (this.isBusy.value || !this.abilities.value.callsTools || this.path === "") return;
    this.isBusy.value = true;
    this.notice.value = undefined;
    try {
      await this.#reread(host, this.path);
    } catch (error) {
      this.notice.value = { isBad: true, text: t("unanswered", { why: error instanceof Error ? error.message : "" }) };
    } finally {
      this.isBusy.value = false;
    }
  }

  async #reread(host: Host, path: string): Promise<void> {
    const result = await host.call("read_document", { path, mode: "revisions" });
    const list = listIn(result);
    if (list) this.#show(list);
    else if (!this.notice.value) this.notice.value = { isBad: true, text: textIn(result) || t("failed") };
  }

  #show(list: ChangeList): void {
    this.scene.value = { kind: "list", list };
  }

  #tell(host: Host, side: Side, count: number, list: ChangeList): void {
    if (!this.abilities.value.tellsModel) return;
    const done = side === "accept" ? "accepted" : "rejected";
    this.#done.push(`The person ${done} ${count} tracked change(s); the result is ${list.path} with ${list.total} left.`);
    host.tellModel([...this.#done.slice(-20), `Read ${list.path} again before you edit it.`].join("\n"));
  }
}
