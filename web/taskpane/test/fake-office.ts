// The vendor's script as the pane loads it in tests: the double of Word, over the engine in this page.
import { start } from "../../engine/src/index.ts";
import { FakeWord, type HostOptions } from "../../fakeword/src/index.ts";

interface Given {
  readonly document: string;
  readonly options: HostOptions;
  readonly settings?: readonly (readonly [string, unknown])[];
}

const scope = globalThis as unknown as { given: Given; fake: FakeWord; fakeBytes: () => string; Office: object; Word: object };

const ready = (async () => {
  await start("/word/engross_wasm_bg.wasm");
  const { document, options, settings = [] } = scope.given;
  const fake = new FakeWord(Uint8Array.from(atob(document), (character) => character.charCodeAt(0)), options);
  for (const [name, value] of settings) fake.host.settings.set(name, value);
  scope.fake = fake;
  scope.fakeBytes = () => btoa(fake.bytes().reduce((text, byte) => text + String.fromCharCode(byte), ""));
  scope.Word = fake.Word;
  Object.assign(scope.Office, fake.Office);
  return { host: "Word", platform: fake.Office.context.platform };
})();

scope.Office = { onReady: () => ready };
