// Where the pane begins: when Word is ready.
import { render } from "preact";
import { App } from "./App.tsx";
import { Missing } from "./parts/Missing.tsx";
import { look } from "./state/look.ts";
import { restorePreferences } from "./state/preferences.ts";
import { openPane } from "./state/pane.ts";

const root = document.getElementById("root");

async function begin(place: HTMLElement): Promise<void> {
  if (typeof Office === "undefined") {
    render(<Missing what="office" />, place);
    return;
  }
  const { host } = await Office.onReady();
  if (host !== Office.HostType.Word) {
    render(<Missing what="word" />, place);
    return;
  }
  restorePreferences(Office.context.partitionKey);
  render(<App pane={openPane(Office, Word, look)} />, place);
}

if (root) void begin(root);
