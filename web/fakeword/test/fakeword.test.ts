import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

import { WordFile } from "../../engine/src/index.ts";
import type { FakeWord, HostOptions } from "../src/index.ts";
import { QUIRKS } from "../src/index.ts";
import { engine, errors, nda, revisions, texts, within, word } from "./double.ts";

beforeAll(engine);

const DOCUMENT = "# Terms\n\nThe fee is *five* euros, paid \"at once\".\n\n1. One\n2. Two\n\n| A | B |\n|---|---|\n| c | d |\n\nLast one.";

/** Replaces the first place of a text in a paragraph, counted from 1. */
async function retype(fake: FakeWord, paragraph: number, from: string, to: string): Promise<void> {
  await fake.Word.run(async (context) => {
    const { paragraphs } = context.document.body;
    paragraphs.load("items/text");
    await context.sync();
    const found = paragraphs.items[paragraph - 1]?.search(from, { matchCase: true });
    found?.load("items/text");
    await context.sync();
    found?.items[0]?.insertText(to, "Replace");
    await context.sync();
  });
}

function ooxmlOf(fake: FakeWord, paragraph: number): Promise<string> {
  return fake.Word.run(async (context) => {
    const { paragraphs } = context.document.body;
    paragraphs.load("items/text");
    await context.sync();
    const xml = paragraphs.items[paragraph - 1]?.getOoxml();
    await context.sync();
    return xml?.value ?? "";
  });
}

function putOoxml(fake: FakeWord, paragraph: number, xml: string): Promise<void> {
  return fake.Word.run(async (context) => {
    const { paragraphs } = context.document.body;
    paragraphs.load("items/text");
    await context.sync();
    paragraphs.items[paragraph - 1]?.getRange("Whole").insertOoxml(xml, "Replace");
    await context.sync();
  });
}

/** The file as programs get it. */
function fileOf(fake: FakeWord, sliceSize = 1_000): Promise<Uint8Array | string> {
  return new Promise((resolve) => {
    fake.Office.context.document.getFileAsync(fake.Office.FileType.Compressed, { sliceSize }, ({ value, error }) => {
      if (error) return resolve(String(error.code));
      const slices: number[][] = [];
      for (let index = 0; index < value.sliceCount; index += 1) {
        value.getSliceAsync(index, (slice) => {
          slices[index] = slice.value.data as number[];
          if (slices.filter(Boolean).length === value.sliceCount) value.closeAsync(() => resolve(Uint8Array.from(slices.flat())));
        });
      }
    });
  });
}

const code = (promise: Promise<unknown>) => promise.then(() => "nothing", (error: { code?: string; message: string }) => error.code ?? error.message);

describe("the double of Word", () => {
  it("gives a document back as it came", async () => {
    const fake = word(nda());
    expect(texts(fake.bytes())).toEqual(texts(nda()));
    expect(texts((await fileOf(fake)) as Uint8Array, "markup")).toEqual(texts(nda(), "markup"));
    using file = WordFile.open(nda());
    expect(fake.host.paragraphs()).toHaveLength(file.read({ view: "markup" }).total);
  });

  it("answers at sync, and only what was loaded", async () => {
    const fake = word(DOCUMENT);
    await fake.Word.run(async (context) => {
      const { paragraphs } = context.document.body;
      expect(() => paragraphs.items).toThrow(/PropertyNotLoaded|not available/);
      paragraphs.load("items/text");
      expect(() => paragraphs.items).toThrow();
      await context.sync();
      expect(paragraphs.items.map(({ text }) => text)).toEqual(texts(fake.bytes()));
      expect(() => paragraphs.items[0]?.style).toThrow(/not available/);
      const reviewed = paragraphs.items[1]?.getReviewedText("Current");
      expect(() => reviewed?.value).toThrow();
    });
    // What failed takes what stands behind it along, and not what stands before.
    const stopped = fake.Word.run(async (context) => {
      const range = context.document.getSelection();
      range.insertText("X", "Start");
      range.insertText("two\nlines", "Start");
      range.insertText("Y", "Start");
      await context.sync();
    });
    expect(await code(stopped)).toBe("GeneralException");
    expect(fake.texts()[0]).toBe("XTerms");
  });

  it.each([["Off", []], ["TrackAll", ["deletion Ada Person: five", "insertion Ada Person: six"]]] as const)("types with tracking %s", async (mode, wanted) => {
    const fake = word(DOCUMENT, { mode });
    await retype(fake, 2, "five", "six");
    expect(revisions(fake.bytes()).sort()).toEqual(wanted);
    expect(texts(fake.bytes())[1]).toBe('The fee is six euros, paid "at once".');
    expect(texts(fake.bytes(), "original")[1]).toBe(`The fee is ${mode === "Off" ? "six" : "five"} euros, paid "at once".`);
    expect(errors(fake.bytes())).toEqual([]);
    // One's own insertion is deleted for good, somebody else's is not.
    await retype(fake, 2, "six", "ten");
    expect(revisions(fake.bytes()).filter((each) => each.includes("six"))).toEqual([]);
    const other = word(fake.bytes(), { mode: "TrackAll", user: "Bob" });
    await retype(other, 2, "ten", "two");
    expect(texts(other.bytes())[1]).toBe('The fee is two euros, paid "at once".');
    expect(errors(other.bytes())).toEqual([]);
    if (mode === "TrackAll") expect(revisions(other.bytes())).toContain("insertion Ada Person: ten");
  });

  it("keeps places while others type", async () => {
    const fake = word(DOCUMENT, { mode: "TrackAll" });
    await fake.Word.run(async (context) => {
      const { paragraphs } = context.document.body;
      paragraphs.load("items/text");
      await context.sync();
      const [, second] = paragraphs.items;
      const [euros, fee] = ["euros", "fee"].map((text) => second?.search(text));
      euros?.load("items/text");
      fee?.load("items/text");
      await context.sync();
      fake.person.type(2, "annual ", "fee");
      fee?.items[0]?.insertText("price", "Replace");
      euros?.items[0]?.insertText("dollars", "Replace");
      await context.sync();
    });
    expect(fake.texts()[1]).toBe('The annual price is five dollars, paid "at once".');
    expect(errors(fake.bytes())).toEqual([]);
  });

  it("finds as Word does", async () => {
    const fake = word("A ^ “sign” and a Sign.", { mode: "TrackAll" });
    const count = (text: string, matchCase = true) =>
      fake.Word.run(async (context) => {
        const paragraph = context.document.getSelection().paragraphs;
        paragraph.load("items/text");
        await context.sync();
        const found = paragraph.items[0]?.search(text, { matchCase });
        found?.load("items/text");
        await context.sync();
        return found?.items.length;
      });
    expect(await count("sign")).toBe(1);
    expect(await count("sign", false)).toBe(2);
    expect(await count('"sign"')).toBe(1);
    expect(await count("^^")).toBe(1);
    expect(await code(count("x".repeat(256)))).toBe("SearchStringInvalidOrTooLong");
  });

  it("puts paragraphs in the place of others, and what it has stays as it is", async () => {
    const fake = word(DOCUMENT);
    const xml = await ooxmlOf(fake, 2);
    await putOoxml(fake, 2, xml.replace("euros", "dollars").replace(/w:styleId="Normal"/, 'w:styleId="New"'));
    expect(fake.texts()[1]).toContain("dollars");
    expect(fake.texts()).toHaveLength(9);
    expect(errors(fake.bytes())).toEqual([]);
    fake.host.setMode("TrackAll");
    await putOoxml(fake, 2, xml);
    expect(revisions(fake.bytes())).toEqual(expect.arrayContaining([expect.stringContaining("dollars"), expect.stringMatching(/^insertion .*euros/)]));
    // The mark of the last paragraph stays, so that there is one more.
    fake.host.setMode("Off");
    const count = fake.texts().length;
    await putOoxml(fake, count, await ooxmlOf(fake, count));
    expect(fake.texts().slice(-2)).toEqual(["Last one.", ""]);
  });

  it("comments, selects, and takes comments away", async () => {
    const fake = word(DOCUMENT);
    await fake.Word.run(async (context) => {
      context.document.getSelection().insertComment("Why?");
      const comments = context.document.body.getComments();
      comments.load("items/content,items/authorName");
      await context.sync();
      expect(comments.items.map(({ content, authorName }) => `${authorName}: ${content}`)).toEqual(["Ada Person: Why?"]);
    });
    fake.select(2, "five");
    await fake.Word.run(async (context) => {
      context.document.getSelection().insertComment("Why five?");
    });
    using file = WordFile.open(fake.bytes());
    expect(file.comments().map(({ quoted, text }) => [quoted, text])).toContainEqual(["five", "Why five?"]);
    expect(errors(fake.bytes())).toEqual([]);
    await fake.Word.run(async (context) => {
      const comments = context.document.body.getComments();
      comments.load("items/id");
      await context.sync();
      for (const comment of comments.items) comment.delete();
      await context.sync();
    });
    using without = WordFile.open(fake.bytes());
    expect(without.comments()).toEqual([]);
    expect(errors(fake.bytes())).toEqual([]);
  });

  it("tells who listens of changes here and elsewhere, and undoes", async () => {
    const fake = word(DOCUMENT);
    const heard: string[] = [];
    await fake.Word.run(async (context) => {
      context.document.onParagraphChanged.add((async ({ source }: Word.ParagraphChangedEventArgs) => void heard.push(`changed ${source}`)) as never);
      context.document.onParagraphAdded.add((async ({ source }: Word.ParagraphAddedEventArgs) => void heard.push(`added ${source}`)) as never);
      await context.sync();
    });
    fake.person.type(1, "!");
    fake.remote().add(1, "Between");
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(heard).toEqual(["changed Local", "added Remote"]);
    expect(fake.host.undo() && fake.host.undo()).toBe(true);
    expect(fake.host.undo()).toBe(false);
    expect(fake.texts()[0]).toBe("Terms");
  });

  it("gives the file in slices, one file at a time", async () => {
    const fake = word(DOCUMENT);
    const [first, second] = await Promise.all([fileOf(fake, 700), fileOf(fake)]);
    expect(texts(first as Uint8Array)).toEqual(fake.texts().map((text) => text));
    expect(second).toBe("5001");
    expect(await fileOf(fake)).toBeInstanceOf(Uint8Array);
  });

  it("has what its platform has", async () => {
    const fake = word(DOCUMENT, { sets: { WordApi: 1.4 } });
    expect(fake.Office.context.requirements.isSetSupported("WordApi", "1.4")).toBe(true);
    expect(fake.Office.context.requirements.isSetSupported("WordApi", "1.6")).toBe(false);
    const ask = fake.Word.run(async (context) => {
      const { paragraphs } = context.document.body;
      paragraphs.load("items/uniqueLocalId");
      await context.sync();
    });
    expect(await code(ask)).toBe("ApiNotFound");
    expect(await code(word(DOCUMENT, { platform: "web" }).Word.run(async (context) => void context.document.undo(1)))).toBe("ApiNotFound");
  });
});

/** What each quirk does that a Word without it does not: tells `true` where it shows. */
const SHOWN: Record<keyof typeof QUIRKS, (options: HostOptions) => Promise<boolean>> = {
  webUndoLost: async (options) => {
    const fake = word(DOCUMENT, options);
    await putOoxml(fake, 2, await ooxmlOf(fake, 2));
    return !fake.host.undo();
  },
  trailingParagraph: async (options) => {
    const fake = word(DOCUMENT, options);
    await putOoxml(fake, 2, await ooxmlOf(fake, 2));
    return fake.texts()[2] === "";
  },
  macListLeak: async (options) => {
    const source = word(DOCUMENT);
    using file = WordFile.open(source.bytes());
    file.apply([{ op: "delete_table", target: "P5" }], { author: "Bob", date: "2026-01-01T00:00:00Z" });
    const fake = word(file.save(), options);
    await putOoxml(fake, 3, await ooxmlOf(fake, 3));
    using after = WordFile.open(fake.bytes());
    return after.read({ view: "original" }).paragraphs.some(({ table, marker }) => table !== null && marker !== null);
  },
  moveHang: async (options) => {
    using file = WordFile.open(word("One.\n\nTwo.\n\nThree.\n\nFour.").bytes());
    file.apply([{ op: "move_paragraph", target: "P1", after: "P2" }], { author: "Bob", date: "2026-01-01T00:00:00Z" });
    const fake = word(file.save(), options);
    const asked = fake.Word.run(async (context) => {
      const changes = context.document.getSelection().getTrackedChanges();
      changes.load("items/author");
      await context.sync();
      return true;
    });
    return (await within(100, asked)) === undefined;
  },
  freshRangeHang: async (options) => {
    const fake = word(DOCUMENT, { ...options, mode: "TrackAll" });
    const asked = fake.Word.run(async (context) => {
      const range = context.document.getSelection().insertText("New", "Start");
      await context.sync();
      const changes = range.getTrackedChanges();
      changes.load("items/author");
      await context.sync();
      return true;
    });
    return (await within(100, asked)) === undefined;
  },
  unknownAuthor: async (options) => {
    const fake = word(DOCUMENT, { ...options, mode: "TrackAll" });
    await retype(fake, 2, "five", "six");
    return revisions(fake.bytes()).every((each) => each.includes("Unknown"));
  },
  ooxmlIsMalformed: async (options) => {
    const fake = word(DOCUMENT, options);
    return (await code(putOoxml(fake, 2, await ooxmlOf(fake, 2)))) === "ooxmlIsMalformed";
  },
  trackMineOnlyIgnored: async (options) => {
    const fake = word(DOCUMENT, options);
    await fake.Word.run(async ({ document }) => void (document.changeTrackingMode = "TrackMineOnly"));
    return fake.mode === "Off";
  },
  trackingStuckOff: async (options) => {
    const fake = word(DOCUMENT, options);
    await fake.Word.run(async ({ document }) => void (document.changeTrackingMode = "TrackAll"));
    return fake.mode === "Off";
  },
  rangeTextWithoutDeleted: async (options) => {
    const fake = word(DOCUMENT, { ...options, mode: "TrackAll" });
    await retype(fake, 2, "five", "six");
    const text = await fake.Word.run(async (context) => {
      const { paragraphs } = context.document.body;
      paragraphs.load("items/text");
      await context.sync();
      return paragraphs.items[1]?.text;
    });
    return text === 'The fee is six euros, paid "at once".';
  },
  runEdgeSpace: async (options) => {
    const fake = word(DOCUMENT, { ...options, mode: "TrackAll" });
    await retype(fake, 2, "five ", "six ");
    return fake.texts()[1]?.startsWith("The fee is sixeuros") ?? false;
  },
  controlTwice: async (options) => {
    const fake = word(DOCUMENT, options);
    const xml = (await ooxmlOf(fake, 2)).replace("<w:r>", "<w:sdt><w:sdtContent><w:r><w:t>in a control </w:t></w:r></w:sdtContent></w:sdt><w:r>");
    await putOoxml(fake, 2, xml);
    return fake.texts().filter((text) => text.includes("in a control")).length === 2;
  },
  fileRefused: async (options) => (await fileOf(word(DOCUMENT, options))) === "11001",
  noNewDocument: async (options) => {
    const fake = word(DOCUMENT, options);
    const opened = fake.Word.run(async (context) => context.application.createDocument(btoa("x")).open());
    return (await code(opened)) === "GeneralException" && fake.host.opened.length === 0;
  },
};

describe("a quirk", () => {
  it.each(Object.keys(QUIRKS) as (keyof typeof QUIRKS)[])("%s shows where it is switched on, and only there", async (quirk) => {
    expect(await SHOWN[quirk]({ isPlain: true, quirks: [quirk] })).toBe(true);
    expect(await SHOWN[quirk]({ isPlain: true })).toBe(false);
  });

  it("is had for granted where the platform has it", async () => {
    const fake = word(DOCUMENT, { platform: "web" });
    await putOoxml(fake, 2, await ooxmlOf(fake, 2));
    expect(fake.host.undo()).toBe(false);
  });
});

/** A folder of real documents, where there is one. */
const corpus = process.env["ENGROSS_TEST_CORPUS"];
describe.runIf(corpus)("real documents", () => {
  it("are the same to the double and to the engine", { timeout: 600_000 }, () => {
    const names = readdirSync(corpus ?? "", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".docx")).sort();
    const told = { documents: 0, paragraphs: 0, texts: 0, counts: 0, broken: 0 };
    for (const name of names) {
      const bytes = readFileSync(join(corpus ?? "", name));
      let fake: FakeWord;
      try {
        fake = word(bytes);
      } catch (problem) {
        console.log(name, String(problem));
        told.broken += 1;
        continue;
      }
      told.documents += 1;
      using file = WordFile.open(bytes);
      const { total, paragraphs } = file.read({ view: "accepted", labels: false, limit: 1_000_000 });
      if (fake.host.paragraphs().length !== total) {
        told.counts += 1;
        console.log(name, fake.host.paragraphs().length, total);
      }
      const mine = fake.texts();
      told.paragraphs += paragraphs.length;
      told.texts += paragraphs.filter(({ index, text }) => text === (mine[index - 1] ?? "").replace(/\u000b/g, "\n").replace(/[\u0000-\u0008]/g, "").replace(/\u001e/g, "\u2011")).length;
      expect(texts(fake.bytes(), "markup"), name).toEqual(texts(bytes, "markup"));
    }
    console.log(told);
  });
});
