// `Office`: where the program runs, what there is, and the file as a whole.
//
// Must never give two files at once, nor one before the last was closed: Word does not (office-js#1191).
import { spanText } from "./content.ts";
import type { Host } from "./host.ts";

type Callback = (result: { status: string; value?: unknown; error?: { code: number; message: string } }) => void;

const PLATFORMS = { web: "OfficeOnline", windows: "PC", mac: "Mac", ipad: "iOS", ltsc: "PC" } as const;

export function officeOf(host: Host): typeof globalThis.Office {
  let isOpen = false;
  const later = (callback: Callback, result: Parameters<Callback>[0]) => void setTimeout(() => callback(result), host.latency);
  const failed = (code: number, message: string) => ({ status: "failed", error: { code, message } });
  const getFileAsync = (_type: string, options: { sliceSize?: number } | Callback, given?: Callback) => {
    const callback = typeof options === "function" ? options : given;
    if (!callback) throw new Error("getFileAsync needs a callback");
    if (host.quirks.has("fileRefused")) return later(callback, failed(11001, "The file could not be read."));
    if (isOpen) return later(callback, failed(5001, "An internal error has occurred."));
    isOpen = true;
    const bytes = host.bytes();
    const sliceSize = (typeof options === "function" ? undefined : options.sliceSize) ?? 4_194_304;
    const file = {
      size: bytes.length,
      sliceCount: Math.ceil(bytes.length / sliceSize),
      getSliceAsync: (index: number, got: Callback) => {
        if (!isOpen) return later(got, failed(5001, "The file is closed."));
        const data = [...bytes.subarray(index * sliceSize, (index + 1) * sliceSize)];
        return later(got, { status: "succeeded", value: { data, index, size: data.length } });
      },
      closeAsync: (closed?: Callback) => {
        isOpen = false;
        if (closed) later(closed, { status: "succeeded" });
      },
    };
    return later(callback, { status: "succeeded", value: file });
  };
  const info = { host: "Word", platform: PLATFORMS[host.platform] };
  const settings = {
    get: (name: string) => host.settings.get(name) ?? null,
    set: (name: string, value: unknown) => void host.settings.set(name, value),
    saveAsync: (callback?: Callback) => callback && later(callback, { status: "succeeded" }),
  };
  const office = {
    onReady: async (callback?: (info: unknown) => unknown) => {
      await callback?.(info);
      return info;
    },
    HostType: { Word: "Word" },
    PlatformType: { OfficeOnline: "OfficeOnline", PC: "PC", Mac: "Mac", iOS: "iOS" },
    FileType: { Compressed: "compressed" },
    AsyncResultStatus: { Succeeded: "succeeded", Failed: "failed" },
    CoercionType: { Text: "text" },
    EventType: { DocumentSelectionChanged: "documentSelectionChanged" },
    context: {
      ...info,
      requirements: { isSetSupported: (name: string, version?: string | number) => host.isSetSupported(name, Number(version ?? 1)) },
      partitionKey: undefined,
      displayLanguage: "en-US",
      document: {
        getFileAsync,
        settings,
        mode: "readWrite",
        url: "",
        getSelectedDataAsync: (_kind: string, callback: Callback) => later(callback, { status: "succeeded", value: spanText(host.selection.paragraph, host.selection.start, host.selection.end, "Current") }),
      },
    },
  };
  return office as unknown as typeof globalThis.Office;
}
