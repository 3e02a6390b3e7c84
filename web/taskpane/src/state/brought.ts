// The model that the person has brought to the server, with a key of their own.
//
// Must never hold the key longer than it takes to send it.
import { batch, signal } from "@preact/signals";
import type { BroughtModel, OwnModelState, SessionError } from "../../../shared/src/server-client.ts";
import { BROUGHT, broughtIsGone, failureOf, furtherModel, furtherModels, greet, server } from "./pane.ts";

export const brought = signal<OwnModelState | undefined>(undefined);
export const broughtFailure = signal<SessionError | undefined>(undefined);

async function told(asked: Promise<OwnModelState>): Promise<boolean> {
  broughtFailure.value = undefined;
  try {
    brought.value = await asked;
    return true;
  } catch (thrown) {
    broughtFailure.value = failureOf(thrown);
    return false;
  }
}

/** Asks the server what there is. A server of an earlier version knows nothing of it. */
export async function lookForModel(): Promise<void> {
  await told(server.value.ownModel());
  const code = broughtFailure.value?.code;
  if (code === "ROUTE_NOT_FOUND" || code === "RIGHT_MISSING") broughtFailure.value = undefined;
  // Another pane may have had it forgotten, or the store of the system may have been locked or unlocked.
  const isThere = brought.value?.model?.hasKey === true;
  if (isThere !== furtherModels.value.includes(BROUGHT)) await greet();
}

/** Gives the server a model; it answers from now on. Tells whether it was taken. */
export async function bring(model: BroughtModel): Promise<boolean> {
  if (!(await told(server.value.bringModel(model)))) return false;
  batch(() => {
    furtherModel.value = BROUGHT;
    broughtIsGone.value = false;
  });
  await greet();
  return true;
}

/** Has the server forget the model and its key, wherever that is. */
export async function forgetBrought(): Promise<void> {
  if (!(await told(server.value.forgetModel()))) return;
  if (furtherModel.value === BROUGHT) furtherModel.value = "";
  await greet();
}
