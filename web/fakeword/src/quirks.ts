// What hosts are known to do, each with the issue of OfficeDev/office-js (unless another place is named) that tells of it.
//
// Must never hold a quirk that nothing in this folder carries out.

export const QUIRKS = {
  /** After `insertOoxml` there is nothing left to undo (#6423). */
  webUndoLost: "office-js#6423",
  /** `insertOoxml` leaves an empty paragraph behind what it put in (#1718). */
  trailingParagraph: "office-js#1718",
  /** Where lists are put in, paragraphs of deleted tables become numbered (#6903). */
  macListLeak: "office-js#6903",
  /** Asking for the tracked changes of a document with moves never ends (#5535). */
  moveHang: "office-js#5535",
  /** Asking for tracked changes of what was just put in never ends (#6514). */
  freshRangeHang: "office-js#6514",
  /** Changes of programs are attributed to "Unknown" (#5472). */
  unknownAuthor: "office-js#5472",
  /** `insertOoxml` refuses what `getOoxml` gave (#3327). */
  ooxmlIsMalformed: "office-js#3327",
  /** `TrackMineOnly` is taken and not kept (#6450). */
  trackMineOnlyIgnored: "office-js#6450",
  /** A mode of tracking is taken and not kept at all: protected or shared documents. */
  trackingStuckOff: "docs: word.changetrackingmode",
  /** Texts of ranges leave out what is marked as deleted (#5334). */
  rangeTextWithoutDeleted: "office-js#5334",
  /** Text typed at the edge of a run takes a space of its neighbour along (#6544). */
  runEdgeSpace: "office-js#6544",
  /** A content control beside text appears twice where its paragraph is put in (#1914). */
  controlTwice: "office-js#1914",
  /** The whole file cannot be had (#6747). */
  fileRefused: "office-js#6747",
  /** `createDocument` makes nothing. */
  noNewDocument: "docs: word.documentcreated",
} as const;

export type Quirk = keyof typeof QUIRKS;

export type Platform = "web" | "windows" | "mac" | "ipad" | "ltsc";

/** The newest requirement sets of each platform, of April 2026. */
export const SETS: Readonly<Record<Platform, Readonly<Record<string, number>>>> = {
  web: { WordApi: 1.9 },
  windows: { WordApi: 1.9, WordApiDesktop: 1.4 },
  mac: { WordApi: 1.9, WordApiDesktop: 1.4 },
  ipad: { WordApi: 1.9, WordApiDesktop: 1.2 },
  ltsc: { WordApi: 1.8, WordApiDesktop: 1.1 },
};

/** What a platform does without being asked to. */
export const USUAL: Readonly<Record<Platform, readonly Quirk[]>> = {
  web: ["webUndoLost", "rangeTextWithoutDeleted"],
  windows: [],
  mac: ["macListLeak", "runEdgeSpace", "moveHang", "freshRangeHang"],
  ipad: [],
  ltsc: [],
};
