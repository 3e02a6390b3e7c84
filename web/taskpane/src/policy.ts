// The rule of the pane, a script by itself: it stands before the vendor's, so that it holds for that one, too.
//
// Must never be loaded twice: a page has one such rule.
import { admitted } from "./admitted.ts";

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(address: string): string | null }): unknown;
}

(globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy("default", { createScriptURL: (address) => admitted(address, location.href) });
